/* The inner loops of the prediction, compiled once per instruction set and fma quirk
   (cmake/flags.cmake). All tables give the same bits but for the quirk. */
#ifndef FSC_REFERENCE_PREDICT_ISA_H
#define FSC_REFERENCE_PREDICT_ISA_H

#include "numeric/caps.h"
#include "numeric/mode.h"

/* out[i] = op(in[0][i], in[1][i] ...); in has an entry for each of the op's inputs, attr
   FSC__OP_MAX_NUMBERS. No overlap of out with an input. */
typedef void fsc__predict_op_loop(const float *const in[], const float *attr, float *out,
                                  int64_t n);

/* sum[i][j] goes on with terms t = 0, 1 ... of a[i][t] * b[t][j], one after the other. */
typedef struct fsc__predict_product {
    int64_t rows, cols, terms;
    const float *a; /* (i, t) at i * a_row + t * a_term */
    int64_t a_row, a_term;
    const float *b; /* (t, j) at t * b_term + j */
    int64_t b_term;
    float *sum; /* (i, j) at i * sum_row + j */
    int64_t sum_row;
} fsc__predict_product;

/* One kind of normalisation of rows; the formulas are in predict.h. */
typedef struct fsc__predict_norm {
    int64_t cols;
    bool centred; /* layernorm, else rmsnorm */
    float eps;
    fsc__order order;
    fsc__variance variance;
    fsc__contract contract;
    const float *gamma, *beta; /* cols each; beta NULL for rmsnorm */
} fsc__predict_norm;

enum { FSC__PREDICT_NORM_LANES = 1024 };

/* What the sums of one row need beside it. */
typedef struct fsc__predict_scratch {
    float *deviation; /* cols */
    float sum[FSC__PREDICT_NORM_LANES], mean[FSC__PREDICT_NORM_LANES];
    float square[FSC__PREDICT_NORM_LANES], count[FSC__PREDICT_NORM_LANES];
} fsc__predict_scratch;

typedef struct fsc__predict_loops {
    fsc__predict_op_loop *const *ops; /* in ops.def order */

    /* Elements [begin, begin + n) of a tensor's data, f32 f16 bf16, to and from f32. store writes
       the canonical NaN. round: to the type and back. */
    void (*load)(fsc_dtype type, const void *data, int64_t begin, int64_t n, float *out);
    void (*store)(fsc_dtype type, const float *values, int64_t n, void *data, int64_t begin);
    void (*round)(fsc_dtype type, float *values, int64_t n);

    void (*add)(float *sum, const float *terms, int64_t n); /* sum[i] += terms[i] */
    void (*products)(const fsc__predict_product *product, fsc__contract contract);
    void (*norm)(const fsc__predict_norm *norm, const float *row, float *out,
                 fsc__predict_scratch *scratch);
} fsc__predict_loops;

extern const fsc__predict_loops fsc__predict_loops_generic_exact;
extern const fsc__predict_loops fsc__predict_loops_generic_flushes;
extern const fsc__predict_loops fsc__predict_loops_avx2_exact;
extern const fsc__predict_loops fsc__predict_loops_avx2_flushes;
extern const fsc__predict_loops fsc__predict_loops_avx512_exact;
extern const fsc__predict_loops fsc__predict_loops_avx512_flushes;

/* Those of the instruction set in use. fma is EXACT or FLUSHES. */
const fsc__predict_loops *fsc__predict_loops_of(fsc__fma fma);

#endif
