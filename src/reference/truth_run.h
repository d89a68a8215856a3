/* What the parts of the truth share: true values and what a correct f32 result may be off. */
#ifndef FSC_REFERENCE_TRUTH_RUN_H
#define FSC_REFERENCE_TRUTH_RUN_H

#include "reference/truth.h"

/* error has no data where the values are exact (inputs, literals) or no bounds are wanted. */
typedef struct fsc__truth_value {
    fsc_tensor value, error; /* f64 */
} fsc__truth_value;

typedef struct fsc__truth_run {
    const fsc_graph *graph;
    const fsc_mode *mode;
    bool bounds;
    fsc__truth_value *values; /* per graph value */
} fsc__truth_run;

/* Half the spacing of f32 at 1: what one rounding may change a value by, relative to it. */
#define FSC__TRUTH_UNIT 0x1p-24

/* More than an f32 result or operand loses to subnormals, kept or flushed. */
#define FSC__TRUTH_TINY 0x1p-126

/* The error of a result of f32 arithmetic, of true value `value`, that is off by `error` when it
   has been stored: infinity beyond the largest value of the storage type. */
double fsc__truth_stored(const fsc__truth_run *run, double value, double error);

/* A sum of `terms` products in f32, in any order, each product rounded or not, errs by less than
   2*terms roundings of the sum of the products' magnitudes; operands that are off add what their
   errors make of it. error holds, on entry, those sums with operands of |value| + error, exact
   those of |value| (NULL: the same); on return the errors, infinity where f32 may overflow. */
void fsc__truth_sum_errors(int64_t terms, const double *value, const double *exact, int64_t n,
                           double *error);

/* f64 elements; NULL without data. */
double *fsc__truth_data(const fsc_tensor *tensor);

/* One node: out's tensors are initialised and hold zeros; error only when run->bounds. */
typedef fsc_status fsc__truth_node(const fsc__truth_run *run, const fsc__node *node,
                                   const fsc__truth_value *out, fsc_error *why);
fsc__truth_node fsc__truth_pointwise, fsc__truth_matmul, fsc__truth_conv2d, fsc__truth_norm;

#endif
