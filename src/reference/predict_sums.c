/* Tiles of sums of products, added up in the order of a group. */
#include "reference/predict_sums.h"

#include <string.h>

enum {
    TERMS = 256,     /* terms of one pass over a sequential tile: b's part stays in the cache */
    TILE_ROWS = 64,  /* sequential */
    CHUNK_ROWS = 16, /* the tile of a run stays in the first cache */
    LANE_ROWS = 4,   /* all lanes of a tile stay in the second cache */
    LANE_FLOATS = 1 << 16,
    TILE_COLS = 256,
    LEAST_COLS = 16
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

static void sequential(const fsc__predict_sums *s, const fsc__predict_product *tile)
{
    for (int64_t t = 0; t < tile->terms; t += TERMS) {
        const fsc__predict_product p = part(tile, t, 1, least(TERMS, tile->terms - t));
        s->loops->products(&p, s->contract);
    }
}

static void in_lanes(const fsc__predict_sums *s, const fsc__predict_product *tile, float *scratch)
{
    const int lanes = s->order.n;
    const int64_t size = tile->rows * tile->cols;
    memset(scratch, 0, (size_t)(lanes * size) * sizeof *scratch);
    for (int64_t l = 0; l < least(lanes, tile->terms); l++) {
        fsc__predict_product p = part(tile, l, lanes, (tile->terms - l - 1) / lanes + 1);
        p.sum = scratch + l * size;
        p.sum_row = tile->cols;
        s->loops->products(&p, s->contract);
    }
    for (int64_t half = lanes / 2; half > 0; half /= 2)
        s->loops->add(scratch, scratch + half * size, half * size);
    for (int64_t i = 0; i < tile->rows; i++)
        memcpy(tile->sum + i * tile->sum_row, scratch + i * tile->cols,
               (size_t)tile->cols * sizeof *scratch);
}

static void in_chunks(const fsc__predict_sums *s, const fsc__predict_product *tile, float *scratch)
{
    const int64_t size = tile->rows * tile->cols;
    for (int64_t t = 0; t < tile->terms; t += s->order.n) {
        fsc__predict_product p = part(tile, t, 1, least(s->order.n, tile->terms - t));
        p.sum = scratch;
        p.sum_row = tile->cols;
        memset(scratch, 0, (size_t)size * sizeof *scratch);
        s->loops->products(&p, s->contract);
        for (int64_t i = 0; i < tile->rows; i++)
            s->loops->add(tile->sum + i * tile->sum_row, scratch + i * tile->cols, tile->cols);
    }
}

fsc__predict_sums fsc__predict_sums_of(const fsc__predict_run *run, const fsc__group *group,
                                       int64_t terms)
{
    fsc__predict_sums s = {
        .loops = run->loops,
        .order = fsc__plan_order(run->plan, group),
        .contract = run->plan->mode.contract,
        .tile_rows = TILE_ROWS,
        .tile_cols = TILE_COLS,
    };
    if (s.order.kind == FSC__ORDER_LANES) {
        /* Lanes of few terms gain nothing from rows that share loads of b. */
        s.tile_rows = terms / s.order.n < LANE_ROWS ? 1 : LANE_ROWS;
        const int64_t fit = LANE_FLOATS / (s.tile_rows * s.order.n);
        s.tile_cols = fit < LEAST_COLS ? LEAST_COLS : least(fit, TILE_COLS);
        s.scratch_floats = (size_t)(s.order.n * s.tile_rows * s.tile_cols);
    } else if (s.order.kind == FSC__ORDER_CHUNK) {
        s.tile_rows = CHUNK_ROWS;
        s.scratch_floats = (size_t)(s.tile_rows * s.tile_cols);
    }
    return s;
}

void fsc__predict_sums_tile(const fsc__predict_sums *sums, const fsc__predict_product *tile,
                            float *scratch)
{
    if (sums->order.kind == FSC__ORDER_LANES)
        in_lanes(sums, tile, scratch);
    else if (sums->order.kind == FSC__ORDER_CHUNK)
        in_chunks(sums, tile, scratch);
    else
        sequential(sums, tile);
}
