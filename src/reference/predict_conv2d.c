/* Convolutions: blocks of the inputs under the window, gathered for the pixels of the output, times
   the weights of a group of channels. */
#include "reference/predict_run.h"

#include <string.h>

#include "base/alloc.h"
#include "graph/conv2d.h"
#include "reference/predict_sums.h"
#include "reference/threads.h"

enum {
    BLOCK_FLOATS = 1 << 22, /* what long sums may take of the memory, for each thread */
    LEAST_COLS = 16
};

/* The rows of a tile are output channels of a group, its columns pixels of the output, counted over
   all images. */
typedef struct job {
    fsc__predict_sums sums;
    fsc__conv2d_dims dims;
    const float *x, *weights;
    float *out;
    int64_t channels, rows, pixels; /* input and output channels of a group */
    int64_t cols;                   /* of a block */
    int64_t row_tiles, blocks;
} job;

/* Neighbouring pixels of one row of the output, at column `col` of a block. */
typedef struct run_of_pixels {
    int64_t n, y, x, count, col;
} run_of_pixels;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* How many of the places 0, stride, 2*stride .. are before `end`. */
static int64_t places_before(int64_t end, int64_t stride)
{
    return end > 0 ? (end - 1) / stride + 1 : 0;
}

static void copy(const float *restrict from, int64_t step, int64_t count, float *restrict to)
{
    if (step == 1) {
        memcpy(to, from, (size_t)count * sizeof *to);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        to[i] = from[i * step];
}

/* The inputs of a run for one tap of all channels of a group, whose first one is `channel`: a row
   of the block each, from `to` on, `rows` apart. */
static void gather_tap(const job *j, const run_of_pixels *run, int64_t channel, int64_t ky,
                       int64_t kx, float *to, int64_t rows)
{
    const fsc__conv2d_dims *d = &j->dims;
    const bool last = d->layout == FSC__LAYOUT_NHWC;
    const int64_t y = run->y * d->stride_h + ky * d->dilation_h - d->top;
    const int64_t edge = d->left - kx * d->dilation_w; /* inputs of the tap before the image */
    const int64_t end = run->x + run->count;
    const bool inside = y >= 0 && y < d->h;
    const int64_t before = places_before(edge, d->stride_w);
    const int64_t until = inside ? places_before(edge + d->w, d->stride_w) : 0;
    const int64_t begin = before < run->x ? run->x : least(before, end);
    const int64_t stop = until < begin ? begin : least(until, end);
    const int64_t x = begin * d->stride_w - edge;
    const int64_t step = last ? d->c : 1, plane = last ? 1 : d->h * d->w;
    const int64_t image = run->n * d->c * d->h * d->w;
    for (int64_t c = 0; c < j->channels; c++) {
        float *row = to + c * rows;
        memset(row, 0, (size_t)(begin - run->x) * sizeof *row);
        if (stop > begin)
            copy(j->x + image + (y * d->w + x) * step + (channel + c) * plane, d->stride_w * step,
                 stop - begin, row + (begin - run->x));
        memset(row + (stop - run->x), 0, (size_t)(end - stop) * sizeof *row);
    }
}

/* block[t][i]: the input of term t for pixel first + i. */
static void gather(const job *j, int64_t group, int64_t first, int64_t cols, float *block)
{
    const fsc__conv2d_dims *d = &j->dims;
    const int64_t taps = d->kh * d->kw;
    run_of_pixels run = {.count = 0};
    for (int64_t at = first; at < first + cols; at += run.count) {
        run.n = at / (d->oh * d->ow);
        run.y = at / d->ow % d->oh;
        run.x = at % d->ow;
        run.count = least(d->ow - run.x, first + cols - at);
        run.col = at - first;
        for (int64_t tap = 0; tap < taps; tap++)
            gather_tap(j, &run, group * j->channels, tap / d->kw, tap % d->kw,
                       block + tap * j->cols + run.col, taps * j->cols);
    }
}

/* Sums of output channels from `channel` on, for pixels from `first` on, to their places. */
static void place_sums(const job *j, const fsc__predict_product *tile, int64_t channel,
                       int64_t first)
{
    const fsc__conv2d_dims *d = &j->dims;
    const int64_t of_image = d->oh * d->ow;
    for (int64_t i = 0; i < tile->rows; i++) {
        const float *sums = tile->sum + i * tile->sum_row;
        if (d->layout == FSC__LAYOUT_NHWC) {
            for (int64_t col = 0; col < tile->cols; col++)
                j->out[(first + col) * d->oc + channel + i] = sums[col];
            continue;
        }
        int64_t count;
        for (int64_t col = 0; col < tile->cols; col += count) {
            const int64_t n = (first + col) / of_image, pixel = (first + col) % of_image;
            count = least(of_image - pixel, tile->cols - col);
            memcpy(j->out + (n * d->oc + channel + i) * of_image + pixel, sums + col,
                   (size_t)count * sizeof *sums);
        }
    }
}

/* Tiles [begin, end), neighbours sharing their block. */
static fsc_status tiles(void *context, int64_t begin, int64_t end)
{
    const job *j = context;
    const int64_t terms = j->dims.terms;
    const size_t block_floats = (size_t)(terms * j->cols);
    const size_t tile_floats = (size_t)(j->sums.tile_rows * j->cols);
    float *block = fsc__alloc(block_floats + tile_floats + j->sums.scratch_floats, sizeof *block);
    if (!block)
        return FSC_ERR_MEMORY;
    int64_t gathered = -1;
    for (int64_t at = begin; at < end; at++) {
        const int64_t row = at % j->row_tiles * j->sums.tile_rows;
        const int64_t group = at / j->row_tiles / j->blocks;
        const int64_t first = at / j->row_tiles % j->blocks * j->cols;
        const int64_t channel = group * j->rows + row;
        const fsc__predict_product tile = {
            .rows = least(j->sums.tile_rows, j->rows - row),
            .cols = least(j->cols, j->pixels - first),
            .terms = terms,
            .a = j->weights + channel * terms,
            .a_row = terms,
            .a_term = 1,
            .b = block,
            .b_term = j->cols,
            .sum = block + block_floats,
            .sum_row = j->cols,
        };
        if (at / j->row_tiles != gathered)
            gather(j, group, first, tile.cols, block);
        gathered = at / j->row_tiles;
        memset(tile.sum, 0, tile_floats * sizeof *tile.sum);
        fsc__predict_sums_tile(&j->sums, &tile, tile.sum + tile_floats);
        place_sums(j, &tile, channel, first);
    }
    fsc__free(block);
    return FSC_OK;
}

static void job_tiling(job *j)
{
    const fsc__conv2d_dims *d = &j->dims;
    const int64_t fit = BLOCK_FLOATS / d->terms;
    j->channels = d->c / d->groups;
    j->rows = d->oc / d->groups;
    j->pixels = d->n * d->oh * d->ow;
    j->cols = least(j->sums.tile_cols, j->pixels);
    if (fit < j->cols)
        j->cols = least(j->cols, fit < LEAST_COLS ? LEAST_COLS : fit);
    j->row_tiles = (j->rows - 1) / j->sums.tile_rows + 1;
    j->blocks = (j->pixels - 1) / j->cols + 1;
}

fsc_status fsc__predict_conv2d(const fsc__predict_run *run, const fsc__group *group,
                               fsc_tensor *out, fsc_error *why)
{
    const fsc_graph *graph = run->plan->graph;
    const fsc__node *node = &graph->nodes[group->nodes[group->main]];
    fsc_tensor made = {0};
    float *x_owned = NULL, *weights_owned = NULL;
    fsc_status status = FSC_OK;
    job j = {.dims = fsc__graph_conv2d(graph, node)};
    j.sums = fsc__predict_sums_of(run, group, j.dims.terms);
    job_tiling(&j);
    FSC_GO(fsc__predict_f32(run, &run->values[node->in[0]], &j.x, &x_owned, why));
    FSC_GO(fsc__predict_f32(run, &run->values[node->in[1]], &j.weights, &weights_owned, why));
    FSC_GO(fsc__tensor_init(&made, FSC_F32, &graph->values[node->out].shape, why));
    j.out = made.data;
    FSC_GO(fsc__threads_run(j.dims.groups * j.blocks * j.row_tiles, 1, tiles, &j, why));
    *out = made;
    made = (fsc_tensor){0};
done:
    fsc__tensor_deinit(&made);
    fsc__free(x_owned);
    fsc__free(weights_owned);
    return status;
}
