/* The verdict of a case and the direction of a fusion (DESIGN section 5). */
#ifndef FSC_VERDICT_VERDICT_H
#define FSC_VERDICT_VERDICT_H

#include "verdict/compare.h"

/* In the order of the last line of `run`; ERROR, CRASH, TIMEOUT and SKIPPED are given by whoever
   ran the case. */
typedef enum fsc__verdict {
    FSC__EXACT,
    FSC__NEGLIGIBLE,
    FSC__ROUNDING,
    FSC__DIFFERS,
    FSC__RESCUED,
    FSC__MISTRUSTED,
    FSC__UNSAFE,
    FSC__BROKEN,
    FSC__SKIPPED,
    FSC__ERROR,
    FSC__CRASH,
    FSC__TIMEOUT,
    FSC__VERDICT_COUNT
} fsc__verdict;

const char *fsc__verdict_name(fsc__verdict verdict);
bool fsc__verdict_find(const char *name, fsc__verdict *verdict);
/* Whether it makes the exit status 1. zeros: the input family is zeros (mistrusted is expected). */
bool fsc__verdict_fails(fsc__verdict verdict, bool zeros);

typedef struct fsc__judged {
    fsc_metrics conformance, conformance_unfused; /* device against prediction */
    fsc_metrics delta;                            /* fused against unfused */
    fsc_metrics error_fused, error_unfused;       /* against truth */
    fsc_dtype storage;
    int64_t elems;
} fsc__judged;

/* reason: one sentence that names the deciding figure. */
fsc__verdict fsc__verdict_of(const fsc__judged *judged, char *reason, size_t bytes);

/* "fused is nearer the truth, 3.1x", "unfused is nearer the truth, 1.4x", "equal". */
void fsc__direction(const fsc__judged *judged, char *text, size_t bytes);

#endif
