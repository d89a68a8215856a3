/* Loads, stores and roundings of the prediction against the conversions of numeric, which are
   written another way: every f16 and bf16 code, floats around every rounding boundary, on every
   instruction set. */
#include "harness.h"

#include <math.h>
#include <string.h>

#include "reference/predict.h"
#include "reference/predict_isa.h"

const int fsc__test_forks = 1;

static const char *const isas[] = {"generic", "avx2", "avx512"};
static const fsc_dtype types[] = {FSC_F32, FSC_F16, FSC_BF16};
enum { ISA_COUNT = 3, CODES = 65536, NEAR = 5 };

static void check_store(const fsc__predict_loops *loops, fsc_dtype type, const float *values,
                        int64_t n)
{
    static uint32_t codes[CODES * NEAR];
    static float rounded[CODES * NEAR];
    const size_t bytes = fsc__dtype_bytes(type);
    loops->store(type, values, n, codes, 0);
    memcpy(rounded, values, (size_t)n * sizeof *rounded);
    loops->round(type, rounded, n);
    for (int64_t i = 0; i < n; i++) {
        uint32_t want = 0;
        fsc__dtype_store(type, &want, 0, (double)values[i]);
        if (memcmp((char *)codes + (size_t)i * bytes, &want, bytes) != 0)
            ck_abort_msg("%s of %a is not %#x", fsc__dtype_name(type), (double)values[i], want);
        const float value = (float)fsc__dtype_load(type, &want, 0);
        if (!(fsc__f32_bits(rounded[i]) == fsc__f32_bits(value) ||
              (isnan(rounded[i]) && isnan(value))))
            ck_abort_msg("%a rounded to %s is %a", (double)values[i], fsc__dtype_name(type),
                         (double)rounded[i]);
    }
}

/* Every code as the upper half of a float, with lower halves around ties. */
START_TEST(stores)
{
    static float values[CODES * NEAR];
    const uint32_t low[NEAR] = {0, 0x7fff, 0x8000, 0x8001, 0xffff};
    for (uint32_t i = 0; i < CODES * NEAR; i++)
        values[i] = fsc__f32_of_bits((i / NEAR) << 16 | low[i % NEAR]);
    for (int v = 0; v < ISA_COUNT; v++) {
        if (!fsc__predict_force_isa(isas[v]))
            continue;
        for (int t = 0; t < 3; t++)
            check_store(fsc__predict_loops_of(FSC__FMA_EXACT), types[t], values, CODES * NEAR);
    }
}
END_TEST

/* Around every half: the value itself, and the midpoints to its neighbours with one float more and
   less. */
START_TEST(stores_around_halves)
{
    static float values[CODES * NEAR];
    int64_t n = 0;
    for (uint32_t code = 0; code < CODES; code++) {
        const float half = fsc__f32_from_f16((uint16_t)code);
        const float next = fsc__f32_from_f16((uint16_t)(code + 1));
        const float tie =
            (code & 0x7fffu) == 0x7bffu ? copysignf(65520.0f, half) : half + (next - half) * 0.5f;
        const float some[NEAR] = {half, tie, nextafterf(tie, -INFINITY), nextafterf(tie, INFINITY),
                                  next};
        memcpy(values + n, some, sizeof some);
        n += NEAR;
    }
    for (int v = 0; v < ISA_COUNT; v++) {
        if (fsc__predict_force_isa(isas[v]))
            check_store(fsc__predict_loops_of(FSC__FMA_FLUSHES), FSC_F16, values, n);
    }
}
END_TEST

START_TEST(loads)
{
    static uint16_t codes[CODES];
    static float values[CODES];
    for (uint32_t i = 0; i < CODES; i++)
        codes[i] = (uint16_t)i;
    for (int v = 0; v < ISA_COUNT; v++) {
        if (!fsc__predict_force_isa(isas[v]))
            continue;
        for (int t = 1; t < 3; t++) {
            fsc__predict_loops_of(FSC__FMA_EXACT)->load(types[t], codes, 3, CODES - 3, values + 3);
            for (int64_t i = 3; i < CODES; i++) {
                const float want = (float)fsc__dtype_load(types[t], codes, i);
                if (!(fsc__f32_bits(values[i]) == fsc__f32_bits(want) ||
                      (isnan(values[i]) && isnan(want))))
                    ck_abort_msg("%s code %#x gives %a", fsc__dtype_name(types[t]), (unsigned)i,
                                 (double)values[i]);
            }
        }
    }
}
END_TEST

/* K17 */
START_TEST(known_halves)
{
    const float values[] = {65519.996f, 65520.0f, 2.9802322e-8f, 3e-8f, 1.00048828f};
    const uint16_t want[] = {0x7bff, 0x7c00, 0x0000, 0x0001, 0x3c00};
    uint16_t got[5];
    fsc__predict_loops_of(FSC__FMA_EXACT)->store(FSC_F16, values, 5, got, 0);
    for (int i = 0; i < 5; i++)
        ck_assert_uint_eq(got[i], want[i]);
}
END_TEST

START_TEST(canonical_nan)
{
    float values[] = {fsc__f32_of_bits(0x7fffffffu), fsc__f32_of_bits(0xff800001u)};
    uint32_t single[2];
    uint16_t half[2], brain[2];
    const fsc__predict_loops *loops = fsc__predict_loops_of(FSC__FMA_EXACT);
    loops->store(FSC_F32, values, 2, single, 0);
    loops->store(FSC_F16, values, 2, half, 0);
    loops->store(FSC_BF16, values, 2, brain, 0);
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(single[i], 0x7fc00000u);
        ck_assert_uint_eq(half[i], 0x7e00u);
        ck_assert_uint_eq(brain[i], 0x7fc0u);
    }
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("predict_storage");
    TCase *tc = tcase_create("storage");
    tcase_add_test(tc, stores);
    tcase_add_test(tc, stores_around_halves);
    tcase_add_test(tc, loads);
    tcase_add_test(tc, known_halves);
    tcase_add_test(tc, canonical_nan);
    tcase_set_timeout(tc, 60);
    suite_add_tcase(suite, tc);
    return suite;
}
