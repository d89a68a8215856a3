/* The prediction: what a device's every output bit will be. Shares cl/ops.def and cl/portable.h
   with the kernels; loops, indexing and rounding points are written independently. */
#ifndef FSC_REFERENCE_PREDICT_H
#define FSC_REFERENCE_PREDICT_H

#include "fusion/plan.h"
#include "numeric/caps.h"

/* in: one tensor per graph input, in the types of fsc__graph_input_type. out: one tensor per graph
   output, initialised here with the storage type. NaN is the canonical one. Uses all processors;
   the same bits whatever their number and instruction set.
   flushed (may be NULL): number of output elements that the fma quirk changed. */
fsc_status fsc__predict(const fsc_plan *plan, fsc__fma fma, const fsc_tensor in[], fsc_tensor out[],
                        int64_t *flushed, fsc_error *why);

/* One pointwise op in f32 over n elements, as the prediction computes it (before any rounding to
   storage). For tests of the formulas. b may be NULL for one-input ops. attr may be NULL. */
void fsc__predict_op(const fsc__op *op, fsc__fma fma, const float *a, const float *b,
                     const float *attr, float *out, int64_t n);

/* The name of the instruction set chosen at run time ("avx512"), and a way to force one in tests
   (NULL: automatic; false when this machine lacks it). */
const char *fsc__predict_isa(void);
bool fsc__predict_force_isa(const char *name);

#endif
