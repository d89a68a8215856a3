/* Convolutions of random sizes, and the terms of an output's sum, for tests of the reference. */
#ifndef FSC_TESTS_CONV2D_FIXTURE_H
#define FSC_TESTS_CONV2D_FIXTURE_H

#include "reference_fixture.h"

#include <stdio.h>

#include "graph/conv2d.h"

typedef struct conv_sizes {
    int n, groups, channels, outputs; /* channels and outputs of a group */
    int h, w, kh, kw;
    int stride[2], pads[4], dilation[2];
} conv_sizes;

static inline int draw(uint64_t *state, int low, int high)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (int)((*state >> 33) % (uint64_t)(high - low + 1));
}

/* The window of a random convolution lies within the image and its pads. */
static inline conv_sizes conv_random(uint64_t seed)
{
    uint64_t state = seed * 2 + 1;
    conv_sizes c = {0};
    for (int i = 0; i < 8; i++)
        draw(&state, 0, 1);
    c.n = draw(&state, 1, 3);
    c.groups = draw(&state, 0, 2) > 0 ? 1 : draw(&state, 2, 9);
    c.channels = draw(&state, 0, 2) > 0 ? draw(&state, 1, 9) : 1;
    c.outputs = draw(&state, 0, 2) > 0 ? draw(&state, 1, 11) : 1;
    c.kh = draw(&state, 1, 7);
    c.kw = draw(&state, 1, 7);
    for (int i = 0; i < 2; i++) {
        c.stride[i] = draw(&state, 1, 3);
        c.dilation[i] = draw(&state, 0, 1) ? 1 : draw(&state, 1, 3);
    }
    for (int i = 0; i < 4; i++)
        c.pads[i] = draw(&state, 0, 1) ? 0 : draw(&state, 0, 4);
    const int reach_h = c.dilation[0] * (c.kh - 1) + 1 - c.pads[0] - c.pads[2];
    const int reach_w = c.dilation[1] * (c.kw - 1) + 1 - c.pads[1] - c.pads[3];
    c.h = (reach_h > 1 ? reach_h : 1) + draw(&state, 0, 7);
    c.w = (reach_w > 1 ? reach_w : 1) + draw(&state, 0, 23);
    return c;
}

enum { CONV_TEXT = 160 };

static inline void conv_write(const conv_sizes *c, const char *layout, char chain[CONV_TEXT],
                              char shape[CONV_TEXT])
{
    const int all = c->groups * c->channels;
    snprintf(chain, CONV_TEXT,
             "conv2d(stride=%d:%d,pads=%d:%d:%d:%d,dilation=%d:%d,groups=%d,layout=%s)",
             c->stride[0], c->stride[1], c->pads[0], c->pads[1], c->pads[2], c->pads[3],
             c->dilation[0], c->dilation[1], c->groups, layout);
    char image[CONV_TEXT / 2];
    if (strcmp(layout, "nhwc") == 0)
        snprintf(image, sizeof image, "%dx%dx%dx%d", c->n, c->h, c->w, all);
    else
        snprintf(image, sizeof image, "%dx%dx%dx%d", c->n, all, c->h, c->w);
    snprintf(shape, CONV_TEXT, "%s:%dx%dx%dx%d", image, c->groups * c->outputs, c->channels, c->kh,
             c->kw);
}

/* Image, channel, row and column of element i of a tensor of images. */
typedef struct place {
    int64_t n, channel, y, x;
} place;

static inline place place_of(const fsc__shape *shape, fsc__layout layout, int64_t i)
{
    int64_t at[4];
    for (int axis = 3; axis >= 0; axis--) {
        at[axis] = i % shape->dims[axis];
        i /= shape->dims[axis];
    }
    if (layout == FSC__LAYOUT_NHWC)
        return (place){at[0], at[3], at[1], at[2]};
    return (place){at[0], at[1], at[2], at[3]};
}

static inline double pixel(const fsc_tensor *image, fsc__layout layout, place p)
{
    const int64_t *size = image->shape.dims;
    const bool last = layout == FSC__LAYOUT_NHWC;
    if (p.y < 0 || p.x < 0 || p.y >= size[last ? 1 : 2] || p.x >= size[last ? 2 : 3])
        return 0.0;
    return element(image, last ? ((p.n * size[1] + p.y) * size[2] + p.x) * size[3] + p.channel
                               : ((p.n * size[1] + p.channel) * size[2] + p.y) * size[3] + p.x);
}

/* The factors of term t of the output at p. */
static inline void conv_term(const fsc__conv2d_dims *d, const fsc_tensor *x,
                             const fsc_tensor *weights, place p, int64_t t, double *a, double *b)
{
    const int64_t ky = t / d->kw % d->kh, kx = t % d->kw;
    const int64_t per_group = weights->shape.dims[1];
    const int64_t group = p.channel * d->groups / d->oc;
    *a = element(weights, p.channel * d->terms + t);
    *b = pixel(x, d->layout,
               (place){p.n, group * per_group + t / (d->kh * d->kw),
                       p.y * d->stride_h + ky * d->dilation_h - d->top,
                       p.x * d->stride_w + kx * d->dilation_w - d->left});
}

/* The same images with the other layout, freed by the caller. */
static inline fsc_tensor conv_turned(const fsc_tensor *image, fsc__layout layout)
{
    const int64_t *size = image->shape.dims;
    const bool last = layout == FSC__LAYOUT_NHWC;
    const fsc__layout other = last ? FSC__LAYOUT_NCHW : FSC__LAYOUT_NHWC;
    fsc__shape shape = {.rank = 4, .dims = {size[0], size[2], size[3], size[1]}};
    if (last)
        shape = (fsc__shape){.rank = 4, .dims = {size[0], size[3], size[1], size[2]}};
    fsc_tensor turned;
    fsc_error why;
    ck_status_ok(fsc__tensor_init(&turned, image->type, &shape, &why), &why);
    const size_t bytes = fsc__dtype_bytes(image->type);
    for (int64_t i = 0; i < fsc__shape_elems(&shape); i++) {
        const place p = place_of(&shape, other, i);
        const int64_t from = last ? ((p.n * size[1] + p.y) * size[2] + p.x) * size[3] + p.channel
                                  : ((p.n * size[1] + p.channel) * size[2] + p.y) * size[3] + p.x;
        memcpy((char *)turned.data + (size_t)i * bytes, (char *)image->data + (size_t)from * bytes,
               bytes);
    }
    return turned;
}

#endif
