/* The order and contraction of sums, as definitions for the kernels. */
#include "kernel/emission.h"

static int log2_of(int n)
{
    int log = 0;
    while (n >> log > 1)
        log++;
    return log;
}

void fsc__writer_sums(fsc__writer *writer)
{
    const fsc__emission *emission = writer->emission;
    const fsc__order order = fsc__plan_order(emission->plan, emission->group);
    const bool off = emission->plan->mode.contract == FSC__CONTRACT_OFF;
    fsc__text *constants = &writer->constants;
    fsc__text_add(constants, "#define ADD_PRODUCT(a, b, sum) %s\n",
                  off ? "((sum) + MUL(a, b))" : "FMA(a, b, sum)");
    if (order.kind == FSC__ORDER_LANES && order.n > 1) {
        fsc__text_add(constants, "#define LANES %d\n#define LEVELS %d\n", order.n,
                      log2_of(order.n));
        fsc__text_add(&writer->defines, "#define SUM sum_lanes\n");
    } else if (order.kind == FSC__ORDER_CHUNK) {
        const int most = (1 << 30) / order.n;
        fsc__text_add(constants, "#define CHUNK %d\n#define FAR %d\n", order.n,
                      order.n * (most < 32768 ? most : 32768));
        fsc__text_add(&writer->defines, "#define SUM sum_chunk\n");
    } else {
        fsc__text_add(&writer->defines, "#define SUM sum_sequential\n");
    }
}
