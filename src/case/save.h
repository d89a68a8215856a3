/* The tensors of a case as .npy files. */
#ifndef FSC_CASE_SAVE_H
#define FSC_CASE_SAVE_H

#include "case/row.h"

/* Into spec->save: input_NAME, fused, unfused, predicted, predicted_unfused, true; and
   unfused_input_NAME, true_unfused where the sides store their inputs in different types. */
fsc_status fsc__save(const fsc__spec *spec, const fsc__outcome *outcome, fsc_error *why);

#endif
