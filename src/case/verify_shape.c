/* Awkward shapes for the cases of verify, pattern by pattern. */
#include "case/verify_shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "graph/chain.h"
#include "graph/conv2d.h"

int64_t fsc__verify_draw(fsc__verify_stream *s, int64_t count)
{
    s->state++;
    return (int64_t)(fsc__hash(&s->state, sizeof s->state, 0) % (uint64_t)count);
}

static int64_t pick(fsc__verify_stream *s, const int64_t *values, size_t count)
{
    return values[fsc__verify_draw(s, (int64_t)count)];
}
#define PICK(s, values) pick((s), (values), sizeof(values) / sizeof *(values))

/* Sizes around a tile edge, primes, and the smallest. */
static int64_t awkward(fsc__verify_stream *s, int64_t edge)
{
    const int64_t sizes[] = {1, 2, 3, 7, edge - 1, edge, edge + 1, 13, 29, 61, 2 * edge + 1};
    const int64_t size = PICK(s, sizes);
    return size < 1 ? 1 : size;
}

static void map_shape(fsc__verify_stream *s, fsc__verify_size size, char *text, size_t bytes)
{
    static const int64_t large[] = {8192, 10007, 16411};
    if (size == FSC__VERIFY_ROWS)
        snprintf(text, bytes, "%dx%" PRId64, FSC__VERIFY_ALONE, awkward(s, 16));
    else if (size == FSC__VERIFY_LARGE)
        snprintf(text, bytes, "3x%" PRId64, PICK(s, large));
    else if (size == FSC__VERIFY_TINY)
        snprintf(text, bytes, "%" PRId64 "x%" PRId64, 1 + fsc__verify_draw(s, 4),
                 1 + fsc__verify_draw(s, 41));
    else if (size == FSC__VERIFY_MEDIUM)
        snprintf(text, bytes, "%" PRId64 "x%" PRId64, 20 + fsc__verify_draw(s, 20),
                 61 + fsc__verify_draw(s, 70));
    else if (fsc__verify_draw(s, 3) == 0)
        snprintf(text, bytes, "%" PRId64 "x%" PRId64 "x%" PRId64, 1 + fsc__verify_draw(s, 3),
                 awkward(s, 8), awkward(s, 16));
    else
        snprintf(text, bytes, "%" PRId64 "x%" PRId64, awkward(s, 16), awkward(s, 64));
}

static void norm_shape(fsc__verify_stream *s, fsc__verify_size size, char *text, size_t bytes)
{
    static const int64_t lengths[] = {1, 2, 3, 7, 63, 64, 65, 255, 256, 257, 509, 768, 1021};
    static const int64_t longest[] = {4099, 32768, 32769, 65536, 65537};
    if (size == FSC__VERIFY_LONG)
        snprintf(text, bytes, "1x%" PRId64, PICK(s, longest));
    else if (size == FSC__VERIFY_ROWS)
        snprintf(text, bytes, "%dx%" PRId64, FSC__VERIFY_ALONE, PICK(s, lengths));
    else if (size == FSC__VERIFY_LARGE)
        snprintf(text, bytes, "%" PRId64 "x%" PRId64, 16 + fsc__verify_draw(s, 16),
                 PICK(s, lengths) + 512);
    else if (size == FSC__VERIFY_TINY)
        snprintf(text, bytes, "%" PRId64 "x%" PRId64, 1 + fsc__verify_draw(s, 3),
                 1 + fsc__verify_draw(s, 83));
    else if (size == FSC__VERIFY_MEDIUM)
        snprintf(text, bytes, "%" PRId64 "x%" PRId64, 5 + fsc__verify_draw(s, 5),
                 PICK(s, lengths) + 257);
    else
        snprintf(text, bytes, "%" PRId64 "x%" PRId64, 1 + fsc__verify_draw(s, 7), PICK(s, lengths));
}

static void matmul_shape(fsc__verify_stream *s, const fsc__verify_case *made, fsc__verify_size size,
                         char *text, size_t bytes)
{
    static const int64_t depths[] = {1, 2, 3, 7, 16, 31, 64, 97, 100, 101, 257};
    static const int64_t longest[] = {4099, 32769, 65536, 65537};
    const fsc__tile *tile = &made->tiles[0];
    int64_t batch =
        fsc__verify_draw(s, 4) == 0 ? 1 + fsc__verify_draw(s, 3) : 0; /* 0: no batch axis */
    int64_t m = awkward(s, tile->rows);
    int64_t n = awkward(s, (int64_t)tile->vectors * tile->width);
    int64_t k = PICK(s, depths);
    if (size == FSC__VERIFY_LONG) {
        m = 1 + fsc__verify_draw(s, 3);
        n = 1 + fsc__verify_draw(s, 5);
        k = PICK(s, longest);
    } else if (size == FSC__VERIFY_ROWS) {
        m = FSC__VERIFY_ALONE;
        batch = 0;
    } else if (size == FSC__VERIFY_LARGE) {
        m = 120 + fsc__verify_draw(s, 20);
        n = 150 + fsc__verify_draw(s, 40);
    } else if (size == FSC__VERIFY_TINY) {
        m = 1 + fsc__verify_draw(s, 7);
        n = 1 + fsc__verify_draw(s, 15);
        k = 1 + fsc__verify_draw(s, 19);
    } else if (size == FSC__VERIFY_MEDIUM) {
        m = 40 + fsc__verify_draw(s, 10);
        n = 50 + fsc__verify_draw(s, 30);
    }
    const bool trans_a = strstr(made->chain, "transA=1") != NULL;
    const bool trans_b = strstr(made->chain, "transB=1") != NULL;
    char head[24] = "", shared[24] = "";
    if (batch > 0) {
        snprintf(head, sizeof head, "%" PRId64 "x", batch);
        if (fsc__verify_draw(s, 2) == 0)
            snprintf(shared, sizeof shared, "%s", head);
    }
    snprintf(text, bytes, "%s%" PRId64 "x%" PRId64 ":%s%" PRId64 "x%" PRId64, head, trans_a ? k : m,
             trans_a ? m : k, shared, trans_b ? n : k, trans_b ? k : n);
}

/* What a convolution of an awkward size is made from; of a group: channels and outputs. */
typedef struct image_sizes {
    int64_t n, channels, outputs, kh, kw, oh, ow;
} image_sizes;

static image_sizes draw_image(fsc__verify_stream *s, const fsc__tile *tile, int64_t groups,
                              fsc__verify_size size)
{
    static const int64_t windows[] = {1, 1, 2, 3, 3, 5, 7};
    static const int64_t longest[] = {4099, 32769, 65536, 65537};
    const int64_t share = groups > 1 ? 4 : 1;
    image_sizes made = {.n = 1 + fsc__verify_draw(s, 3),
                        .channels = fsc__verify_draw(s, 2) == 0 ? 1 : 1 + fsc__verify_draw(s, 12),
                        .outputs = awkward(s, tile->rows) / share + 1,
                        .kh = PICK(s, windows),
                        .kw = PICK(s, windows),
                        .oh = 1 + fsc__verify_draw(s, 5),
                        .ow = awkward(s, (int64_t)tile->vectors * tile->width) / share + 1};
    if (size == FSC__VERIFY_LONG) {
        made.channels = PICK(s, longest) / (made.kh * made.kw) + 1;
        made.n = made.oh = 1;
        made.outputs = 1 + fsc__verify_draw(s, 2);
        made.ow = 1 + fsc__verify_draw(s, 3);
    } else if (size == FSC__VERIFY_ROWS) {
        made.n = FSC__VERIFY_ALONE;
        made.ow = 1 + fsc__verify_draw(s, 7);
    } else if (size == FSC__VERIFY_LARGE) {
        made.n = 1;
        made.channels = 6 + fsc__verify_draw(s, 6);
        made.outputs = (24 + fsc__verify_draw(s, 16)) / share;
        made.oh = made.ow = 20 + fsc__verify_draw(s, 8);
    } else if (size == FSC__VERIFY_TINY) {
        made.n = 1;
        made.channels = made.outputs = 1 + fsc__verify_draw(s, 3);
        made.kh = made.kw = 1 + fsc__verify_draw(s, 3);
        made.oh = made.ow = 1 + fsc__verify_draw(s, 3);
    } else if (size == FSC__VERIFY_MEDIUM) {
        made.n = 1;
        made.outputs = (12 + fsc__verify_draw(s, 6)) / share;
        made.oh = 9 + fsc__verify_draw(s, 6);
        made.ow = 20 + fsc__verify_draw(s, 12);
    }
    return made;
}

/* What an axis of the image has so that there are `result` places for the window, or a few more. */
static int64_t image_axis(fsc__verify_stream *s, int64_t result, int64_t window, int64_t stride,
                          int64_t dilation, int64_t pads)
{
    const int64_t size =
        (result - 1) * stride + dilation * (window - 1) + 1 - pads + fsc__verify_draw(s, stride);
    return size < 1 ? 1 : size;
}

static void conv2d_shape(fsc__verify_stream *s, const fsc__verify_case *made, fsc__verify_size size,
                         char *text, size_t bytes)
{
    fsc__chain chain;
    float attr[FSC__OP_MAX_NUMBERS] = {0};
    if (fsc__chain_parse(made->chain, &chain, NULL) != FSC_OK)
        return;
    for (int i = 0; i < chain.count; i++)
        if (chain.items[i].op->kind == FSC__OP_CONV2D)
            memcpy(attr, chain.items[i].attr, sizeof attr);
    fsc__chain_deinit(&chain);
    const float *stride = attr + FSC__CONV2D_STRIDE, *dilation = attr + FSC__CONV2D_DILATION;
    const float *pads = attr + FSC__CONV2D_PADS;
    const int64_t groups = (int64_t)attr[FSC__CONV2D_GROUPS];
    const image_sizes c = draw_image(s, &made->tiles[0], groups, size);
    const int64_t h = image_axis(s, c.oh, c.kh, (int64_t)stride[0], (int64_t)dilation[0],
                                 (int64_t)(pads[0] + pads[2]));
    const int64_t w = image_axis(s, c.ow, c.kw, (int64_t)stride[1], (int64_t)dilation[1],
                                 (int64_t)(pads[1] + pads[3]));
    const bool last = attr[FSC__CONV2D_LAYOUT] == (float)FSC__LAYOUT_NHWC;
    const int64_t all = groups * c.channels;
    snprintf(text, bytes,
             "%" PRId64 "x%" PRId64 "x%" PRId64 "x%" PRId64 ":%" PRId64 "x%" PRId64 "x%" PRId64
             "x%" PRId64,
             c.n, last ? h : all, last ? w : h, last ? all : w, groups * c.outputs, c.channels,
             c.kh, c.kw);
}

void fsc__verify_shape(fsc__verify_stream *s, fsc__verify_size size, fsc__verify_case *made)
{
    if (made->pattern == FSC__PATTERN_MATMUL)
        matmul_shape(s, made, size, made->shape, sizeof made->shape);
    else if (made->pattern == FSC__PATTERN_CONV2D)
        conv2d_shape(s, made, size, made->shape, sizeof made->shape);
    else if (made->pattern == FSC__PATTERN_NORM)
        norm_shape(s, size, made->shape, sizeof made->shape);
    else
        map_shape(s, size, made->shape, sizeof made->shape);
}
