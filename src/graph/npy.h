/* .npy files: f2 f4 f8 u2 i1 u1 i4, little-endian, C order, versions 1.0 and 2.0. */
#ifndef FSC_GRAPH_NPY_H
#define FSC_GRAPH_NPY_H

#include "graph/tensor.h"

/* u2 is read as bf16 codes. Truncated, Fortran-ordered, big-endian files, other types and headers
   that lie are FSC_ERR_FILE with the path and what is wrong. */
fsc_status fsc__npy_read(const char *path, fsc_tensor *tensor, fsc_error *why);
fsc_status fsc__npy_write(const char *path, const fsc_tensor *tensor, fsc_error *why);

#endif
