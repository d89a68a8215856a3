/* Splits a loop over threads. */
#ifndef FSC_BASE_PARALLEL_H
#define FSC_BASE_PARALLEL_H

#include <stdint.h>

/* Runs body(context, begin, end) over disjoint ranges that cover [0, count), each a multiple of
   grain long but for the last; in this thread alone when count <= grain or only one processor is
   there, or a thread cannot be started. Returns when all ranges are done. */
typedef void fsc__parallel_body(void *context, int64_t begin, int64_t end);
void fsc__parallel(int64_t count, int64_t grain, fsc__parallel_body *body, void *context);

#endif
