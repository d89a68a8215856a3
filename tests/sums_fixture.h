/* One sum of products in each order of the mode, by a plain loop, for tests of the prediction. */
#ifndef FSC_TESTS_SUMS_FIXTURE_H
#define FSC_TESTS_SUMS_FIXTURE_H

#include "reference_fixture.h"

#define FSC_FMA_FLUSHES
#include "vocabulary.h"

/* The factors of a sum's term t. */
typedef void product_term(const void *context, int64_t t, float *a, float *b);

static inline float sum_step(const setup *s, fsc__fma fma, float a, float b, float sum)
{
    if (s->mode.contract == FSC__CONTRACT_OFF)
        return sum + a * b;
    return fma == FSC__FMA_EXACT ? fmaf(a, b, sum) : vocabulary_fma(a, b, sum);
}

static inline float sum_in_order(const setup *s, fsc__fma fma, int64_t terms, product_term *term,
                                 const void *context)
{
    const fsc__order order = fsc__plan_order(s->fused, &s->fused->groups[0]);
    float lane[1024] = {0}, total = 0.0f, run = 0.0f;
    for (int64_t t = 0; t < terms; t++) {
        float a, b;
        term(context, t, &a, &b);
        if (order.kind == FSC__ORDER_LANES)
            lane[t % order.n] = sum_step(s, fma, a, b, lane[t % order.n]);
        else
            run = sum_step(s, fma, a, b, run);
        if (order.kind == FSC__ORDER_CHUNK && ((t + 1) % order.n == 0 || t + 1 == terms)) {
            total += run;
            run = 0.0f;
        }
    }
    if (order.kind == FSC__ORDER_CHUNK)
        return total;
    if (order.kind == FSC__ORDER_SEQUENTIAL)
        return run;
    for (int half = order.n / 2; half >= 1; half /= 2)
        for (int l = 0; l < half; l++)
            lane[l] = lane[l] + lane[l + half];
    return lane[0];
}

#endif
