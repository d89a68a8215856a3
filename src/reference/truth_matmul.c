/* Matrix products in double, and the certain bound on sums of products in f32. */
#include "reference/truth_run.h"

#include <math.h>

#include "base/alloc.h"
#include "reference/threads.h"

enum { TILE_ROWS = 32, TILE_COLS = 128, TERMS = 128, TOGETHER = 4 };

/* sum[batch,M,N] = a x b, a as stored, b as [K,N] of each batch. */
typedef struct product {
    fsc__matmul_dims dims;
    const double *a, *b;
    double *sum;
    int64_t row_tiles, col_tiles;
} product;

/* TOGETHER terms on a row of a tile. */
static void add_terms(const double *a, const double *restrict b, int64_t b_term,
                      double *restrict sum, int64_t cols)
{
    const double *restrict b0 = b, *restrict b1 = b + b_term;
    const double *restrict b2 = b1 + b_term, *restrict b3 = b2 + b_term;
    const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    for (int64_t j = 0; j < cols; j++)
        sum[j] = sum[j] + a0 * b0[j] + a1 * b1[j] + a2 * b2[j] + a3 * b3[j];
}

static void add_term(double a, const double *restrict b, double *restrict sum, int64_t cols)
{
    for (int64_t j = 0; j < cols; j++)
        sum[j] += a * b[j];
}

/* Terms [first, last) of a row of a tile. */
static void add_row(const double *a, int64_t a_term, const double *b, int64_t b_term, double *sum,
                    int64_t cols, int64_t first, int64_t last)
{
    int64_t t = first;
    for (; t + TOGETHER <= last; t += TOGETHER) {
        double values[TOGETHER];
        for (int i = 0; i < TOGETHER; i++)
            values[i] = a[(t + i) * a_term];
        add_terms(values, b + t * b_term, b_term, sum, cols);
    }
    for (; t < last; t++)
        add_term(a[t * a_term], b + t * b_term, sum, cols);
}

static fsc_status product_tiles(void *context, int64_t begin, int64_t end)
{
    const product *p = context;
    const fsc__matmul_dims *d = &p->dims;
    const int64_t a_row = d->trans_a ? 1 : d->k, a_term = d->trans_a ? d->m : 1;
    for (int64_t tile = begin; tile < end; tile++) {
        const int64_t row = tile % p->row_tiles * TILE_ROWS;
        const int64_t col = tile / p->row_tiles % p->col_tiles * TILE_COLS;
        const int64_t batch = tile / (p->row_tiles * p->col_tiles);
        const int64_t rows = d->m - row < TILE_ROWS ? d->m - row : TILE_ROWS;
        const int64_t cols = d->n - col < TILE_COLS ? d->n - col : TILE_COLS;
        const double *a = p->a + batch * d->m * d->k + row * a_row;
        const double *b = p->b + (d->shared_b ? 0 : batch * d->k * d->n) + col;
        double *sum = p->sum + (batch * d->m + row) * d->n + col;
        for (int64_t t = 0; t < d->k; t += TERMS) {
            const int64_t last = d->k - t < TERMS ? d->k : t + TERMS;
            for (int64_t i = 0; i < rows; i++)
                add_row(a + i * a_row, a_term, b, d->n, sum + i * d->n, cols, t, last);
        }
    }
    return FSC_OK;
}

static fsc_status multiply(const fsc__matmul_dims *dims, const double *a, const double *b,
                           double *sum, fsc_error *why)
{
    product p = {.dims = *dims, .a = a, .b = b, .sum = sum};
    p.row_tiles = (dims->m - 1) / TILE_ROWS + 1;
    p.col_tiles = (dims->n - 1) / TILE_COLS + 1;
    return fsc__threads_run(dims->batch * p.row_tiles * p.col_tiles, 1, product_tiles, &p, why);
}

/* to: |value| + error of n elements, or the values themselves. */
static void widen(const double *value, const double *error, bool absolute, int64_t n, double *to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = absolute ? fabs(value[i]) + (error ? error[i] : 0.0) : value[i];
}

/* A new array: b as [K,N] of each batch, its values or |values| + error. */
static double *b_array(const fsc__matmul_dims *d, const double *value, const double *error,
                       bool absolute)
{
    const int64_t batches = d->shared_b ? 1 : d->batch, size = d->k * d->n;
    double *to = fsc__alloc((size_t)(batches * size), sizeof *to);
    if (!to || !d->trans_b) {
        if (to)
            widen(value, error, absolute, batches * size, to);
        return to;
    }
    for (int64_t batch = 0; batch < batches; batch++) {
        for (int64_t k = 0; k < d->k; k++) {
            for (int64_t n = 0; n < d->n; n++) {
                const int64_t from = batch * size + n * d->k + k;
                widen(value + from, error ? error + from : NULL, absolute, 1,
                      to + batch * size + k * d->n + n);
            }
        }
    }
    return to;
}

/* out = (|a| + a_error) x (|b| + b_error), errors NULL for none. */
static fsc_status multiply_magnitudes(const fsc__matmul_dims *d, const double *a,
                                      const double *a_error, const double *b, const double *b_error,
                                      double *out, fsc_error *why)
{
    const int64_t a_elems = d->batch * d->m * d->k;
    double *a_wide = fsc__alloc((size_t)a_elems, sizeof *a_wide);
    double *b_wide = b_array(d, b, b_error, true);
    fsc_status status = FSC_OK;
    if (!a_wide || !b_wide)
        FSC_GO(fsc__fail(why, FSC_ERR_MEMORY, "out of memory on the host"));
    widen(a, a_error, true, a_elems, a_wide);
    FSC_GO(multiply(d, a_wide, b_wide, out, why));
done:
    fsc__free(a_wide);
    fsc__free(b_wide);
    return status;
}

/* sums[batch][i] += |element (i, t)| over terms t, elements of a batch at i*step + t*term_step. */
static void add_magnitudes(const double *values, int64_t batches, int64_t count, int64_t step,
                           int64_t terms, int64_t term_step, double *sums)
{
    for (int64_t batch = 0; batch < batches; batch++) {
        const double *from = values + batch * count * terms;
        for (int64_t i = 0; i < count; i++) {
            for (int64_t t = 0; t < terms; t++)
                sums[batch * count + i] += fabs(from[i * step + t * term_step]);
        }
    }
}

/* Adds to error what operands flushed to zero may lose: of each product, the other operand times
   less than the smallest normal value. */
static fsc_status add_flushed(const fsc__matmul_dims *d, const double *a, const double *b,
                              double *error, fsc_error *why)
{
    const int64_t b_batches = d->shared_b ? 1 : d->batch;
    double *rows = fsc__calloc((size_t)(d->batch * d->m), sizeof *rows);
    double *cols = fsc__calloc((size_t)(b_batches * d->n), sizeof *cols);
    const fsc_status status = rows && cols ? FSC_OK : FSC_ERR_MEMORY;
    if (status == FSC_OK) {
        add_magnitudes(a, d->batch, d->m, d->trans_a ? 1 : d->k, d->k, d->trans_a ? d->m : 1, rows);
        add_magnitudes(b, b_batches, d->n, d->trans_b ? d->k : 1, d->k, d->trans_b ? 1 : d->n,
                       cols);
        for (int64_t row = 0; row < d->batch * d->m; row++) {
            const double *sums = cols + (d->shared_b ? 0 : row / d->m * d->n);
            for (int64_t j = 0; j < d->n; j++)
                error[row * d->n + j] += 2.0 * FSC__TRUTH_TINY * (rows[row] + sums[j]);
        }
    }
    fsc__free(rows);
    fsc__free(cols);
    return status == FSC_OK ? FSC_OK : fsc__fail(why, status, "out of memory on the host");
}

static fsc_status matmul_error(const fsc__truth_run *run, const fsc__node *node,
                               const fsc__truth_value *out, fsc_error *why)
{
    const fsc__matmul_dims d = fsc__graph_matmul(run->graph, node);
    const fsc__truth_value *a = &run->values[node->in[0]], *b = &run->values[node->in[1]];
    const double *a_value = fsc__truth_data(&a->value), *a_error = fsc__truth_data(&a->error);
    const double *b_value = fsc__truth_data(&b->value), *b_error = fsc__truth_data(&b->error);
    const double *value = fsc__truth_data(&out->value);
    double *error = fsc__truth_data(&out->error), *exact = NULL;
    const int64_t elems = fsc__shape_elems(&out->value.shape);
    fsc_status status = FSC_OK;
    FSC_GO(multiply_magnitudes(&d, a_value, a_error, b_value, b_error, error, why));
    if (a_error || b_error) {
        exact = fsc__calloc((size_t)elems, sizeof *exact);
        if (!exact)
            FSC_GO(fsc__fail(why, FSC_ERR_MEMORY, "out of memory on the host"));
        FSC_GO(multiply_magnitudes(&d, a_value, NULL, b_value, NULL, exact, why));
    }
    fsc__truth_sum_errors(d.k, value, exact, elems, error);
    FSC_GO(add_flushed(&d, a_value, b_value, error, why));
    for (int64_t i = 0; i < elems; i++)
        error[i] = fsc__truth_stored(run, value[i], error[i]);
done:
    fsc__free(exact);
    return status;
}

fsc_status fsc__truth_matmul(const fsc__truth_run *run, const fsc__node *node,
                             const fsc__truth_value *out, fsc_error *why)
{
    const fsc__matmul_dims dims = fsc__graph_matmul(run->graph, node);
    double *b = b_array(&dims, fsc__truth_data(&run->values[node->in[1]].value), NULL, false);
    if (!b)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory on the host");
    const fsc_status status = multiply(&dims, fsc__truth_data(&run->values[node->in[0]].value), b,
                                       fsc__truth_data(&out->value), why);
    fsc__free(b);
    if (status != FSC_OK || !run->bounds)
        return status;
    return matmul_error(run, node, out, why);
}
