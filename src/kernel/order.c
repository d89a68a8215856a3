/* Contraction and order of sums: definitions for the kernels, and the loops that they take. */
#include "kernel/emission.h"

void fsc__writer_contraction(fsc__writer *writer)
{
    const bool off = writer->emission->plan->mode.contract == FSC__CONTRACT_OFF;
    fsc__text_add(&writer->constants, "#define ADD_PRODUCT(a, b, sum) %s\n",
                  off ? "((sum) + MUL(a, b))" : "FMA(a, b, sum)");
}

/* Iterations beside those that grow with the sum: tails of loads and stores, trees of lanes. */
enum { OTHER_LOOPS = 2048 };

bool fsc__loops_fit(const fsc__caps *caps, double iterations)
{
    return caps->loop_limit == 0 || iterations + OTHER_LOOPS <= (double)caps->loop_limit;
}

fsc_status fsc__loops_refuse(const fsc__caps *caps, const char *what, int64_t terms, fsc_error *why)
{
    FSC_FAIL(why, FSC_UNSUPPORTED,
             "%s of %lld terms in this order: this device ends the loops of a work-item after %d "
             "iterations, in silence",
             what, (long long)terms, caps->loop_limit);
}
