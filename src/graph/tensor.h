/* A host tensor: a type, a shape and row-major elements. */
#ifndef FSC_GRAPH_TENSOR_H
#define FSC_GRAPH_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "numeric/dtype.h"

enum { FSC_MAX_RANK = 6 };

typedef struct fsc__shape {
    int rank; /* 0 is a scalar: one element */
    int64_t dims[FSC_MAX_RANK];
} fsc__shape;

/* Where the channels of an image are. The names are for conv2d's attribute `layout`. */
typedef enum fsc__layout { FSC__LAYOUT_NONE, FSC__LAYOUT_NCHW, FSC__LAYOUT_NHWC } fsc__layout;

extern const char *const fsc__layout_names[]; /* "auto" for NONE; ended by NULL */

typedef struct fsc_tensor {
    fsc_dtype type;
    fsc__shape shape;
    void *data; /* owned by whoever made the tensor; see each function */
} fsc_tensor;

int64_t fsc__shape_elems(const fsc__shape *shape);
bool fsc__shape_equal(const fsc__shape *a, const fsc__shape *b);

/* "384x1024"; a scalar is "1". bytes of at least 128. */
void fsc__shape_write(const fsc__shape *shape, char *text, size_t bytes);

/* Elements zero. Free with deinit, which accepts a zeroed tensor. */
fsc_status fsc__tensor_init(fsc_tensor *tensor, fsc_dtype type, const fsc__shape *shape,
                            fsc_error *why);
void fsc__tensor_deinit(fsc_tensor *tensor);

/* out is initialised with type: each element rounded once. */
fsc_status fsc__tensor_convert(const fsc_tensor *in, fsc_dtype type, fsc_tensor *out,
                               fsc_error *why);

#endif
