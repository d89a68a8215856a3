/* Matrix products, tile by tile of the output. */
#include "reference/predict_run.h"

#include "base/alloc.h"
#include "reference/predict_sums.h"
#include "reference/threads.h"

typedef struct job {
    fsc__predict_sums sums;
    fsc__matmul_dims dims;
    const float *a, *b; /* b: [K,N] in each batch */
    float *out;
    int64_t row_tiles, col_tiles;
} job;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Tiles [begin, end), neighbours sharing their columns of b. */
static fsc_status tiles(void *context, int64_t begin, int64_t end)
{
    const job *j = context;
    const fsc__matmul_dims *d = &j->dims;
    float *scratch = fsc__alloc(j->sums.scratch_floats, sizeof *scratch);
    if (!scratch)
        return FSC_ERR_MEMORY;
    for (int64_t at = begin; at < end; at++) {
        const int64_t row = at % j->row_tiles * j->sums.tile_rows;
        const int64_t col = at / j->row_tiles % j->col_tiles * j->sums.tile_cols;
        const int64_t batch = at / (j->row_tiles * j->col_tiles);
        const int64_t a_row = d->trans_a ? 1 : d->k, a_term = d->trans_a ? d->m : 1;
        const fsc__predict_product tile = {
            .rows = least(j->sums.tile_rows, d->m - row),
            .cols = least(j->sums.tile_cols, d->n - col),
            .terms = d->k,
            .a = j->a + batch * d->m * d->k + row * a_row,
            .a_row = a_row,
            .a_term = a_term,
            .b = j->b + (d->shared_b ? 0 : batch * d->k * d->n) + col,
            .b_term = d->n,
            .sum = j->out + (batch * d->m + row) * d->n + col,
            .sum_row = d->n,
        };
        fsc__predict_sums_tile(&j->sums, &tile, scratch);
    }
    fsc__free(scratch);
    return FSC_OK;
}

/* b of one batch from [N,K] to [K,N], or of several. */
typedef struct turn {
    const float *from;
    float *to;
    int64_t n, k;
} turn;

/* Rows [begin, end) of all batches' [K,N]. */
static fsc_status turn_rows(void *context, int64_t begin, int64_t end)
{
    const turn *t = context;
    for (int64_t row = begin; row < end; row++) {
        const float *from = t->from + row / t->k * t->k * t->n + row % t->k;
        float *to = t->to + row * t->n;
        for (int64_t j = 0; j < t->n; j++)
            to[j] = from[j * t->k];
    }
    return FSC_OK;
}

/* *values and *owned: b as [K,N], from b as stored. */
static fsc_status b_turned(const fsc__matmul_dims *d, const float **values, float **owned,
                           fsc_error *why)
{
    const int64_t batches = d->shared_b ? 1 : d->batch;
    turn t = {.from = *values, .n = d->n, .k = d->k};
    t.to = fsc__alloc((size_t)(batches * d->k * d->n), sizeof *t.to);
    if (!t.to)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory on the host");
    const fsc_status status = fsc__threads_run(batches * d->k, 16, turn_rows, &t, why);
    fsc__free(*owned);
    *owned = t.to;
    *values = t.to;
    return status;
}

fsc_status fsc__predict_matmul(const fsc__predict_run *run, const fsc__group *group,
                               fsc_tensor *out, fsc_error *why)
{
    const fsc_graph *graph = run->plan->graph;
    const fsc__node *node = &graph->nodes[group->nodes[group->main]];
    fsc_tensor made = {0};
    float *a_owned = NULL, *b_owned = NULL;
    fsc_status status = FSC_OK;
    job j = {.dims = fsc__graph_matmul(graph, node)};
    j.sums = fsc__predict_sums_of(run, group, j.dims.k);
    j.row_tiles = (j.dims.m - 1) / j.sums.tile_rows + 1;
    j.col_tiles = (j.dims.n - 1) / j.sums.tile_cols + 1;
    FSC_GO(fsc__predict_f32(run, &run->values[node->in[0]], &j.a, &a_owned, why));
    FSC_GO(fsc__predict_f32(run, &run->values[node->in[1]], &j.b, &b_owned, why));
    if (j.dims.trans_b)
        FSC_GO(b_turned(&j.dims, &j.b, &b_owned, why));
    FSC_GO(fsc__tensor_init(&made, FSC_F32, &graph->values[node->out].shape, why));
    j.out = made.data;
    FSC_GO(fsc__threads_run(j.dims.batch * j.row_tiles * j.col_tiles, 1, tiles, &j, why));
    *out = made;
    made = (fsc_tensor){0};
done:
    fsc__tensor_deinit(&made);
    fsc__free(a_owned);
    fsc__free(b_owned);
    return status;
}
