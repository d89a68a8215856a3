/* What the parts of the prediction share: the state of one run over a plan. */
#ifndef FSC_REFERENCE_PREDICT_RUN_H
#define FSC_REFERENCE_PREDICT_RUN_H

#include "reference/predict.h"
#include "reference/predict_isa.h"

typedef struct fsc__predict_run {
    const fsc__plan *plan;
    const fsc__predict_loops *loops;
    fsc_tensor *values; /* per graph value; data NULL: not made. Inputs are the caller's. Inside a
                           group also f32 values of its nodes, as computed */
} fsc__predict_run;

/* The value of a pointwise node of the group, its operands being in run->values or made by
   pointwise nodes of the group before it. out: initialised here with type, in the value's shape.
   A target that is in run->values is converted. */
fsc_status fsc__predict_map(const fsc__predict_run *run, const fsc__group *group, int target,
                            fsc_dtype type, fsc_tensor *out, fsc_error *why);

/* The group's main node, its operands in run->values. out: initialised here, f32, not yet rounded.
 */
fsc_status fsc__predict_matmul(const fsc__predict_run *run, const fsc__group *group,
                               fsc_tensor *out, fsc_error *why);
fsc_status fsc__predict_conv2d(const fsc__predict_run *run, const fsc__group *group,
                               fsc_tensor *out, fsc_error *why);
fsc_status fsc__predict_norm_rows(const fsc__predict_run *run, const fsc__group *group,
                                  fsc_tensor *out, fsc_error *why);

/* The elements of a tensor in f32: *values is in *owned, or the tensor's own data when it is f32.
 *owned is the caller's to free, NULL allowed. */
fsc_status fsc__predict_f32(const fsc__predict_run *run, const fsc_tensor *tensor,
                            const float **values, float **owned, fsc_error *why);

#endif
