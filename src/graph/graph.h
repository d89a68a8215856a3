/* A graph: ops over named values. Broadcasting is NumPy's: shapes are aligned at the last axis, and
   an axis of 1 or a missing one repeats. */
#ifndef FSC_GRAPH_GRAPH_H
#define FSC_GRAPH_GRAPH_H

#include "graph/op.h"
#include "graph/tensor.h"

enum { FSC__NAME_BYTES = 32 };

typedef enum fsc__value_kind {
    FSC__VALUE_INPUT,   /* a tensor that the caller gives */
    FSC__VALUE_LITERAL, /* an f32 number written in the graph */
    FSC__VALUE_RESULT   /* made by an op */
} fsc__value_kind;

typedef struct fsc__value {
    char name[FSC__NAME_BYTES];
    fsc__value_kind kind;
    fsc__role role;     /* inputs */
    fsc__shape shape;   /* literals: rank 0 */
    fsc__layout layout; /* of images, which have four axes; else NONE */
    float literal;
    int producer;   /* op index, results only, else -1 */
    int64_t fan_in; /* inputs: the longest sum reached through pointwise ops alone (K), else 1 */
} fsc__value;

typedef struct fsc__node {
    const fsc__op *op;
    int in[FSC__OP_MAX_INPUTS]; /* value indices */
    int out;
    float attr[FSC__OP_MAX_NUMBERS]; /* each attribute's numbers begin at its `at` */
} fsc__node;

/* nodes are in execution order. Inputs come first among the values, in order of first use. */
typedef struct fsc_graph {
    fsc__value *values;
    int value_count;
    int input_count; /* values[0 .. input_count) are the inputs, as tensors are passed */
    fsc__node *nodes;
    int node_count;
    int *outputs; /* value indices */
    int output_count;
    char *text; /* the chain as given */
} fsc_graph;

/* A chain such as "add+layernorm(eps=1e-12)+relu" on a shape such as "128x768", or
   "matmul+bias" on "384x1024:1024x4096" (A and B as stored; a batch in front: "8x64x32:8x32x16", or
   B shared: "8x64x32:32x16"), or "conv2d(pads=1)+relu" on "1x64x56x56:64x64x3x3" (weights
   [O,I/groups,KH,KW]; each further matmul or conv2d adds a part), or on a descriptor of benchdnn,
   "mb1ic64ih56oc64kh3ph1" (graph/benchdnn.h). Items of a chain take arguments:
     add(0.5)           a literal second operand
     add(skip)          the second operand is called skip; an earlier value of that name is used
                        again (x is the chain's first input)
     bias(by=channel)   shape of a new second operand: full, col (last axis), row (all but the
                        last), channel (axis 1 of two or more, or as the layout says), scalar.
                        bias and scale: channel on images, else col
     relu(out=r)        a name for the result
     matmul(transA=1)   A is stored [K,M]; transB=1: B is stored [N,K]
     conv2d(stride=2,pads=0:0:1:1,dilation=1,groups=4,layout=nhwc)
                        pairs are height:width, pads top:left:bottom:right; one number stands for
                        all. x and all images made from it have the layout of the first conv2d
     layernorm(eps=..)  attributes
   Input names: x, w (B of matmul, weights of conv2d), x2, x3 ... (further data), bias, scale,
   gamma, beta (bias2 ...). Names are C identifiers of 23 characters at most. Results without a name
   are t, t2 ... and the last y, or the next free name; they cannot be used as operands. Errors name
   the item and what is allowed. Shapes: sizes of 1 .. 2^31-1, product below 2^31. why may be NULL
   here and below. */
fsc_status fsc__graph_parse(const char *chain, const char *shape, fsc_graph **graph,
                            fsc_error *why);
void fsc__graph_free(fsc_graph *graph);

/* matmul's view of its operands: [batch,M,K] x [batch,K,N]. */
typedef struct fsc__matmul_dims {
    int64_t batch, m, n, k;
    bool trans_a, trans_b;
    bool shared_b; /* B has no batch axis */
} fsc__matmul_dims;
fsc__matmul_dims fsc__graph_matmul(const fsc_graph *graph, const fsc__node *node);

/* norm's view of its input: the last axis is normalised. */
typedef struct fsc__norm_dims {
    int64_t rows, cols;
    bool centred; /* layernorm; rmsnorm has no mean and no beta */
    float eps;
    int gamma, beta; /* value indices, beta -1 for rmsnorm */
} fsc__norm_dims;
fsc__norm_dims fsc__graph_norm(const fsc_graph *graph, const fsc__node *node);

/* Index of the input called name, or -1. */
int fsc__graph_input(const fsc_graph *graph, const char *name);

/* Type of an input's elements on the device: params for bias, scale, gamma, beta, else storage. */
fsc_dtype fsc__graph_input_type(const fsc__value *value, const fsc_mode *mode);

#endif
