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

/* The first that applies:
     broken      a bit of a device result, fused or unfused, differs from its prediction
     unsafe      a fused output is not finite where the true value is in the storage type's range
     mistrusted  no outputs; none finite in fused result and truth; or all zero, fused and unfused
     rescued     an unfused output is not finite where the true value is in range
     exact       fused and unfused have equal values (-0 equals +0, NaN equals NaN)
     negligible  rel_norm of the worst channel at most 1e-5
     rounding    max_abs at most one ulp of the storage type at the largest output
     differs     otherwise; also whenever an output is finite (or which infinity) on one side only
   reason: the deciding figure in words. bytes of at least 160. */
fsc__verdict fsc__verdict_of(const fsc__judged *judged, char *reason, size_t bytes);

/* By the ratio of RMSE to truth: "fused is nearer the truth, 3.1x", "unfused is nearer the truth,
   1.4x", "equal" (within 1.1x). Where one side has more unsafe outputs: "fused is nearer the truth,
   finite where the other is not"; where it has no error at all: "..., which it equals"; and
   "unknown: ..." where nothing can be set beside the truth. bytes of at least 96. */
void fsc__direction(const fsc__judged *judged, char *text, size_t bytes);

#endif
