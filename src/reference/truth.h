/* The truth: the graph in double with libm and formulas of its own. Knows nothing of plans, modes'
   orders or kernels. */
#ifndef FSC_REFERENCE_TRUTH_H
#define FSC_REFERENCE_TRUTH_H

#include "graph/graph.h"

/* in: one tensor per graph input, as the device received it (any floating type). out: one f64
   tensor per graph output, initialised here. bound (may be NULL): one f64 tensor per output,
   initialised here: a certain bound, per element, on the error of a correct f32-arithmetic result
   in any order of sums with storage rounding at each boundary of type mode->storage:
   2*K*2^-24*sum|a||b| for sums, each op's ULP, carried through what follows by max |f(v+-e) -
   f(v)|; infinity where nothing can be said. */
fsc_status fsc__truth(const fsc_graph *graph, const fsc_mode *mode, const fsc_tensor in[],
                      fsc_tensor out[], fsc_tensor bound[], fsc_error *why);

/* One pointwise op in double; in has an entry for each of its inputs, attr may be NULL. */
double fsc__truth_op(const fsc__op *op, const double in[], const float *attr);

#endif
