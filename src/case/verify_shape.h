/* Awkward shapes for the cases of verify. */
#ifndef FSC_CASE_VERIFY_SHAPE_H
#define FSC_CASE_VERIFY_SHAPE_H

#include "case/verify.h"

/* A small deterministic stream for shapes; the tensors have their own generator. */
typedef struct fsc__verify_stream {
    uint64_t state;
} fsc__verify_stream;

/* From 0 to count - 1. */
int64_t fsc__verify_draw(fsc__verify_stream *s, int64_t count);

enum { FSC__VERIFY_ALONE = 37 };

/* Role of a case within its cell: a long sum, 37 rows or images, a large one, or any awkward shape.
 */
typedef enum fsc__verify_size {
    FSC__VERIFY_AWKWARD,
    FSC__VERIFY_LONG,
    FSC__VERIFY_ROWS,
    FSC__VERIFY_LARGE,
    FSC__VERIFY_MEDIUM,
    FSC__VERIFY_TINY
} fsc__verify_size;

/* Fills in made->shape for its pattern, chain and tiles. */
void fsc__verify_shape(fsc__verify_stream *s, fsc__verify_size size, fsc__verify_case *made);

#endif
