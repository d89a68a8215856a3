/* The probe's patterns have teeth: arithmetic that is wrong in known ways differs on them. And the
   quirk table comes to the right conclusion from what is found. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "device/check.h"
#include "device/quirk.h"
#include "harness.h"
#include "numeric/dtype.h"

const int fsc__test_forks = 1;

static float flush(float x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0.0f, x) : x;
}

static float flushed_add(float x, float y, float z)
{
    (void)z;
    return flush(x + y);
}

static float flushed_mul(float x, float y, float z)
{
    (void)z;
    return flush(flush(x) * flush(y));
}

static float truncated_mul(float x, float y, float z)
{
    (void)z;
    const double exact = (double)x * (double)y;
    const float near = (float)exact;
    return fabs((double)near) > fabs(exact) && isfinite(near) ? nextafterf(near, 0.0f) : near;
}

static float fused(float x, float y, float z)
{
    return fmaf(x, y, z);
}

static float reciprocal_divide(float x, float y, float z)
{
    (void)z;
    return x * (1.0f / y);
}

/* One Newton step on the quotient without the final correction is right but near midpoints. */
static float newton_divide(float x, float y, float z)
{
    (void)z;
    const double almost = (double)x * (1.0 / (double)y);
    return (float)(almost * (1.0 + 0x1p-48));
}

static float newton_sqrt(float x, float y, float z)
{
    (void)y, (void)z;
    return (float)(sqrt((double)x) * (1.0 + 0x1p-50));
}

static float double_fma(float x, float y, float z)
{
    return (float)((double)x * (double)y + (double)z);
}

/* Flushes operands and result and nothing else: nearly the flushing fma, but not it. */
static float simply_flushed_fma(float x, float y, float z)
{
    return flush(fmaf(flush(x), flush(y), flush(z)));
}

static float unordered_select(float x, float y, float z)
{
    return !(x > y) ? y : z;
}

static const struct {
    fsc__check_id check;
    fsc__fma fma;
    float (*wrong)(float x, float y, float z);
} faults[] = {
    {FSC__CHECK_ADD, FSC__FMA_EXACT, flushed_add},
    {FSC__CHECK_MUL, FSC__FMA_EXACT, flushed_mul},
    {FSC__CHECK_MUL, FSC__FMA_EXACT, truncated_mul},
    {FSC__CHECK_PRODUCT_SUM, FSC__FMA_EXACT, fused},
    {FSC__CHECK_DIVIDE, FSC__FMA_EXACT, reciprocal_divide},
    {FSC__CHECK_DIVIDE, FSC__FMA_EXACT, newton_divide},
    {FSC__CHECK_SQRT, FSC__FMA_EXACT, newton_sqrt},
    {FSC__CHECK_FMA, FSC__FMA_EXACT, double_fma},
    {FSC__CHECK_FMA, FSC__FMA_EXACT, fsc__check_flushing_fma},
    {FSC__CHECK_FMA, FSC__FMA_FLUSHES, fused},
    {FSC__CHECK_FMA, FSC__FMA_FLUSHES, simply_flushed_fma},
    {FSC__CHECK_SELECT, FSC__FMA_EXACT, unordered_select},
};

START_TEST(wrong_arithmetic_differs)
{
    float *x = fsc__alloc(3 * FSC__CHECK_PATTERNS, sizeof *x);
    float *y = x + FSC__CHECK_PATTERNS, *z = y + FSC__CHECK_PATTERNS;
    fsc__check_fill(faults[_i].check, x, y, z);
    int differ = 0;
    for (int i = 0; i < FSC__CHECK_PATTERNS; ++i) {
        const float got = faults[_i].wrong(x[i], y[i], z[i]);
        const uint32_t bits = isnan(got) ? 0x7fc00000u : fsc__f32_bits(got);
        differ += bits != fsc__check_expect(faults[_i].check, faults[_i].fma, x[i], y[i], z[i]);
    }
    ck_assert_int_gt(differ, 20);
    fsc__free(x);
}
END_TEST

/* What libclc's fma gives where it leaves the exact one, as measured on rusticl: a subnormal
   operand or result, a zero addend, a result rounded up to the smallest normal by fewer bits, a
   tie. */
START_TEST(flushing_fma_has_the_measured_values)
{
    static const uint32_t rows[][4] = {
        {0x3f7fffff, 0x00000000, 0x807fffff, 0x00000000},
        {0x3f7fffff, 0x00000001, 0x80000001, 0x00000000},
        {0x17c77bf1, 0x9f934284, 0x00800039, 0x00000000},
        {0x14a71d91, 0x21ebe8a1, 0x80800013, 0x80800000},
        {0x27e423c4, 0x0b8fa19c, 0x80800000, 0x80800000},
        {0x3f800000, 0x00800000, 0x80000001, 0x00800000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const float got =
            fsc__check_flushing_fma(fsc__f32_of_bits(rows[i][0]), fsc__f32_of_bits(rows[i][1]),
                                    fsc__f32_of_bits(rows[i][2]));
        ck_assert_msg(fsc__f32_bits(got) == rows[i][3], "row %zu: %08x", i, fsc__f32_bits(got));
    }
}
END_TEST

START_TEST(half_patterns_hold_values_and_ties)
{
    float *x = fsc__alloc(FSC__HALF_FLOATS, sizeof *x);
    fsc__check_fill_halves(x);
    /* 1 is 0x3c00: the tie above it goes to even, one float further up to 0x3c01 */
    const float *one = x + 4 * 0x3c00;
    ck_assert(one[0] == 1.0f && one[1] == 1.0f + 0x1p-11f);
    ck_assert(one[2] == 1.0f + 0x1p-11f - 0x1p-23f && one[3] == 1.0f + 0x1p-11f + 0x1p-23f);
    const float *largest = x + 4 * 0xfbff;
    ck_assert(largest[0] == -65504.0f && largest[1] == -65520.0f);
    ck_assert(x[4 * 1] == 0x1p-24f && x[1] == 0x1p-25f);
    ck_assert(isinf(x[4 * 0x7c00]) && isnan(x[4 * 0x7e00]));
    fsc__free(x);
}
END_TEST

/* Applies quirks to made findings until none is left; the names, joined. */
static const char *conclude(fsc__caps *trial, fsc__finding findings[FSC__CHECK_COUNT])
{
    static char names[256];
    names[0] = '\0';
    for (bool refused = false; !refused;) {
        const fsc__quirk *quirk = fsc__quirk_next(trial, findings);
        if (!quirk)
            break;
        strcat(names, names[0] ? " " : "");
        strcat(names, fsc__quirk_name(quirk));
        refused = fsc__quirk_apply(quirk, trial);
        if (refused)
            strcat(names, "!");
    }
    return names;
}

static const char *conclude_one(fsc__check_id check, int64_t differ, int64_t differ_normal,
                                bool fp64, fsc__caps *trial)
{
    fsc__finding findings[FSC__CHECK_COUNT] = {{0}};
    findings[check].tried = FSC__CHECK_PATTERNS;
    findings[check].differ = differ;
    findings[check].differ_normal = differ_normal;
    *trial = (fsc__caps){.keeps_subnormals = true, .converts_half = true, .fp64 = fp64};
    return conclude(trial, findings);
}

START_TEST(findings_lead_to_quirks)
{
    fsc__caps trial;
    ck_assert_str_eq(conclude_one(FSC__CHECK_ADD, 0, 0, true, &trial), "");
    ck_assert_str_eq(conclude_one(FSC__CHECK_ADD, 9, 1, true, &trial), "basics-differ!");
    ck_assert_str_eq(conclude_one(FSC__CHECK_ADD, 9, 0, true, &trial), "flushes-subnormals!");
    ck_assert(!trial.keeps_subnormals);
    ck_assert_str_eq(conclude_one(FSC__CHECK_DIVIDE, 9, 5, true, &trial),
                     "divide-double divide-remainder divide-differs!");
    ck_assert_int_eq(trial.divide, FSC__ROUND_NONE);
    ck_assert_str_eq(conclude_one(FSC__CHECK_SQRT, 9, 5, false, &trial),
                     "sqrt-remainder sqrt-differs!");
    ck_assert_int_eq(trial.sqrt, FSC__ROUND_NONE);
    ck_assert_str_eq(conclude_one(FSC__CHECK_FMA, 9, 5, true, &trial), "fma-flushes fma-differs!");
    ck_assert_int_eq(trial.fma, FSC__FMA_OTHER);
    ck_assert_str_eq(conclude_one(FSC__CHECK_PRODUCT_SUM, 9, 9, true, &trial),
                     "contracts contraction-remains!");
    ck_assert_str_eq(conclude_one(FSC__CHECK_STORE_HALF, 9, 9, true, &trial), "half-differs");
    ck_assert(!trial.converts_half);
}
END_TEST

/* A trial that cures the fault ends the search. */
START_TEST(cured_faults_are_not_refused)
{
    fsc__caps trial = {.keeps_subnormals = true, .converts_half = true, .fp64 = true};
    fsc__finding findings[FSC__CHECK_COUNT] = {{0}};
    findings[FSC__CHECK_DIVIDE].differ = findings[FSC__CHECK_DIVIDE].differ_normal = 3;
    const fsc__quirk *quirk = fsc__quirk_next(&trial, findings);
    ck_assert(!fsc__quirk_apply(quirk, &trial));
    ck_assert_int_eq(trial.divide, FSC__ROUND_DOUBLE);
    findings[FSC__CHECK_DIVIDE] = (fsc__finding){0};
    ck_assert_ptr_null(fsc__quirk_next(&trial, findings));
}
END_TEST

START_TEST(quirks_are_described_with_a_pattern)
{
    fsc__caps trial = {.keeps_subnormals = true};
    fsc__finding findings[FSC__CHECK_COUNT] = {{0}};
    findings[FSC__CHECK_SUB] = (fsc__finding){
        .tried = 6144, .differ = 2, .x = 1, .y = 0x3f800000, .z = 0, .got = 0x80000000, .want = 1};
    char text[256];
    fsc__quirk_describe(fsc__quirk_next(&trial, findings), findings, text, sizeof text);
    ck_assert_str_eq(text, "subnormals are flushed to zero: \"-\" differs on 2 of 6144 patterns, "
                           "first on 00000001 3f800000 00000000: 80000000 instead of 00000001");
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("check");
    TCase *tests = tcase_create("check");
    tcase_add_loop_test(tests, wrong_arithmetic_differs, 0, sizeof faults / sizeof faults[0]);
    tcase_add_test(tests, flushing_fma_has_the_measured_values);
    tcase_add_test(tests, half_patterns_hold_values_and_ties);
    tcase_add_test(tests, findings_lead_to_quirks);
    tcase_add_test(tests, cured_faults_are_not_refused);
    tcase_add_test(tests, quirks_are_described_with_a_pattern);
    suite_add_tcase(suite, tests);
    return suite;
}
