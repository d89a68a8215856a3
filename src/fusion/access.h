/* Where a kernel finds an operand that is broadcast to the shape the kernel works on. */
#ifndef FSC_FUSION_ACCESS_H
#define FSC_FUSION_ACCESS_H

#include "graph/tensor.h"

/* A kernel sees the shape it works on as rows x cols, cols being a product of trailing axes.
   Element (r, c) of it reads the operand's element
       ((r / div) % mod) * stride + (along_cols ? c : 0).
   mod 1: every row reads the same elements. stride is cols where the operand varies along the
   columns, else 1. */
typedef struct fsc__access {
    bool along_cols;
    int64_t div, mod, stride;
} fsc__access;

/* False, with *access untouched, where the operand does not broadcast to out or needs more than one
   division: over the trailing axes that make up cols it must be constant or vary fully, and the
   leading axes along which it varies must be neighbours (axes of 1 in out do not count). */
bool fsc__access_of(const fsc__shape *operand, const fsc__shape *out, int64_t cols,
                    fsc__access *access);

/* The columns of a map's view of out: the product of as many trailing axes as can be taken with
   each operand constant or fully varying over them; 1 when there are none. A wider view never
   makes an operand harder to reach. Other patterns have cols = the last axis: of the output in
   an epilogue, of A in a prologue of matmul. The planner only makes groups whose every operand
   fsc__access_of can reach. */
int64_t fsc__access_view(const fsc__shape *out, const fsc__shape *const operands[], int count);

/* Size of axis `axis` of out in the operand, which is aligned at the last axis: 1 where missing. */
int64_t fsc__access_dim(const fsc__shape *operand, const fsc__shape *out, int axis);

/* Whether operand broadcasts to out without making it larger. */
bool fsc__access_fits(const fsc__shape *operand, const fsc__shape *out);

#endif
