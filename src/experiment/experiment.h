/* One experiment of a configuration: checked, with the defaults filled in. */
#ifndef FSC_EXPERIMENT_EXPERIMENT_H
#define FSC_EXPERIMENT_EXPERIMENT_H

#include "base/json.h"

/* The defaults by themselves, used by an experiment or not. at->node may be NULL. */
fsc_status fsc__experiment_check_defaults(const fsc__json *at, fsc_error *why);

/* *made is a new object as fsc__config.experiments has them. seed: of the document, node may be
   NULL. Tensors are read once, to see that they fit. path: of the document. */
fsc_status fsc__experiment_read(const fsc__json *at, const fsc__json *defaults,
                                const fsc__json *seed, const char *path, cJSON **made,
                                fsc_error *why);

/* No two experiments of the list have one name. */
fsc_status fsc__experiment_check_names(const fsc__json *list, fsc_error *why);

#endif
