/* Sums of products in the group's order, tile by tile of the output. */
#include "reference/predict_run.h"

#include <string.h>

#include "base/alloc.h"
#include "reference/threads.h"

enum {
    TERMS = 256,     /* terms of one pass over a sequential tile: b's part stays in the cache */
    TILE_ROWS = 64,  /* sequential */
    CHUNK_ROWS = 16, /* the tile of a run stays in the first cache */
    LANE_ROWS = 4,   /* all lanes of a tile stay in the second cache */
    LANE_FLOATS = 1 << 16,
    TILE_COLS = 256,
    LEAST_COLS = 16
};

/* out[i][j] of tile (row, col) += products, per order. */
typedef struct job job;
typedef void tile_sums(const job *j, fsc__predict_product *tile, float *scratch);

struct job {
    const fsc__predict_loops *loops;
    fsc__matmul_dims dims;
    fsc__order order;
    fsc__contract contract;
    const float *a, *b; /* b: [K,N] in each batch */
    float *out;
    int64_t tile_rows, tile_cols, row_tiles, col_tiles;
    size_t scratch_floats;
    tile_sums *sums;
};

/* The part of tile that starts at term first, steps by step terms and has count of them. */
static fsc__predict_product part(const fsc__predict_product *tile, int64_t first, int64_t step,
                                 int64_t count)
{
    fsc__predict_product p = *tile;
    p.a += first * tile->a_term;
    p.b += first * tile->b_term;
    p.a_term *= step;
    p.b_term *= step;
    p.terms = count;
    return p;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void sums_sequential(const job *j, fsc__predict_product *tile, float *scratch)
{
    (void)scratch;
    for (int64_t t = 0; t < tile->terms; t += TERMS) {
        const fsc__predict_product p = part(tile, t, 1, least(TERMS, tile->terms - t));
        j->loops->products(&p, j->contract);
    }
}

static void sums_in_lanes(const job *j, fsc__predict_product *tile, float *scratch)
{
    const int lanes = j->order.n;
    const int64_t size = tile->rows * tile->cols;
    memset(scratch, 0, (size_t)(lanes * size) * sizeof *scratch);
    for (int64_t l = 0; l < least(lanes, tile->terms); l++) {
        fsc__predict_product p = part(tile, l, lanes, (tile->terms - l - 1) / lanes + 1);
        p.sum = scratch + l * size;
        p.sum_row = tile->cols;
        j->loops->products(&p, j->contract);
    }
    for (int64_t s = lanes / 2; s > 0; s /= 2)
        j->loops->add(scratch, scratch + s * size, s * size);
    for (int64_t i = 0; i < tile->rows; i++)
        memcpy(tile->sum + i * tile->sum_row, scratch + i * tile->cols,
               (size_t)tile->cols * sizeof *scratch);
}

static void sums_in_chunks(const job *j, fsc__predict_product *tile, float *scratch)
{
    const int64_t size = tile->rows * tile->cols;
    for (int64_t t = 0; t < tile->terms; t += j->order.n) {
        fsc__predict_product p = part(tile, t, 1, least(j->order.n, tile->terms - t));
        p.sum = scratch;
        p.sum_row = tile->cols;
        memset(scratch, 0, (size_t)size * sizeof *scratch);
        j->loops->products(&p, j->contract);
        for (int64_t i = 0; i < tile->rows; i++)
            j->loops->add(tile->sum + i * tile->sum_row, scratch + i * tile->cols, tile->cols);
    }
}

/* Tiles [begin, end), neighbours sharing their columns of b. */
static fsc_status tiles(void *context, int64_t begin, int64_t end)
{
    const job *j = context;
    const fsc__matmul_dims *d = &j->dims;
    float *scratch = fsc__alloc(j->scratch_floats, sizeof *scratch);
    if (!scratch)
        return FSC_ERR_MEMORY;
    for (int64_t at = begin; at < end; at++) {
        const int64_t row = at % j->row_tiles * j->tile_rows;
        const int64_t col = at / j->row_tiles % j->col_tiles * j->tile_cols;
        const int64_t batch = at / (j->row_tiles * j->col_tiles);
        const int64_t a_row = d->trans_a ? 1 : d->k, a_term = d->trans_a ? d->m : 1;
        fsc__predict_product tile = {
            .rows = least(j->tile_rows, d->m - row),
            .cols = least(j->tile_cols, d->n - col),
            .terms = d->k,
            .a = j->a + batch * d->m * d->k + row * a_row,
            .a_row = a_row,
            .a_term = a_term,
            .b = j->b + (d->shared_b ? 0 : batch * d->k * d->n) + col,
            .b_term = d->n,
            .sum = j->out + (batch * d->m + row) * d->n + col,
            .sum_row = d->n,
        };
        j->sums(j, &tile, scratch);
    }
    fsc__free(scratch);
    return FSC_OK;
}

static void job_tiling(job *j)
{
    j->tile_cols = TILE_COLS;
    if (j->order.kind == FSC__ORDER_LANES) {
        j->sums = sums_in_lanes;
        /* Lanes of few terms gain nothing from rows that share loads of b. */
        j->tile_rows = j->dims.k / j->order.n < LANE_ROWS ? 1 : LANE_ROWS;
        const int64_t fit = LANE_FLOATS / (j->tile_rows * j->order.n);
        j->tile_cols = fit < LEAST_COLS ? LEAST_COLS : least(fit, TILE_COLS);
        j->scratch_floats = (size_t)(j->order.n * j->tile_rows * j->tile_cols);
    } else if (j->order.kind == FSC__ORDER_CHUNK) {
        j->sums = sums_in_chunks;
        j->tile_rows = CHUNK_ROWS;
        j->scratch_floats = (size_t)(j->tile_rows * j->tile_cols);
    } else {
        j->sums = sums_sequential;
        j->tile_rows = TILE_ROWS;
        j->scratch_floats = 0;
    }
    j->row_tiles = (j->dims.m - 1) / j->tile_rows + 1;
    j->col_tiles = (j->dims.n - 1) / j->tile_cols + 1;
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
    job j = {
        .loops = run->loops,
        .dims = fsc__graph_matmul(graph, node),
        .order = fsc__plan_order(run->plan, group),
        .contract = run->plan->mode.contract,
    };
    FSC_GO(fsc__predict_f32(run, &run->values[node->in[0]], &j.a, &a_owned, why));
    FSC_GO(fsc__predict_f32(run, &run->values[node->in[1]], &j.b, &b_owned, why));
    if (j.dims.trans_b)
        FSC_GO(b_turned(&j.dims, &j.b, &b_owned, why));
    FSC_GO(fsc__tensor_init(&made, FSC_F32, &graph->values[node->out].shape, why));
    j.out = made.data;
    job_tiling(&j);
    FSC_GO(fsc__threads_run(j.dims.batch * j.row_tiles * j.col_tiles, 1, tiles, &j, why));
    *out = made;
    made = (fsc_tensor){0};
done:
    fsc__tensor_deinit(&made);
    fsc__free(a_owned);
    fsc__free(b_owned);
    return status;
}
