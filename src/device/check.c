/* The table of checks, and the C side of each. */
#include "device/check.h"

#include <math.h>

#include "device/check_pattern.h"
#include "numeric/dtype.h"

static float expect_copy(float x, float y, float z)
{
    (void)y, (void)z;
    return x;
}

static float expect_add(float x, float y, float z)
{
    (void)z;
    return x + y;
}

static float expect_sub(float x, float y, float z)
{
    (void)z;
    return x - y;
}

static float expect_mul(float x, float y, float z)
{
    (void)z;
    return x * y;
}

static float expect_product_sum(float x, float y, float z)
{
    return x * y + z;
}

static float expect_product_difference(float x, float y, float z)
{
    return z - x * y;
}

static float expect_divide(float x, float y, float z)
{
    (void)z;
    return x / y;
}

static float expect_sqrt(float x, float y, float z)
{
    (void)y, (void)z;
    return sqrtf(x);
}

static float expect_fma(float x, float y, float z)
{
    return fmaf(x, y, z);
}

static float expect_select(float x, float y, float z)
{
    return x <= y ? y : z;
}

static float expect_abs(float x, float y, float z)
{
    (void)y, (void)z;
    return fabsf(x);
}

static const struct {
    const char *name;
    const char *text; /* OpenCL C in the words of cl/vocabulary.h */
    float (*expect)(float x, float y, float z);
    fsc__pattern_fill *fill;
} checks[FSC__CHECK_COUNT] = {
    [FSC__CHECK_COPY] = {"load and store", "x", expect_copy, fsc__pattern_subnormals},
    [FSC__CHECK_ADD] = {"+", "x + y", expect_add, fsc__pattern_sums},
    [FSC__CHECK_SUB] = {"-", "x - y", expect_sub, fsc__pattern_sums},
    [FSC__CHECK_MUL] = {"*", "MUL(x, y)", expect_mul, fsc__pattern_products},
    [FSC__CHECK_PRODUCT_SUM] = {"a*b+c under FP_CONTRACT OFF", "MUL(x, y) + z", expect_product_sum,
                                fsc__pattern_cancellations},
    [FSC__CHECK_PRODUCT_DIFFERENCE] = {"c-a*b under FP_CONTRACT OFF", "z - MUL(x, y)",
                                       expect_product_difference, fsc__pattern_cancellations},
    [FSC__CHECK_DIVIDE] = {"/", "DIV(x, y)", expect_divide, fsc__pattern_quotients},
    [FSC__CHECK_SQRT] = {"sqrt", "SQRT(x)", expect_sqrt, fsc__pattern_roots},
    [FSC__CHECK_FMA] = {"fma", "FMA(x, y, z)", expect_fma, fsc__pattern_fmas},
    [FSC__CHECK_SELECT] = {"compare and select", "SELECT(x <= y, y, z)", expect_select,
                           fsc__pattern_ties},
    [FSC__CHECK_ABS] = {"abs", "ABS(x)", expect_abs, fsc__pattern_subnormals},
    [FSC__CHECK_LOAD_HALF] = {"load of a half", NULL, NULL, NULL},
    [FSC__CHECK_STORE_HALF] = {"store of a half", NULL, NULL, NULL},
};

const char *fsc__check_name(fsc__check_id id)
{
    return checks[id].name;
}

void fsc__check_write(fsc__text *generated)
{
    fsc__text_add(generated,
                  "#define PROBE_LOAD_HALF %d\n"
                  "#define PROBE_STORE_HALF %d\n"
                  "#define PROBE_SPIN %d\n"
                  "#define PROBE_COUNT %d\n\n"
                  "real probe_op(int op, real x, real y, real z)\n{\n    switch (op) {\n",
                  (int)FSC__CHECK_LOAD_HALF, (int)FSC__CHECK_STORE_HALF, (int)FSC__CHECK_COUNT,
                  (int)FSC__CHECK_COUNT + 1);
    for (int id = 0; id < FSC__CHECK_COUNT; ++id)
        if (checks[id].text)
            fsc__text_add(generated, "    case %d:\n        return %s;\n", id, checks[id].text);
    fsc__text_add(generated, "    }\n    return x;\n}\n");
}

void fsc__check_fill(fsc__check_id id, float *x, float *y, float *z)
{
    enum { SHARED = FSC__CHECK_PATTERNS / 2 };
    fsc__pattern_shared(x, y, z, SHARED);
    checks[id].fill(x + SHARED, y + SHARED, z + SHARED, FSC__CHECK_PATTERNS - SHARED);
}

uint32_t fsc__check_expect(fsc__check_id id, fsc__fma fma, float x, float y, float z)
{
    const bool flushes = id == FSC__CHECK_FMA && fma == FSC__FMA_FLUSHES;
    const float value = flushes ? fsc__check_flushing_fma(x, y, z) : checks[id].expect(x, y, z);
    return isnan(value) ? 0x7fc00000u : fsc__f32_bits(value);
}

void fsc__check_fill_halves(float *x)
{
    for (uint32_t code = 0; code < FSC__HALF_CODES; ++code) {
        float *four = x + 4 * code;
        const uint16_t half = (uint16_t)code;
        four[0] = fsc__f32_from_f16(half);
        /* The next half away from zero; beyond the largest one, where the next would be. */
        const bool top = (half & 0x7fff) >= 0x7bff;
        const float next =
            top ? copysignf(0x1p16f, four[0]) : fsc__f32_from_f16((uint16_t)(half + 1));
        four[1] = isfinite(four[0]) ? 0.5f * (four[0] + next) : four[0];
        four[2] = nextafterf(four[1], 0.0f);
        four[3] = nextafterf(four[1], copysignf(INFINITY, four[1]));
    }
}
