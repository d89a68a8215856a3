/* Shapes and host tensors: made, freed, converted. */
#include "graph/tensor.h"

#include <assert.h>
#include <stdio.h>

#include "base/alloc.h"

const char *const fsc__layout_names[] = {
    [FSC__LAYOUT_NONE] = "auto",
    [FSC__LAYOUT_NCHW] = "nchw",
    [FSC__LAYOUT_NHWC] = "nhwc",
    NULL,
};

int64_t fsc__shape_elems(const fsc__shape *shape)
{
    int64_t elems = 1;
    for (int i = 0; i < shape->rank; i++)
        elems *= shape->dims[i];
    return elems;
}

bool fsc__shape_equal(const fsc__shape *a, const fsc__shape *b)
{
    if (a->rank != b->rank)
        return false;
    for (int i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i])
            return false;
    return true;
}

void fsc__shape_write(const fsc__shape *shape, char *text, size_t bytes)
{
    assert(bytes >= 128);
    if (shape->rank == 0)
        snprintf(text, bytes, "1");
    size_t used = 0;
    for (int i = 0; i < shape->rank; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%lld", i > 0 ? "x" : "",
                                 (long long)shape->dims[i]);
}

/* Whether all sizes are at least 0 and their product, times 8 bytes, is a size. */
static bool fits(const fsc__shape *shape)
{
    int64_t elems = 1;
    for (int i = 0; i < shape->rank; i++) {
        const int64_t dim = shape->dims[i];
        if (dim < 0 || (dim > 0 && elems > INT64_MAX / 8 / dim))
            return false;
        elems *= dim;
    }
    return true;
}

fsc_status fsc__tensor_init(fsc_tensor *tensor, fsc_dtype type, const fsc__shape *shape,
                            fsc_error *why)
{
    char text[128];
    assert(shape->rank >= 0 && shape->rank <= FSC_MAX_RANK);
    fsc__shape_write(shape, text, sizeof text);
    if (!fits(shape))
        FSC_FAIL(why, FSC_ERR_INPUT, "a tensor of shape %s has more elements than can be counted",
                 text);
    void *data = fsc__calloc((size_t)fsc__shape_elems(shape), fsc__dtype_bytes(type));
    if (!data)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory for a tensor of %s %s", text,
                 fsc__dtype_name(type));
    *tensor = (fsc_tensor){type, *shape, data};
    return FSC_OK;
}

void fsc__tensor_deinit(fsc_tensor *tensor)
{
    fsc__free(tensor->data);
    *tensor = (fsc_tensor){0};
}

fsc_status fsc__tensor_convert(const fsc_tensor *in, fsc_dtype type, fsc_tensor *out,
                               fsc_error *why)
{
    FSC_TRY(fsc__tensor_init(out, type, &in->shape, why));
    const int64_t elems = fsc__shape_elems(&in->shape);
    for (int64_t i = 0; i < elems; i++)
        fsc__dtype_store(type, out->data, i, fsc__dtype_load(in->type, in->data, i));
    return FSC_OK;
}
