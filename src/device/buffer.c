/* Device memory. */
#include "device/launch_private.h"

#include "base/alloc.h"

fsc_status fsc__buffer_create(fsc_device *device, size_t bytes, fsc__buffer **buffer,
                              fsc_error *why)
{
    if (bytes > device->caps.buffer_bytes)
        FSC_FAIL(why, FSC_UNSUPPORTED,
                 "a buffer of %zu bytes is needed; %s allows %llu bytes in one buffer", bytes,
                 fsc__device_alias(&device->info), (unsigned long long)device->caps.buffer_bytes);
    fsc__buffer *made = fsc__calloc(1, sizeof *made);
    if (!made)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory for a buffer");
    made->device = device;
    made->bytes = bytes;
    cl_int code = CL_SUCCESS;
    const size_t whole = (bytes + 3) / 4 * 4; /* so that 4-byte patterns fill it */
    const fsc_status status = CL_MAKE(
        made->memory, clCreateBuffer(device->context, CL_MEM_READ_WRITE, whole, NULL, &code), why);
    if (status != FSC_OK) {
        fsc__free(made);
        return fsc__cl_at(status, why, "%zu bytes on %s", bytes, fsc__device_alias(&device->info));
    }
    *buffer = made;
    return FSC_OK;
}

void fsc__buffer_free(fsc__buffer *buffer)
{
    if (!buffer)
        return;
    fsc__cl_release_buffer(&buffer->memory);
    fsc__free(buffer);
}

size_t fsc__buffer_bytes(const fsc__buffer *buffer)
{
    return buffer->bytes;
}

fsc_status fsc__buffer_write(fsc__buffer *buffer, const void *data, size_t bytes, fsc_error *why)
{
    CL_TRY(clEnqueueWriteBuffer(buffer->device->queue, buffer->memory, CL_TRUE, 0, bytes, data, 0,
                                NULL, NULL),
           why);
    return FSC_OK;
}

fsc_status fsc__buffer_read(const fsc__buffer *buffer, void *data, size_t bytes, fsc_error *why)
{
    CL_TRY(clEnqueueReadBuffer(buffer->device->queue, buffer->memory, CL_TRUE, 0, bytes, data, 0,
                               NULL, NULL),
           why);
    return FSC_OK;
}

/* The same as a fill, by writes. Oclgrind 21.10 takes all of a filled buffer but its first bytes
   for uninitialised, whatever is stored there later. */
static fsc_status poison_by_writes(fsc__buffer *buffer, uint32_t pattern, size_t bytes,
                                   fsc_error *why)
{
    uint32_t block[4096];
    for (size_t i = 0; i < sizeof block / sizeof block[0]; ++i)
        block[i] = pattern;
    for (size_t at = 0; at < bytes; at += sizeof block)
        CL_TRY(clEnqueueWriteBuffer(buffer->device->queue, buffer->memory, CL_TRUE, at,
                                    bytes - at < sizeof block ? bytes - at : sizeof block, block, 0,
                                    NULL, NULL),
               why);
    return FSC_OK;
}

fsc_status fsc__buffer_poison(fsc__buffer *buffer, uint32_t pattern, fsc_error *why)
{
    const size_t bytes = (buffer->bytes + 3) / 4 * 4;
    if (buffer->device->info.oclgrind)
        return poison_by_writes(buffer, pattern, bytes, why);
    CL_TRY(clEnqueueFillBuffer(buffer->device->queue, buffer->memory, &pattern, sizeof pattern, 0,
                               bytes, 0, NULL, NULL),
           why);
    return FSC_OK;
}
