/* The text of a chain, item by item: syntax and what an op allows. Names and shapes are graph.c's.
 */
#ifndef FSC_GRAPH_CHAIN_H
#define FSC_GRAPH_CHAIN_H

#include "graph/graph.h"
#include "graph/shape.h"

/* Longest name that a chain may give to a value; leaves room for a prefix within FSC__NAME_BYTES.
 */
enum { FSC__CHAIN_NAME_LENGTH = 23 };

/* One positional argument: an operand after the running value. */
typedef struct fsc__operand {
    bool literal;
    float number;               /* literals */
    char name[FSC__NAME_BYTES]; /* others */
} fsc__operand;

typedef struct fsc__item {
    const char *text; /* inside the chain's text; not terminated */
    int length;
    const fsc__op *op;
    fsc__operand operands[FSC__OP_MAX_INPUTS - 1];
    int operand_count; /* given; the others get names of their own */
    bool has_by;
    fsc__by by;                /* the op's usual one unless has_by */
    char out[FSC__NAME_BYTES]; /* "" when none was given */
    float attr[FSC__OP_MAX_NUMBERS];
    unsigned given; /* bit i: the op's attribute i is in the text */
} fsc__item;

typedef struct fsc__chain {
    const char *text; /* borrowed */
    fsc__item *items;
    int count;
} fsc__chain;

/* chain borrows text. */
fsc_status fsc__chain_parse(const char *text, fsc__chain *chain, fsc_error *why);
void fsc__chain_deinit(fsc__chain *chain);

/* Fails with `graph "...": item 2 "add(x)": <text>`. */
fsc_status fsc__chain_fail(const fsc__chain *chain, int item, fsc_error *why, const char *format,
                           ...) FSC_PRINTF(4, 5);

#endif
