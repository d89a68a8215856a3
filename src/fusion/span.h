/* A run of consecutive nodes that may become a group: what it reads, and what its kernel can reach.
 */
#ifndef FSC_FUSION_SPAN_H
#define FSC_FUSION_SPAN_H

#include "fusion/access.h"
#include "fusion/pattern.h"

enum { FSC__REASON_BYTES = 160 };

/* Writes why something is not done, cut at the size of a reason; false, for the caller to return.
 */
bool fsc__refuse(char reason[FSC__REASON_BYTES], const char *format, ...) FSC_PRINTF(2, 3);

/* Nodes [first, end) of the graph. A span grows at its end. */
typedef struct fsc__span {
    const fsc_graph *graph;
    int first, end;
    int main;    /* the matmul or norm among the nodes, else -1 */
    int buffers; /* values it reads from memory, each counted once */
} fsc__span;

fsc__span fsc__span_of(const fsc_graph *graph, int node);
fsc__span fsc__span_grown(const fsc__span *span); /* by the node at its end */

fsc__pattern_id fsc__span_pattern(const fsc__span *span);

/* The value that the last node makes. */
int fsc__span_result(const fsc__span *span);

/* Whether the value is made inside the span. */
bool fsc__span_makes(const fsc__span *span, int value);

/* The values read from memory, each once, in order of first use: span->buffers of them. */
void fsc__span_inputs(const fsc__span *span, int *inputs);

/* Whether the kernel can reach every operand of the pointwise nodes [first, end) of the span, which
   are all prologue or all not; else reason says which it cannot. */
bool fsc__span_reaches(const fsc__span *span, int first, int end, char reason[FSC__REASON_BYTES]);

#endif
