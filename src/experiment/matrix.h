/* The cases of a configuration: experiments x shapes x modes x inputs x seeds. */
#ifndef FSC_EXPERIMENT_MATRIX_H
#define FSC_EXPERIMENT_MATRIX_H

#include "experiment/config.h"

/* *cases is a new array of cases as fsc__case_run takes them, without a device, in the order of the
   configuration. Each has the id experiment/graph/shape/mode/input/seed, which depends on nothing
   else. filter (may be NULL) keeps the ids that match the glob. More than a million is
   FSC_ERR_INPUT. */
fsc_status fsc__matrix_create(const fsc__config *config, const char *filter, cJSON **cases,
                              fsc_error *why);

#endif
