/* conv2d: its attributes, its sizes and the shape that it makes. */
#ifndef FSC_GRAPH_CONV2D_H
#define FSC_GRAPH_CONV2D_H

#include "graph/graph.h"

/* Places of conv2d's numbers, as in its row of the table of ops. Pairs are height then width, pads
   top left bottom right. */
enum {
    FSC__CONV2D_STRIDE = 0,
    FSC__CONV2D_PADS = 2,
    FSC__CONV2D_DILATION = 6,
    FSC__CONV2D_GROUPS = 8,
    FSC__CONV2D_LAYOUT = 9
};

/* x [n,c,h,w] or [n,h,w,c], weights [oc,c/groups,kh,kw] in both layouts, result [n,oc,oh,ow] or
   [n,oh,ow,oc]. A group of oc/groups output channels sees a group of c/groups input channels. */
typedef struct fsc__conv2d_dims {
    fsc__layout layout;
    int64_t n, c, h, w;
    int64_t oc, kh, kw, oh, ow;
    int64_t groups;
    int64_t stride_h, stride_w;
    int64_t top, left, bottom, right; /* pads */
    int64_t dilation_h, dilation_w;
    int64_t terms; /* of a sum: c/groups * kh * kw, kw fastest */
} fsc__conv2d_dims;

/* x's layout is said by the attribute, or is `usual` where that says auto. A failure's text says
   what does not fit, without naming where. */
fsc_status fsc__conv2d_dims_of(const fsc__shape *x, const fsc__shape *weights,
                               const float attr[FSC__OP_MAX_NUMBERS], fsc__layout usual,
                               fsc__conv2d_dims *dims, fsc_error *why);

/* The shape that a convolution of these sizes makes. */
fsc__shape fsc__conv2d_result(const fsc__conv2d_dims *dims);

/* The sizes of a conv2d node. */
fsc__conv2d_dims fsc__graph_conv2d(const fsc_graph *graph, const fsc__node *node);

#endif
