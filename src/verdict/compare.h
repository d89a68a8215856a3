/* Comparing two tensors element by element: the metrics of DESIGN section 5. */
#ifndef FSC_VERDICT_COMPARE_H
#define FSC_VERDICT_COMPARE_H

#include <cjson/cJSON.h>

#include "graph/tensor.h"

typedef struct fsc_metrics {
    int64_t elems;
    int64_t bits_differ;  /* two tensors of one storage type: codes that differ; -0 and +0 differ,
                             any two NaN are equal. -1 against truth */
    int64_t first_differ; /* index, -1 when none */
    double max_ulp, mean_ulp; /* ordinal distance, or fractional ULP against truth */
    double max_ulp_large;     /* over elements above a thousandth of the largest */
    double max_abs;
    double largest;          /* largest |want|, finite elements */
    double rel_norm;         /* max_abs / largest */
    double rel_norm_channel; /* of the worst channel (last axis), each divided by its own largest,
                                floored at 1e-3 of the whole */
    int64_t worst_channel;
    double rmse, cosine, snr_db;
    int64_t worst; /* index of max_abs, -1 when empty */
    double worst_got, worst_want;
    int64_t nan_got, nan_want, inf_got, inf_want, zero_got, zero_want, subnormal_got,
        subnormal_want;
    int64_t non_finite_mismatch; /* NaN or infinite on one side only, or other sign of infinity */
} fsc_metrics;

/* got: f32, f16 or bf16. want: the same type, or f64 (truth). Same shapes. Elements that are not
   finite on both sides leave the distances and are counted. */
fsc_status fsc__compare(const fsc_tensor *got, const fsc_tensor *want, fsc_metrics *metrics,
                        fsc_error *why);

/* A new object with every metric by its name; non-finite numbers as strings. NULL: out of memory.
 */
cJSON *fsc__metrics_json(const fsc_metrics *metrics);

#endif
