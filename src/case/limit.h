/* A user's own limit on a case, on top of the verdict. */
#ifndef FSC_CASE_LIMIT_H
#define FSC_CASE_LIMIT_H

#include "base/json.h"
#include "verdict/compare.h"

enum { FSC__LIMIT_METRICS = 8 };

typedef struct fsc__limit {
    bool set;
    bool of_error;     /* on fused against truth, else on fused against unfused */
    bool elementwise;  /* |got - want| <= atol + rtol * |want|, as in NumPy's allclose */
    double rtol, atol; /* 0 where only the other was given */
    bool has[FSC__LIMIT_METRICS];
    double most[FSC__LIMIT_METRICS]; /* by row of the table of metrics in limit.c */
} fsc__limit;

/* {"of": "delta", "rtol": 1e-5, "atol": 1e-6, "ulp": 2, "rel_norm": 1e-5, "f16": {...}}: limits
   under a storage type's name hold for it alone, in place of the plain ones. at->node may be NULL:
   no limit. */
fsc_status fsc__limit_parse(const fsc__json *at, fsc_dtype storage, fsc__limit *limit,
                            fsc_error *why);

/* Whether got keeps to the limit; where not, missed says which and by how much. metrics: of the
   same comparison. */
bool fsc__limit_met(const fsc__limit *limit, const fsc_tensor *got, const fsc_tensor *want,
                    const fsc_metrics *metrics, char *missed, size_t bytes);

#endif
