/* Threads for prediction and truth: the floating-point environment set in each and checked after.
 */
#ifndef FSC_REFERENCE_THREADS_H
#define FSC_REFERENCE_THREADS_H

#include <stdint.h>

#include "base/status.h"

/* FSC_OK or FSC_ERR_MEMORY. */
typedef fsc_status fsc__threads_body(void *context, int64_t begin, int64_t end);

/* As fsc__parallel. Fails when a body did, or when the environment was not as set at the end. */
fsc_status fsc__threads_run(int64_t count, int64_t grain, fsc__threads_body *body, void *context,
                            fsc_error *why);

#endif
