/* layernorm and rmsnorm in double, and a certain bound on what f32 arithmetic may make of a row.

   u = 2^-24, n elements x, true mean m and deviations d = x - m, sum of d zero. "mean" is the mean
   over the row of what follows it.
   - Operands that are off by e(i) <= E(i) shift all deviations by at most mean(E), and each by at
     most E(i).
   - A sum of n terms t in any order, then a division: off by at most g mean|t|, g = 2(n+20)u, which
     is also more than Welford's running mean loses (step j adds u(|mean| + 3|delta|/j), damped by
     j/n; the sum of those is below u(n + 3(2 + ln n)) mean|x|).
   - So a computed deviation is off by a shift common to the row, at most
       two_pass, one_pass, welford: s = mean(E) + g mean(|x|+E)
       corrected: the second mean takes the first one's error away and has only
       s = mean(E) + g mean(|d| + s1), s1 the two_pass shift
     and by r(i) = E(i) + 3u(|d(i)| + s1) of its own.
   - The mean of squares of d + s + r is off by at most 2 mean(|d| r) + mean(r^2) + 2 s mean(r) +
     s^2, since mean(d) = 0, and its sum by another g of it.
   - one_pass: var = mean(x^2) - m^2 loses g mean((|x|+E)^2) and 2|m| s + s^2 + 4u m^2.
   - welford: with q = g (mean(|x|+E) + largest(|x|+E)) on each running mean, and a mean |delta| of
     at most 3 sqrt(var): 12 sqrt(var) q + 4 q^2 + 2 g var.
   - rstd = 1/sqrt(var+eps) is then evaluated at both ends, and adds 4u of itself.
   - y = (d rstd) gamma + beta: three roundings of the product, one of y. */
#include "reference/truth_run.h"

#include <math.h>

#include "base/alloc.h"
#include "reference/threads.h"

typedef struct job {
    const fsc__truth_run *run;
    fsc__norm_dims dims;
    fsc__variance variance;
    const double *x, *x_error;
    const double *gamma, *gamma_error, *beta, *beta_error; /* beta NULL for rmsnorm */
    double *out, *error;
} job;

/* A row in double. */
typedef struct row {
    const double *x, *x_error; /* x_error NULL: exact */
    double mean, variance;     /* rmsnorm: 0 and the mean of squares */
} row;

static double at(const double *values, int64_t index)
{
    return values ? values[index] : 0.0;
}

static row row_of(const job *j, int64_t index)
{
    const int64_t n = j->dims.cols;
    row r = {.x = j->x + index * n, .x_error = j->x_error ? j->x_error + index * n : NULL};
    double sum = 0.0, rest = 0.0, squares = 0.0;
    if (j->dims.centred) {
        for (int64_t i = 0; i < n; i++)
            sum += r.x[i];
        const double mean = sum / (double)n;
        for (int64_t i = 0; i < n; i++)
            rest += r.x[i] - mean;
        r.mean = mean + rest / (double)n;
    }
    for (int64_t i = 0; i < n; i++)
        squares += (r.x[i] - r.mean) * (r.x[i] - r.mean);
    r.variance = squares / (double)n;
    return r;
}

/* How far the computed variance and deviations may be off; see the top of this file. */
typedef struct loss {
    double variance;
    double shift, first_shift; /* s and s1 */
} loss;

/* Means over a row that the bounds are made of. */
typedef struct averages {
    double error;              /* E */
    double size, size_squared; /* |x| + E and its square */
    double largest;            /* |x| + E */
    double deviation;          /* |d| */
} averages;

static averages row_averages(const row *r, int64_t n)
{
    averages a = {0};
    for (int64_t i = 0; i < n; i++) {
        const double error = at(r->x_error, i), size = fabs(r->x[i]) + error;
        a.error += error / (double)n;
        a.size += size / (double)n;
        a.size_squared += size * size / (double)n;
        a.largest = fmax(a.largest, size);
        a.deviation += fabs(r->x[i] - r->mean) / (double)n;
    }
    return a;
}

/* r(i) */
static double own_error(const row *r, const loss *l, int64_t i)
{
    return at(r->x_error, i) + 3.0 * FSC__TRUTH_UNIT * (fabs(r->x[i] - r->mean) + l->first_shift) +
           FSC__TRUTH_TINY;
}

static loss row_loss(const job *j, const row *r)
{
    const int64_t n = j->dims.cols;
    const double g = 2.0 * ((double)n + 20.0) * FSC__TRUTH_UNIT;
    const averages a = row_averages(r, n);
    loss l = {0};
    if (j->dims.centred) {
        l.first_shift = a.error + g * a.size;
        l.shift = j->variance == FSC__VARIANCE_CORRECTED
                      ? a.error + g * (a.deviation + l.first_shift)
                      : l.first_shift;
    }
    double cross = 0.0, squares = 0.0, own = 0.0;
    for (int64_t i = 0; i < n; i++) {
        const double e = own_error(r, &l, i);
        cross += 2.0 * fabs(r->x[i] - r->mean) * e / (double)n;
        squares += e * e / (double)n;
        own += e / (double)n;
    }
    const double carried = cross + squares + 2.0 * l.shift * own + l.shift * l.shift;
    l.variance = carried + g * (r->variance + carried) + 2.0 * FSC__TRUTH_TINY;
    if (j->dims.centred && j->variance == FSC__VARIANCE_ONE_PASS)
        l.variance += g * a.size_squared + 2.0 * fabs(r->mean) * l.shift + l.shift * l.shift +
                      4.0 * FSC__TRUTH_UNIT * r->mean * r->mean;
    if (j->dims.centred && j->variance == FSC__VARIANCE_WELFORD) {
        const double q = g * (a.size + a.largest) + a.error;
        l.variance += 12.0 * sqrt(r->variance) * q + 4.0 * q * q + 2.0 * g * r->variance;
    }
    if (!((double)n * a.size_squared * 1.01 <= fsc__dtype_max(FSC_F32)))
        l.variance = INFINITY;
    return l;
}

/* The error of rstd. A sum of squares is never below zero; one_pass may be. */
static double rstd_error(const job *j, const row *r, const loss *l)
{
    const double eps = (double)j->dims.eps, rstd = 1.0 / sqrt(r->variance + eps);
    const bool squares = !j->dims.centred || j->variance != FSC__VARIANCE_ONE_PASS;
    double low = r->variance - l->variance;
    if (squares && low < 0.0)
        low = 0.0;
    if (!(low + eps > 0.0) || !isfinite(l->variance))
        return INFINITY;
    const double high = 1.0 / sqrt(low + eps);
    return high - 1.0 / sqrt(r->variance + l->variance + eps) +
           4.0 * FSC__TRUTH_UNIT * fmax(high, rstd);
}

static void row_errors(const job *j, const row *r, double rstd, const double *out, double *error)
{
    const loss l = row_loss(j, r);
    const double scale_error = rstd_error(j, r, &l), scale = rstd + scale_error;
    const double u = FSC__TRUTH_UNIT;
    for (int64_t i = 0; i < j->dims.cols; i++) {
        const double d = fabs(r->x[i] - r->mean);
        const double d_error = own_error(r, &l, i) + l.shift;
        const double gamma = fabs(j->gamma[i]), gamma_error = at(j->gamma_error, i);
        const double product = (d + d_error) * scale * (gamma + gamma_error);
        double e = gamma * (d_error * rstd + (d + d_error) * scale_error);
        e += gamma_error * (d + d_error) * scale + at(j->beta_error, i);
        e += 3.0 * u * product + FSC__TRUTH_TINY * (1.0 + gamma);
        e += u * (fabs(out[i]) + e) + fabs(out[i]) * 0x1p-44;
        const bool sure = isfinite(out[i]) && product <= fsc__dtype_max(FSC_F32) &&
                          scale <= fsc__dtype_max(FSC_F32);
        error[i] = sure ? fsc__truth_stored(j->run, out[i], e) : (double)INFINITY;
    }
}

static fsc_status norm_rows(void *context, int64_t begin, int64_t end)
{
    const job *j = context;
    const int64_t n = j->dims.cols;
    for (int64_t index = begin; index < end; index++) {
        const row r = row_of(j, index);
        const double rstd = 1.0 / sqrt(r.variance + (double)j->dims.eps);
        double *out = j->out + index * n;
        for (int64_t i = 0; i < n; i++)
            out[i] = (r.x[i] - r.mean) * rstd * j->gamma[i] + at(j->beta, i);
        if (j->error)
            row_errors(j, &r, rstd, out, j->error + index * n);
    }
    return FSC_OK;
}

fsc_status fsc__truth_norm(const fsc__truth_run *run, const fsc__node *node,
                           const fsc__truth_value *out, fsc_error *why)
{
    const fsc__norm_dims dims = fsc__graph_norm(run->graph, node);
    const fsc__truth_value *x = &run->values[node->in[0]], *gamma = &run->values[dims.gamma];
    job j = {
        .run = run,
        .dims = dims,
        .variance = run->mode->variance,
        .x = fsc__truth_data(&x->value),
        .x_error = fsc__truth_data(&x->error),
        .gamma = fsc__truth_data(&gamma->value),
        .gamma_error = fsc__truth_data(&gamma->error),
        .out = fsc__truth_data(&out->value),
        .error = fsc__truth_data(&out->error),
    };
    if (dims.beta >= 0) {
        j.beta = fsc__truth_data(&run->values[dims.beta].value);
        j.beta_error = fsc__truth_data(&run->values[dims.beta].error);
    }
    return fsc__threads_run(dims.rows, 1 + 1024 / dims.cols, norm_rows, &j, why);
}
