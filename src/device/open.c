/* Opening a device: context, queue, build options, limits. */
#include "device/handle.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "device/probe.h"
#include "device/shelf.h"

#define QUERY(device, what, variable) \
    CL_CALL(clGetDeviceInfo((device)->id, (what), sizeof(variable), &(variable), NULL), why)

/* The build options: the standard, correct rounding where it is offered, and, unless the library is
   built without its own checks, the names of kernel arguments. */
static fsc_status choose_options(fsc_device *device, fsc_error *why)
{
    cl_device_fp_config single = 0;
    FSC_TRY(QUERY(device, CL_DEVICE_SINGLE_FP_CONFIG, single));
#ifdef NDEBUG
    const char *const names = "";
#else
    const char *const names = " -cl-kernel-arg-info";
#endif
    snprintf(device->options, sizeof device->options, "-cl-std=CL1.2%s%s",
             single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT
                 ? " -cl-fp32-correctly-rounded-divide-sqrt"
                 : "",
             names);
    return FSC_OK;
}

/* Whether the device lists an extension. */
static fsc_status has_extension(const fsc_device *device, const char *name, bool *has,
                                fsc_error *why)
{
    char list[16384] = "";
    CL_TRY(clGetDeviceInfo(device->id, CL_DEVICE_EXTENSIONS, sizeof list - 1, list, NULL), why);
    const size_t length = strlen(name);
    *has = false;
    for (const char *at = strstr(list, name); at; at = strstr(at + length, name))
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            *has = true;
    return FSC_OK;
}

/* Limits and types, as the driver reports them. */
static fsc_status query_caps(const fsc_device *device, fsc__caps *caps, fsc_error *why)
{
    cl_uint width = 0, units = 0;
    cl_ulong local = 0, buffer = 0, memory = 0;
    size_t group = 0, parameters = 0;
    cl_device_type type = 0;
    FSC_TRY(QUERY(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, width));
    FSC_TRY(QUERY(device, CL_DEVICE_MAX_COMPUTE_UNITS, units));
    FSC_TRY(QUERY(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, group));
    FSC_TRY(QUERY(device, CL_DEVICE_LOCAL_MEM_SIZE, local));
    FSC_TRY(QUERY(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, buffer));
    FSC_TRY(QUERY(device, CL_DEVICE_GLOBAL_MEM_SIZE, memory));
    FSC_TRY(QUERY(device, CL_DEVICE_MAX_PARAMETER_SIZE, parameters));
    FSC_TRY(QUERY(device, CL_DEVICE_TYPE, type));
    FSC_TRY(has_extension(device, "cl_khr_fp64", &caps->fp64, why));
    FSC_TRY(has_extension(device, "cl_khr_fp16", &caps->fp16, why));
    if (device->info.oclgrind)
        caps->fp16 = false; /* half arithmetic compiles there and gives zeros */
    caps->gpu = (type & CL_DEVICE_TYPE_GPU) != 0 && !device->info.oclgrind;
    caps->native_width = width >= 1 && width <= 16 ? (int)width : 1;
    caps->compute_units = units >= 1 ? (int)units : 1;
    caps->kernel_group = group >= 1 ? group : 1;
    caps->local_bytes = (size_t)local;
    caps->buffer_bytes = buffer;
    caps->memory_bytes = memory;
    /* A pointer takes 8 bytes; a quarter is left to sizes, strides and attributes. */
    caps->max_arguments = (int)(parameters / 8 * 3 / 4);
    return FSC_OK;
}

static fsc_status copy_folder(const char *folder, char **copy, fsc_error *why)
{
    if (!folder || folder[0] == '\0')
        return FSC_OK;
    *copy = fsc__strdup(folder);
    if (!*copy)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory while a device is opened");
    return FSC_OK;
}

static fsc_status open_into(fsc_device *device, const fsc__device_options *options, fsc_error *why)
{
    cl_platform_id platform;
    cl_int code = CL_SUCCESS;
    FSC_TRY(copy_folder(options->cache, &device->cache, why));
    FSC_TRY(copy_folder(options->dump, &device->dump, why));
    FSC_TRY(fsc__device_find(&device->info, &platform, &device->id, why));
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)platform, 0};
    FSC_TRY(CL_MAKE(device->context, clCreateContext(properties, 1, &device->id, NULL, NULL, &code),
                    why));
    FSC_TRY(CL_MAKE(
        device->queue,
        clCreateCommandQueue(device->context, device->id, CL_QUEUE_PROFILING_ENABLE, &code), why));
    FSC_TRY(choose_options(device, why));
    FSC_TRY(query_caps(device, &device->caps, why));
    device->shelf = fsc__calloc((size_t)options->keep_programs, sizeof(struct fsc__program *));
    if (!device->shelf)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory while a device is opened");
    device->shelf_size = options->keep_programs;
    if (options->no_probe)
        return FSC_OK;
    return fsc__probe(device, &device->caps, why);
}

fsc_status fsc__device_open(const fsc__device_info *info, const fsc__device_options *options,
                            fsc_device **device, fsc_error *why)
{
    static const fsc__device_options plain = {0};
    fsc_device *opened = fsc__calloc(1, sizeof *opened);
    if (!opened)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory while a device is opened");
    opened->info = *info;
    const fsc_status status = open_into(opened, options ? options : &plain, why);
    if (status != FSC_OK) {
        fsc__device_close(opened);
        return fsc__cl_at(status, why, "%s", fsc__device_alias(info));
    }
    *device = opened;
    return FSC_OK;
}

void fsc__device_close(fsc_device *device)
{
    if (!device)
        return;
    fsc__shelf_clear(device);
    fsc__cl_release_queue(&device->queue);
    fsc__cl_release_context(&device->context);
    fsc__free(device->cache);
    fsc__free(device->dump);
    fsc__free(device);
}

const fsc__caps *fsc__device_caps(const fsc_device *device)
{
    return &device->caps;
}

const fsc__device_info *fsc__device_about(const fsc_device *device)
{
    return &device->info;
}

const char *fsc__device_quirks(const fsc_device *device)
{
    return device->quirks;
}

const char *fsc__device_build_options(const fsc_device *device)
{
    return device->options;
}

char *fsc__device_path(const char *folder, const char *name)
{
    fsc__text path = {0};
    fsc__text_add(&path, "%s/%s", folder, name);
    if (path.failed)
        fsc__text_deinit(&path);
    return path.data;
}

void fsc__device_save(fsc_device *device, const char *folder, const char *name, const void *data,
                      size_t bytes)
{
    const bool is_cache = folder == device->cache;
    fsc_error problem = {.text = "out of memory"};
    char *path = fsc__device_path(folder, name);
    fsc_status status = path ? fsc__folder_make(folder, &problem) : FSC_ERR_MEMORY;
    if (status == FSC_OK)
        status = fsc__file_write(path, data, bytes, &problem);
    if (status != FSC_OK && !(is_cache && device->cache_complained)) {
        fsc__log(FSC__LOG_WARN, "not saved, going on without: %s", problem.text);
        device->cache_complained |= is_cache;
    }
    fsc__free(path);
}
