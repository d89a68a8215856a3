/* Every function of one operand whose error is measured: the unary ops of the table, and erf and
   erfc, which are portable math without an op of their own. For test_portable, slow_portable and
   slow_portable_all. */
#ifndef FSC_TESTS_UNARY_CASES_H
#define FSC_TESTS_UNARY_CASES_H

#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "numeric/ulp.h"
#include "reference/predict.h"
#include "reference/truth.h"
#include "vocabulary.h"
#include "portable.h"

typedef struct unary_case {
    const char *name;
    const fsc__op *op; /* NULL: function and truth instead */
    float (*function)(float);
    double (*truth)(double);
    double ulp; /* what the row, or docs/math.md, claims */
} unary_case;

enum { UNARY_MOST = 64 };

static inline int unary_cases(unary_case cases[UNARY_MOST])
{
    int count = 0;
    cases[count++] = (unary_case){"erf", NULL, portable_erf, erf, 1.51};
    cases[count++] = (unary_case){"erfc", NULL, portable_erfc, erfc, 1.95};
    for (size_t i = 0; i < fsc__op_count() && count < UNARY_MOST; i++) {
        const fsc__op *op = fsc__op_at(i);
        if (op->kind == FSC__OP_POINTWISE && op->inputs == 1)
            cases[count++] = (unary_case){.name = op->name, .op = op, .ulp = op->ulp};
    }
    return count;
}

static inline void unary_evaluate(const unary_case *c, fsc__fma fma, const float *x, float *y,
                                  int64_t n)
{
    if (c->op)
        fsc__predict_op(c->op, fma, &x, NULL, y, n);
    else
        for (int64_t i = 0; i < n; i++)
            y[i] = c->function(x[i]);
}

/* In double, good to a millionth of an f32 ULP. */
static inline double unary_truth(const unary_case *c, double x)
{
    return c->op ? fsc__truth_op(c->op, &x, NULL) : c->truth(x);
}

enum { UNARY_BITS = 320 }; /* 1 + tanh(-60) still has 140 bits */

/* r = 1/(1 + e^-x) */
static inline void unary_logistic(mpfr_t r, const mpfr_t x)
{
    mpfr_neg(r, x, MPFR_RNDN);
    mpfr_exp(r, r, MPFR_RNDN);
    mpfr_add_ui(r, r, 1, MPFR_RNDN);
    mpfr_ui_div(r, 1, r, MPFR_RNDN);
}

/* r = x/2 (1 + f(u)), f(u) in r already */
static inline void unary_half_sum(mpfr_t r, const mpfr_t x)
{
    mpfr_add_ui(r, r, 1, MPFR_RNDN);
    mpfr_mul(r, r, x, MPFR_RNDN);
    mpfr_div_ui(r, r, 2, MPFR_RNDN);
}

static inline void unary_gelu(mpfr_t r, const mpfr_t x)
{
    mpfr_sqrt_ui(r, 2, MPFR_RNDN);
    mpfr_div(r, x, r, MPFR_RNDN);
    mpfr_neg(r, r, MPFR_RNDN);
    mpfr_erfc(r, r, MPFR_RNDN); /* 1 + erf(u) is erfc(-u) */
    mpfr_mul(r, r, x, MPFR_RNDN);
    mpfr_div_ui(r, r, 2, MPFR_RNDN);
}

static inline void unary_gelu_tanh(mpfr_t r, const mpfr_t x)
{
    mpfr_t t;
    mpfr_init2(t, UNARY_BITS);
    mpfr_set_str(t, "0.044715", 10, MPFR_RNDN);
    mpfr_pow_ui(r, x, 3, MPFR_RNDN);
    mpfr_mul(r, r, t, MPFR_RNDN);
    mpfr_add(r, r, x, MPFR_RNDN);
    mpfr_const_pi(t, MPFR_RNDN);
    mpfr_ui_div(t, 2, t, MPFR_RNDN);
    mpfr_sqrt(t, t, MPFR_RNDN);
    mpfr_mul(r, r, t, MPFR_RNDN);
    mpfr_tanh(r, r, MPFR_RNDN);
    unary_half_sum(r, x);
    mpfr_clear(t);
}

static inline void unary_exp(mpfr_t r, const mpfr_t x)
{
    mpfr_exp(r, x, MPFR_RNDN);
}

static inline void unary_tanh(mpfr_t r, const mpfr_t x)
{
    mpfr_tanh(r, x, MPFR_RNDN);
}

static inline void unary_erf(mpfr_t r, const mpfr_t x)
{
    mpfr_erf(r, x, MPFR_RNDN);
}

static inline void unary_erfc(mpfr_t r, const mpfr_t x)
{
    mpfr_erfc(r, x, MPFR_RNDN);
}

static inline void unary_silu(mpfr_t r, const mpfr_t x)
{
    unary_logistic(r, x);
    mpfr_mul(r, r, x, MPFR_RNDN);
}

static const struct {
    const char *name;
    void (*function)(mpfr_t r, const mpfr_t x);
} unary_definitions[] = {
    {"exp", unary_exp},   {"sigmoid", unary_logistic},    {"tanh", unary_tanh},
    {"erf", unary_erf},   {"erfc", unary_erfc},           {"silu", unary_silu},
    {"gelu", unary_gelu}, {"gelu_tanh", unary_gelu_tanh},
};

/* The true value rounded to double, by MPFR from the definition where this file has it; other
   functions, the infinities and NaN have their truth in double alone. */
static inline double unary_precise(const unary_case *c, float x)
{
    const size_t count = sizeof unary_definitions / sizeof unary_definitions[0];
    double value = unary_truth(c, (double)x);
    for (size_t i = 0; i < count && isfinite(x); i++) {
        if (strcmp(c->name, unary_definitions[i].name) != 0)
            continue;
        mpfr_t in, out;
        mpfr_inits2(UNARY_BITS, in, out, (mpfr_ptr)0);
        mpfr_set_flt(in, x, MPFR_RNDN);
        unary_definitions[i].function(out, in);
        value = mpfr_get_d(out, MPFR_RNDN);
        mpfr_clears(in, out, (mpfr_ptr)0);
    }
    return value;
}

/* The largest error met so far. */
typedef struct unary_worst {
    double error;
    float x, got;
    double want;
} unary_worst;

/* flushes: a subnormal result may be a zero instead. */
static inline void unary_judge(unary_worst *worst, bool flushes, float x, float got, double want)
{
    /* A spacing is more than 2^-24 of the value: most results need no closer look. */
    if (fabs((double)got - want) <= worst->error * 0x1p-24 * fabs(want))
        return;
    const double error = fsc__ulp_error(FSC_F32, (double)got, want);
    if (!(error > worst->error) || (flushes && got == 0.0f && fabs(want) < 0x1p-126))
        return;
    *worst = (unary_worst){error, x, got, want};
}

#define ck_unary(c, worst)                                                                   \
    ck_assert_msg((worst)->error <= (c)->ulp, "%s(%a) is %a, truth %.17g: %.3f ULP, row %g", \
                  (c)->name, (double)(worst)->x, (double)(worst)->got, (worst)->want,        \
                  (worst)->error, (c)->ulp)

/* Float i of count: every sign and exponent has the same share, spread over the significands. */
static inline float unary_stratified(uint32_t i, uint32_t count)
{
    const uint32_t share = count / 512, width = (1u << 23) / share;
    const uint32_t jitter = (i * 2654435761u >> 7) % width;
    return fsc__f32_of_bits((i / share << 23) + i % share * width + jitter);
}

#endif
