/* conv2d: its sizes and the shape that it makes. */
#include "graph/conv2d.h"

#include <stdio.h>

/* One of the two axes that the window moves along. */
typedef struct sliding {
    const char *name;
    int64_t size, window, stride, dilation, before, after;
} sliding;

static fsc_status slide(const sliding *s, int64_t *places, fsc_error *why)
{
    const int64_t padded = s->before + s->size + s->after;
    const int64_t reach = s->dilation * (s->window - 1) + 1;
    if (reach > padded)
        FSC_FAIL(why, FSC_ERR_INPUT,
                 "the window reaches over %lld of %s, but with pads there are %lld",
                 (long long)reach, s->name, (long long)padded);
    *places = (padded - reach) / s->stride + 1;
    return FSC_OK;
}

static fsc_status check_channels(const fsc__conv2d_dims *d, int64_t channels_of_group,
                                 fsc_error *why)
{
    if (d->c % d->groups != 0 || d->oc % d->groups != 0)
        FSC_FAIL(why, FSC_ERR_INPUT,
                 "groups=%lld must divide the %lld input and the %lld output channels",
                 (long long)d->groups, (long long)d->c, (long long)d->oc);
    if (channels_of_group != d->c / d->groups)
        FSC_FAIL(why, FSC_ERR_INPUT,
                 "weights are [O,I/groups,KH,KW] with I/groups = %lld, here %lld; the layout of x "
                 "is %s with %lld channels in %lld group%s",
                 (long long)(d->c / d->groups), (long long)channels_of_group,
                 fsc__layout_names[d->layout], (long long)d->c, (long long)d->groups,
                 d->groups == 1 ? "" : "s");
    return FSC_OK;
}

static fsc_status check_ranks(const fsc__shape *x, const fsc__shape *weights, fsc_error *why)
{
    if (x->rank == 4 && weights->rank == 4)
        return FSC_OK;
    char text_x[128], text_weights[128];
    fsc__shape_write(x, text_x, sizeof text_x);
    fsc__shape_write(weights, text_weights, sizeof text_weights);
    FSC_FAIL(why, FSC_ERR_INPUT,
             "conv2d needs four axes of x and four of the weights [O,I/groups,KH,KW], here are %s "
             "and %s",
             text_x, text_weights);
}

static fsc_status find_layout(const float attr[FSC__OP_MAX_NUMBERS], fsc__layout usual,
                              fsc__layout *layout, fsc_error *why)
{
    const fsc__layout given = (fsc__layout)(int)attr[FSC__CONV2D_LAYOUT];
    if (given != FSC__LAYOUT_NONE && usual != FSC__LAYOUT_NONE && given != usual)
        FSC_FAIL(why, FSC_ERR_INPUT, "layout=%s, but x is %s; a graph keeps one layout",
                 fsc__layout_names[given], fsc__layout_names[usual]);
    *layout = given != FSC__LAYOUT_NONE ? given : usual;
    if (*layout == FSC__LAYOUT_NONE)
        *layout = FSC__LAYOUT_NCHW;
    return FSC_OK;
}

fsc_status fsc__conv2d_dims_of(const fsc__shape *x, const fsc__shape *weights,
                               const float attr[FSC__OP_MAX_NUMBERS], fsc__layout usual,
                               fsc__conv2d_dims *dims, fsc_error *why)
{
    FSC_TRY(check_ranks(x, weights, why));
    const float *stride = attr + FSC__CONV2D_STRIDE, *pads = attr + FSC__CONV2D_PADS;
    const float *dilation = attr + FSC__CONV2D_DILATION;
    fsc__layout layout = FSC__LAYOUT_NONE;
    FSC_TRY(find_layout(attr, usual, &layout, why));
    const bool last = layout == FSC__LAYOUT_NHWC; /* the channel is the last axis */
    fsc__conv2d_dims d = {
        .layout = layout,
        .n = x->dims[0],
        .c = x->dims[last ? 3 : 1],
        .h = x->dims[last ? 1 : 2],
        .w = x->dims[last ? 2 : 3],
        .oc = weights->dims[0],
        .kh = weights->dims[2],
        .kw = weights->dims[3],
        .groups = (int64_t)attr[FSC__CONV2D_GROUPS],
        .stride_h = (int64_t)stride[0],
        .stride_w = (int64_t)stride[1],
        .top = (int64_t)pads[0],
        .left = (int64_t)pads[1],
        .bottom = (int64_t)pads[2],
        .right = (int64_t)pads[3],
        .dilation_h = (int64_t)dilation[0],
        .dilation_w = (int64_t)dilation[1],
        .terms = weights->dims[1] * weights->dims[2] * weights->dims[3],
    };
    FSC_TRY(check_channels(&d, weights->dims[1], why));
    const sliding down = {"the height", d.h, d.kh, d.stride_h, d.dilation_h, d.top, d.bottom};
    const sliding across = {"the width", d.w, d.kw, d.stride_w, d.dilation_w, d.left, d.right};
    FSC_TRY(slide(&down, &d.oh, why));
    FSC_TRY(slide(&across, &d.ow, why));
    *dims = d;
    return FSC_OK;
}

fsc__shape fsc__conv2d_result(const fsc__conv2d_dims *d)
{
    if (d->layout == FSC__LAYOUT_NHWC)
        return (fsc__shape){.rank = 4, .dims = {d->n, d->oh, d->ow, d->oc}};
    return (fsc__shape){.rank = 4, .dims = {d->n, d->oc, d->oh, d->ow}};
}

fsc__conv2d_dims fsc__graph_conv2d(const fsc_graph *graph, const fsc__node *node)
{
    const fsc__value *x = &graph->values[node->in[0]], *weights = &graph->values[node->in[1]];
    fsc__conv2d_dims dims = {0};
    /* The sizes of a graph that exists have been checked. */
    (void)fsc__conv2d_dims_of(&x->shape, &weights->shape, node->attr, x->layout, &dims, NULL);
    return dims;
}
