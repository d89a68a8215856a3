/* Comparing two tensors element by element: the metrics of DESIGN section 5. */
#ifndef FSC_VERDICT_COMPARE_H
#define FSC_VERDICT_COMPARE_H

#include <cjson/cJSON.h>

#include "graph/tensor.h"

/* Against truth, a value that rounds to an infinity of got's type counts as that infinity where got
   is one. "Compared" are the elements that are finite on both sides: all distances, largest and the
   sums are over them. Indices are -1 and distances 0 where nothing was compared. */
typedef struct fsc_metrics {
    int64_t elems;
    int64_t compared;
    int64_t bits_differ;  /* two tensors of one storage type: codes that differ; -0 and +0 differ,
                             any two NaN are equal. -1 against truth */
    int64_t first_differ; /* index, -1 when none */
    double max_ulp, mean_ulp; /* ordinal distance, or fractional ULP against truth */
    double max_ulp_large;     /* over elements above a thousandth of the largest */
    double max_abs;
    double largest;          /* largest |want| */
    double rel_norm;         /* max_abs / largest; 0/0 is 0, else infinity */
    double rel_norm_channel; /* of the worst channel (last axis), each divided by its own largest,
                                floored at 1e-3 of the whole */
    int64_t worst_channel;
    double rmse;
    double cosine; /* of two zero vectors 1, of a zero and another one 0 */
    double snr_db; /* infinity where nothing differs */
    int64_t worst; /* index of max_abs, the first of several */
    double worst_got, worst_want;
    int64_t nan_got, nan_want, inf_got, inf_want, zero_got, zero_want;
    int64_t subnormal_got, subnormal_want; /* in got's type */
    int64_t non_finite_mismatch; /* NaN or infinite on one side only, or other sign of infinity */
    int64_t unsafe;              /* got is not finite where want is and lies within the largest
                                    value of got's type: an overflow or NaN of got's own making */
    int64_t first_unsafe;        /* index, -1 when none */
    int64_t out_of_range_want;   /* want is finite and beyond that largest value */
} fsc_metrics;

/* got: f32, f16 or bf16. want: the same type, or f64 (truth). Same shapes. */
fsc_status fsc__compare(const fsc_tensor *got, const fsc_tensor *want, fsc_metrics *metrics,
                        fsc_error *why);

/* A new object with every metric by its name; non-finite numbers as strings. NULL: out of memory.
 */
cJSON *fsc__metrics_json(const fsc_metrics *metrics);

#endif
