/* Contraction and runs of sums, as definitions for the kernels. */
#include "kernel/emission.h"

void fsc__writer_contraction(fsc__writer *writer)
{
    const bool off = writer->emission->plan->mode.contract == FSC__CONTRACT_OFF;
    fsc__text_add(&writer->constants, "#define ADD_PRODUCT(a, b, sum) %s\n",
                  off ? "((sum) + MUL(a, b))" : "FMA(a, b, sum)");
}

void fsc__writer_chunk(fsc__writer *writer, int n)
{
    const int most = (1 << 30) / n;
    fsc__text_add(&writer->constants, "#define CHUNK %d\n#define FAR %d\n", n,
                  n * (most < 32768 ? most : 32768));
}
