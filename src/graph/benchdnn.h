/* Problem descriptors as benchdnn of oneDNN reads them, and its batch files. */
#ifndef FSC_GRAPH_BENCHDNN_H
#define FSC_GRAPH_BENCHDNN_H

#include "graph/chain.h"
#include "graph/conv2d.h"

/* "mb1ic64ih56oc64oh56kh3ph1n"name"": keys with numbers in any order, "_" between them as one
   likes.
     g groups (1)   mb images (2)   ic oc channels   ih iw sizes   kh kw window   oh ow result
     sh sw stride (1)   ph pw pads in front   dh dw rows left out between taps (0: dense)
   oc, ic, ih and kh are needed. Without any key of the width it is as the height; without any of
   the height, that is 1. Without oh the pads behind are as those in front; with oh they are what
   oh takes, and without ph half of all pads are in front. The keys of a depth (id od kd sd pd dd)
   may say that there is none: 1, pd0 and dd0. A name is last; one that ends in *3 says that the
   problem counts three times. */
typedef struct fsc__benchdnn {
    fsc__conv2d_dims dims; /* as nchw */
    int64_t weight;        /* 1 unless the name says more */
} fsc__benchdnn;

/* Whether text is to be read as a descriptor and not as sizes: it begins with a letter or "_". */
bool fsc__benchdnn_is(const char *text);

/* Errors name the column. */
fsc_status fsc__benchdnn_parse(const char *text, fsc__benchdnn *problem, fsc_error *why);

/* Gives the problem to the chain's first conv2d: its numbers become attributes, x (as `layout` has
   it) and weights the parts. Refused when the chain gives some of those attributes itself, or has a
   matmul in front, or no conv2d. */
fsc_status fsc__benchdnn_apply(const char *text, fsc__layout layout, fsc__chain *chain,
                               fsc__shape_parts *parts, fsc_error *why);

typedef struct fsc__batch_line {
    char *text; /* a descriptor, or sizes as in "384x1024:1024x1024" */
    int64_t weight;
    int line; /* from 1 on */
} fsc__batch_line;

typedef struct fsc__batch {
    fsc__batch_line *lines;
    int count;
} fsc__batch;

/* A file of such lines: blank ones, "# ..." behind or alone, and a weight "*3" behind a blank where
   the name has none. Errors name path, line and column; a file without a problem is one. */
fsc_status fsc__benchdnn_batch_read(const char *path, fsc__batch *batch, fsc_error *why);
void fsc__benchdnn_batch_deinit(fsc__batch *batch); /* zeroed is fine */

#endif
