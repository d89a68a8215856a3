/* Shapes as text and the shapes that ops make. */
#ifndef FSC_GRAPH_SHAPE_H
#define FSC_GRAPH_SHAPE_H

#include "base/json.h"
#include "graph/graph.h"

enum { FSC__SHAPE_MAX_PARTS = 32 };

/* "8x64x32:32x16": the parts are [8,64,32] and [32,16]. A name as in 8x64x32:32x16n"ffn*24" may
   follow; its *24 is a weight. */
typedef struct fsc__shape_parts {
    const char *text; /* borrowed, for messages */
    fsc__shape part[FSC__SHAPE_MAX_PARTS];
    int count;
    int64_t weight; /* how often the problem counts among others; 1 unless the name says more */
} fsc__shape_parts;

/* Refuses sizes outside 1 .. 2^31-1, products of 2^31 or more, more than FSC_MAX_RANK axes. */
fsc_status fsc__shape_parse(const char *text, fsc__shape_parts *parts, fsc_error *why);

/* Reads the name that may end a shape: from `at`, which is in text, n"..." or n..., or nothing (a
   shell takes quotes away). *weight: the number behind a * that ends the name, else 1. */
fsc_status fsc__shape_name(const char *text, const char *at, int64_t *weight, fsc_error *why);

/* A whole number from 1 to 10^6 that is all of the text; else 0. */
int64_t fsc__shape_weight(const char *digits, size_t length);

/* A shape in JSON as the text that fsc__shape_parse reads; bytes of at least 128. A string is taken
   as it is; objects have the keys  m n k [batch]  (stored as [batch,m,k] and [batch,k,n]),  rows
   cols,  or  n c h w. */
fsc_status fsc__shape_text(const fsc__json *at, char *text, size_t bytes, fsc_error *why);

/* How the second operand of a pointwise op lies on the running value. */
typedef enum fsc__by {
    FSC__BY_FULL,    /* the same shape */
    FSC__BY_COL,     /* [C], C the last axis */
    FSC__BY_ROW,     /* [...,1] */
    FSC__BY_CHANNEL, /* [C,1,...,1], C axis 1 of two or more; [C] where the layout is nhwc */
    FSC__BY_SCALAR   /* [1] */
} fsc__by;

extern const char *const fsc__by_names[];
enum { FSC__BY_COUNT = FSC__BY_SCALAR + 1 };

/* The results below are made; a failure's text says what does not fit, without naming where. */
fsc_status fsc__shape_by(fsc__by by, const fsc__shape *running, fsc__layout layout,
                         fsc__shape *operand, fsc_error *why);
fsc_status fsc__shape_broadcast(const fsc__shape *a, const fsc__shape *b, fsc__shape *out,
                                fsc_error *why);

/* a and b as stored; a may have batch axes in front, which b shares or lacks. */
fsc_status fsc__shape_matmul(const fsc__shape *a, const fsc__shape *b, bool trans_a, bool trans_b,
                             fsc__shape *out, fsc_error *why);

/* FSC_ERR_INPUT when the product of the sizes is 2^31 or more. */
fsc_status fsc__shape_limit(const fsc__shape *shape, fsc_error *why);

#endif
