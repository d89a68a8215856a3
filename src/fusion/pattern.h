/* The table of patterns: loop structures that a group of ops can have. */
#ifndef FSC_FUSION_PATTERN_H
#define FSC_FUSION_PATTERN_H

#include "graph/graph.h"

typedef enum fsc__pattern_id {
    FSC__PATTERN_MAP,
    FSC__PATTERN_MATMUL,
    FSC__PATTERN_CONV2D,
    FSC__PATTERN_NORM,
    FSC__PATTERN_COUNT
} fsc__pattern_id;

typedef struct fsc__pattern {
    fsc__pattern_id id;
    const char *name;
    fsc__op_kind main_kind;   /* POINTWISE for map, which has no main op */
    fsc__order default_order; /* kind DEFAULT: sums nothing */
    unsigned fields;          /* FSC__MODE_ bits that mean something to it */
} fsc__pattern;

const fsc__pattern *fsc__pattern_at(fsc__pattern_id id);
const fsc__pattern *fsc__pattern_of(fsc__op_kind kind);

#endif
