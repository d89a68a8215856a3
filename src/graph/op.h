/* The table of ops: the pointwise ones from cl/ops.def, and those with a loop structure. */
#ifndef FSC_GRAPH_OP_H
#define FSC_GRAPH_OP_H

#include <stdbool.h>
#include <stddef.h>

#include "numeric/fill.h"
#include "numeric/mode.h"

typedef enum fsc__op_kind {
    FSC__OP_POINTWISE,
    FSC__OP_MATMUL,
    FSC__OP_CONV2D,
    FSC__OP_NORM,
    FSC__OP_KIND_COUNT
} fsc__op_kind;

/* An op has up to MAX_ATTRS attributes, whose numbers are MAX_NUMBERS together. */
enum {
    FSC__OP_MAX_INPUTS = 5,
    FSC__OP_MAX_ATTRS = 6,
    FSC__OP_MAX_NUMBERS = 12,
    FSC__OP_MAX_POINTWISE_ATTRS = 4
};

typedef struct fsc__op_attr {
    const char *name; /* NULL ends the list */
    double initial, low, high;
    bool whole;               /* whole numbers only */
    int count;                /* numbers, "pads=0:0:1:1"; one given for all of them, "stride=2" */
    int at;                   /* place of the first of them among the op's numbers */
    const char *const *words; /* the attribute is one of these (its number is the index), or NULL */
} fsc__op_attr;

/* One input of an op: the name its tensor gets in a chain and what it is for. */
typedef struct fsc__op_input {
    const char *name;
    fsc__role role;
} fsc__op_input;

typedef struct fsc__op {
    const char *name;
    fsc__op_kind kind;
    int inputs; /* the first is the running value of a chain */
    fsc__op_input input[FSC__OP_MAX_INPUTS];
    fsc__op_attr attr[FSC__OP_MAX_ATTRS + 1];
    const char *expression; /* pointwise: the text of ops.def; else NULL */
    double ulp;             /* pointwise: measured maximum error of the f32 prediction */
    const char *note;       /* formula and behaviour at NaN, infinities and zeros, in words */
} fsc__op;

size_t fsc__op_count(void);
const fsc__op *fsc__op_at(size_t index);
const fsc__op *fsc__op_find(const char *name); /* NULL when unknown */

/* Index of a pointwise op in ops.def order, which is how prediction and truth tables are indexed;
   -1 for the others. */
int fsc__op_index(const fsc__op *op);

/* The op whose arithmetic runs when the mode says so: gelu=tanh runs gelu_tanh for gelu. Truth
   never asks. */
const fsc__op *fsc__op_implementation(const fsc__op *op, const fsc_mode *mode);

/* The numbers of an op whose attributes are not given. */
void fsc__op_initial(const fsc__op *op, float numbers[FSC__OP_MAX_NUMBERS]);

/* Reads the attributes of an ops.def row, "alpha=0.2:-inf:inf,beta=0.5:0:1"
   (name=default:low:high), into attr, whose names are kept in `names`. False when malformed. */
bool fsc__op_attrs_parse(const char *text, fsc__op_attr attr[FSC__OP_MAX_ATTRS], char *names,
                         size_t names_bytes);

#endif
