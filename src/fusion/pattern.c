/* The table of patterns. */
#include "fusion/pattern.h"

enum {
    ALWAYS = FSC__MODE_STORAGE | FSC__MODE_ARITH | FSC__MODE_BOUNDARY | FSC__MODE_MATH |
             FSC__MODE_DENORMS,
    SUMS = FSC__MODE_ACCUM | FSC__MODE_ORDER | FSC__MODE_CONTRACT
};

static const fsc__pattern patterns[FSC__PATTERN_COUNT] = {
    [FSC__PATTERN_MAP] =
        {FSC__PATTERN_MAP, "map", FSC__OP_POINTWISE, {FSC__ORDER_DEFAULT, 0}, ALWAYS},
    [FSC__PATTERN_MATMUL] =
        {FSC__PATTERN_MATMUL, "matmul", FSC__OP_MATMUL, {FSC__ORDER_SEQUENTIAL, 0}, ALWAYS | SUMS},
    [FSC__PATTERN_CONV2D] =
        {FSC__PATTERN_CONV2D, "conv2d", FSC__OP_CONV2D, {FSC__ORDER_SEQUENTIAL, 0}, ALWAYS | SUMS},
    [FSC__PATTERN_NORM] = {FSC__PATTERN_NORM,
                           "norm",
                           FSC__OP_NORM,
                           {FSC__ORDER_LANES, 256},
                           ALWAYS | SUMS | FSC__MODE_VARIANCE},
};

const fsc__pattern *fsc__pattern_at(fsc__pattern_id id)
{
    return &patterns[id];
}

const fsc__pattern *fsc__pattern_of(fsc__op_kind kind)
{
    for (int i = 0; i < FSC__PATTERN_COUNT; i++)
        if (patterns[i].main_kind == kind)
            return &patterns[i];
    return NULL;
}
