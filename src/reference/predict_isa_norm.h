/* The sums of a norm in each order, and one normalised row. Included by predict_isa.c alone. */
#ifndef FSC_REFERENCE_PREDICT_ISA_NORM_H
#define FSC_REFERENCE_PREDICT_ISA_NORM_H

#include "reference/predict_isa.h"
#include "reference/predict_isa_product.h"

/* What is summed: the elements, or their squares. */
typedef enum sum_of { SUM_OF_VALUES, SUM_OF_SQUARES } sum_of;

static void add_all(float *restrict sum, const float *restrict terms, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        sum[i] += terms[i];
}

static inline float term_add(sum_of what, fsc__contract contract, float x, float sum)
{
    return what == SUM_OF_VALUES ? sum + x : sum_step(contract, x, x, sum);
}

static inline float sum_run(sum_of what, fsc__contract contract, const float *x, int64_t n)
{
    float sum = 0.0f;
    for (int64_t i = 0; i < n; i++)
        sum = term_add(what, contract, x[i], sum);
    return sum;
}

static inline float sum_chunks(sum_of what, fsc__contract contract, const float *x, int64_t n,
                               int64_t run)
{
    float sum = 0.0f;
    for (int64_t i = 0; i < n; i += run)
        sum += sum_run(what, contract, x + i, n - i < run ? n - i : run);
    return sum;
}

static inline float sum_lanes(sum_of what, fsc__contract contract, const float *restrict x,
                              int64_t n, int lanes, float *restrict sum)
{
    for (int l = 0; l < lanes; l++)
        sum[l] = 0.0f;
    for (int64_t i = 0; i < n; i += lanes) {
        const int64_t left = n - i < lanes ? n - i : lanes;
        for (int64_t l = 0; l < left; l++)
            sum[l] = term_add(what, contract, x[i + l], sum[l]);
    }
    for (int s = lanes / 2; s > 0; s /= 2)
        add_all(sum, sum + s, s);
    return sum[0];
}

static inline float sum_in_order(sum_of what, fsc__contract contract, fsc__order order,
                                 const float *x, int64_t n, fsc__predict_scratch *scratch)
{
    if (order.kind == FSC__ORDER_LANES)
        return sum_lanes(what, contract, x, n, order.n, scratch->sum);
    if (order.kind == FSC__ORDER_CHUNK)
        return sum_chunks(what, contract, x, n, order.n);
    return sum_run(what, contract, x, n);
}

static float sum_values(const fsc__predict_norm *norm, const float *x,
                        fsc__predict_scratch *scratch)
{
    return sum_in_order(SUM_OF_VALUES, FSC__CONTRACT_OFF, norm->order, x, norm->cols, scratch);
}

static float sum_squares(const fsc__predict_norm *norm, const float *x,
                         fsc__predict_scratch *scratch)
{
    if (norm->contract == FSC__CONTRACT_SUMS)
        return sum_in_order(SUM_OF_SQUARES, FSC__CONTRACT_SUMS, norm->order, x, norm->cols,
                            scratch);
    return sum_in_order(SUM_OF_SQUARES, FSC__CONTRACT_OFF, norm->order, x, norm->cols, scratch);
}

/* A mean and a sum of squared deviations so far, by Welford. */
typedef struct moments {
    float count, mean, square;
} moments;

static inline moments moments_add(fsc__contract contract, moments m, float x)
{
    const float count = m.count + 1.0f;
    const float delta = x - m.mean;
    const float mean = m.mean + DIV(delta, count);
    return (moments){count, mean, sum_step(contract, delta, x - mean, m.square)};
}

static inline moments moments_merge(moments a, moments b)
{
    const float count = a.count + b.count;
    const float delta = b.mean - a.mean;
    const float mean = a.mean + MUL(delta, DIV(b.count, count));
    const float between = MUL(MUL(delta, delta), DIV(MUL(a.count, b.count), count));
    const moments both = {count, mean, (a.square + b.square) + between};
    const moments some = a.count == 0.0f ? b : both;
    return b.count == 0.0f ? a : some;
}

static inline moments welford_run(fsc__contract contract, const float *x, int64_t n)
{
    moments m = {0.0f, 0.0f, 0.0f};
    for (int64_t i = 0; i < n; i++)
        m = moments_add(contract, m, x[i]);
    return m;
}

static inline moments welford_chunks(fsc__contract contract, const float *x, int64_t n, int64_t run)
{
    moments m = {0.0f, 0.0f, 0.0f};
    for (int64_t i = 0; i < n; i += run)
        m = moments_merge(m, welford_run(contract, x + i, n - i < run ? n - i : run));
    return m;
}

static inline moments lane_moments(const fsc__predict_scratch *s, int lane)
{
    return (moments){s->count[lane], s->mean[lane], s->square[lane]};
}

static inline moments welford_lanes(fsc__contract contract, const float *restrict x, int64_t n,
                                    int lanes, fsc__predict_scratch *restrict s)
{
    for (int l = 0; l < lanes; l++)
        s->count[l] = s->mean[l] = s->square[l] = 0.0f;
    for (int64_t i = 0; i < n; i += lanes) {
        const int left = n - i < lanes ? (int)(n - i) : lanes;
        for (int l = 0; l < left; l++) {
            const moments m = moments_add(contract, lane_moments(s, l), x[i + l]);
            s->count[l] = m.count;
            s->mean[l] = m.mean;
            s->square[l] = m.square;
        }
    }
    for (int half = lanes / 2; half > 0; half /= 2) {
        for (int l = 0; l < half; l++) {
            const moments m = moments_merge(lane_moments(s, l), lane_moments(s, l + half));
            s->count[l] = m.count;
            s->mean[l] = m.mean;
            s->square[l] = m.square;
        }
    }
    return lane_moments(s, 0);
}

static moments welford(const fsc__predict_norm *norm, const float *x, fsc__predict_scratch *scratch)
{
    const fsc__contract contract = norm->contract;
    if (norm->order.kind == FSC__ORDER_LANES)
        return welford_lanes(contract, x, norm->cols, norm->order.n, scratch);
    if (norm->order.kind == FSC__ORDER_CHUNK)
        return welford_chunks(contract, x, norm->cols, norm->order.n);
    return welford_run(contract, x, norm->cols);
}

static inline void subtract(const float *restrict x, float m, float *restrict out, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = x[i] - m;
}

static inline void subtract_here(float *x, float m, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] -= m;
}

/* The variance of a row; scratch->deviation becomes x less its mean. */
static float row_variance(const fsc__predict_norm *norm, const float *x,
                          fsc__predict_scratch *scratch)
{
    const int64_t cols = norm->cols;
    const float n = (float)cols;
    float *d = scratch->deviation;
    if (norm->variance == FSC__VARIANCE_WELFORD) {
        const moments m = welford(norm, x, scratch);
        subtract(x, m.mean, d, cols);
        return DIV(m.square, n);
    }
    const float m = DIV(sum_values(norm, x, scratch), n);
    subtract(x, m, d, cols);
    if (norm->variance == FSC__VARIANCE_ONE_PASS)
        return DIV(sum_squares(norm, x, scratch), n) - MUL(m, m);
    if (norm->variance == FSC__VARIANCE_CORRECTED)
        subtract_here(d, DIV(sum_values(norm, d, scratch), n), cols);
    return DIV(sum_squares(norm, d, scratch), n);
}

static void norm_row(const fsc__predict_norm *norm, const float *restrict x, float *restrict out,
                     fsc__predict_scratch *scratch)
{
    const int64_t cols = norm->cols;
    if (!norm->centred) {
        const float square = DIV(sum_squares(norm, x, scratch), (float)cols);
        const float rstd = DIV(1.0f, SQRT(square + norm->eps));
        for (int64_t i = 0; i < cols; i++)
            out[i] = MUL(MUL(x[i], rstd), norm->gamma[i]);
        return;
    }
    const float variance = row_variance(norm, x, scratch);
    const float rstd = DIV(1.0f, SQRT(variance + norm->eps));
    const float *restrict d = scratch->deviation;
    for (int64_t i = 0; i < cols; i++)
        out[i] = MUL(MUL(d[i], rstd), norm->gamma[i]) + norm->beta[i];
}

#endif
