/* One side of a case: a plan, what the device made of it, what the prediction and the truth say. */
#ifndef FSC_CASE_SIDE_H
#define FSC_CASE_SIDE_H

#include "case/spec.h"
#include "engine/executor.h"

typedef struct fsc__side {
    const fsc_mode *mode; /* of the spec */
    fsc__plan *plan;
    /* The side whose inputs and truth this one shares since both store inputs alike, or NULL. */
    const struct fsc__side *twin;
    fsc_tensor *in; /* per graph input, as the device receives them; NULL with a twin */
    int input_count;
    fsc_tensor got; /* from the device */
    fsc_tensor predicted;
    fsc_tensor truth; /* f64; unused with a twin */
    cJSON *kernels;   /* array of names, in the order they ran */
    fsc__times times;
    uint64_t predict_ns, truth_ns;
    int64_t flushed; /* outputs that the device's fma quirk changed */
} fsc__side;

/* Fills or loads the inputs, unless other has them already in the same types. other may be NULL. */
fsc_status fsc__side_inputs(fsc__side *side, const fsc__spec *spec, const fsc__side *other,
                            fsc_error *why);

/* Builds and runs the plan. tile: width 0 for the device's default. log: the driver's log when a
 * kernel does not build. */
fsc_status fsc__side_run(fsc__side *side, fsc_device *device, const fsc__tile *tile, fsc__text *log,
                         fsc_error *why);

/* Prediction, and truth unless a twin has it, of the same inputs. */
fsc_status fsc__side_refer(fsc__side *side, fsc__fma fma, fsc_error *why);

const fsc_tensor *fsc__side_in(const fsc__side *side);
const fsc_tensor *fsc__side_truth(const fsc__side *side);

void fsc__side_deinit(fsc__side *side); /* accepts a zeroed one */

#endif
