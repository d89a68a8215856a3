/* Element types: every code round-trips, conversions round once and to nearest even. */
#include <math.h>
#include <string.h>

#include "harness.h"
#include "numeric/dtype.h"
#include "numeric/fpenv.h"

const int fsc__test_forks = 1;

static uint16_t code_of(fsc_dtype type, double value)
{
    uint16_t code;
    fsc__dtype_store(type, &code, 0, value);
    return code;
}

static uint32_t f32_code_of(double value)
{
    float stored;
    fsc__dtype_store(FSC_F32, &stored, 0, value);
    return fsc__f32_bits(stored);
}

START_TEST(names_and_sizes)
{
    static const struct {
        const char *name;
        fsc_dtype type;
        size_t bytes;
    } rows[] = {{"f32", FSC_F32, 4}, {"f16", FSC_F16, 2}, {"bf16", FSC_BF16, 2},
                {"f64", FSC_F64, 8}, {"i8", FSC_I8, 1},   {"u8", FSC_U8, 1},
                {"i32", FSC_I32, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fsc_dtype type;
        ck_assert(fsc__dtype_find(rows[i].name, &type));
        ck_assert_int_eq(type, rows[i].type);
        ck_assert_str_eq(fsc__dtype_name(type), rows[i].name);
        ck_assert_uint_eq(fsc__dtype_bytes(type), rows[i].bytes);
    }
    fsc_dtype untouched = FSC_U8;
    ck_assert(!fsc__dtype_find("fp16", &untouched));
    ck_assert_int_eq(untouched, FSC_U8);
    ck_assert(fsc__dtype_max(FSC_F16) == 65504.0);
    ck_assert(fsc__dtype_max(FSC_F32) == 3.4028234663852886e38);
    ck_assert(fsc__dtype_max(FSC_BF16) == 3.3895313892515355e38);
    ck_assert_int_eq(fsc__dtype_fraction_bits(FSC_BF16), 7);
    ck_assert_int_eq(fsc__dtype_lowest_exponent(FSC_F16), -14);
}
END_TEST

/* The value of a code, by its definition. */
static double half_value(unsigned code)
{
    const int exponent = code >> 10 & 31, fraction = code & 1023;
    const double sign = code >> 15 ? -1.0 : 1.0;
    if (exponent == 31)
        return fraction ? (double)NAN : sign * (double)INFINITY;
    return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

static double bf16_value(unsigned code)
{
    const int exponent = code >> 7 & 255, fraction = code & 127;
    const double sign = code >> 15 ? -1.0 : 1.0;
    if (exponent == 255)
        return fraction ? (double)NAN : sign * (double)INFINITY;
    return sign * (exponent ? ldexp(128 + fraction, exponent - 134) : ldexp(fraction, -133));
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

START_TEST(every_half_code)
{
    for (unsigned i = 0; i < 65536; i++) {
        const uint16_t code = (uint16_t)i;
        const double value = half_value(i);
        const uint16_t back = isnan(value) ? 0x7e00 : code;
        ck_assert_msg(same((double)fsc__f32_from_f16(code), value), "code %04x", i);
        ck_assert_msg(same(fsc__dtype_load(FSC_F16, &code, 0), value), "code %04x", i);
        ck_assert_uint_eq(fsc__f16_from_f32((float)value), back);
        ck_assert_uint_eq(code_of(FSC_F16, value), back);
    }
}
END_TEST

START_TEST(every_bf16_code)
{
    for (unsigned i = 0; i < 65536; i++) {
        const uint16_t code = (uint16_t)i;
        const double value = bf16_value(i);
        const uint16_t back = isnan(value) ? 0x7fc0 : code;
        ck_assert_msg(same((double)fsc__f32_from_bf16(code), value), "code %04x", i);
        ck_assert_msg(same(fsc__dtype_load(FSC_BF16, &code, 0), value), "code %04x", i);
        ck_assert_uint_eq(fsc__bf16_from_f32((float)value), back);
        ck_assert_uint_eq(code_of(FSC_BF16, value), back);
    }
}
END_TEST

/* Between any two neighbours: the midpoint goes to the even code, a hair off it to the nearer. */
static void check_midpoints(fsc_dtype type, unsigned infinity, double (*value)(unsigned))
{
    for (unsigned i = 0; i < infinity; i++) {
        const double low = value(i);
        const double high = i + 1 == infinity ? 2 * low - value(i - 1) : value(i + 1);
        const double middle = low + (high - low) / 2;
        const unsigned even = i & 1 ? i + 1 : i;
        ck_assert_uint_eq(code_of(type, middle), even);
        ck_assert_uint_eq(code_of(type, nextafter(middle, 0)), i);
        ck_assert_uint_eq(code_of(type, nextafter(middle, INFINITY)), i + 1);
        ck_assert_uint_eq(code_of(type, -middle), even | 0x8000);

        const float narrow = (float)middle; /* exact: both types have fewer bits than float */
        uint16_t (*convert)(float) = type == FSC_F16 ? fsc__f16_from_f32 : fsc__bf16_from_f32;
        if ((double)narrow != middle)
            continue; /* below the smallest subnormal float */
        ck_assert_uint_eq(convert(narrow), even);
        ck_assert_uint_eq(convert(nextafterf(narrow, 0)), i);
        ck_assert_uint_eq(convert(nextafterf(narrow, INFINITY)), i + 1);
        ck_assert_uint_eq(convert(-narrow), even | 0x8000);
    }
}

START_TEST(ties)
{
    check_midpoints(FSC_F16, 0x7c00, half_value);
    check_midpoints(FSC_BF16, 0x7f80, bf16_value);
}
END_TEST

/* Through float these would round twice: to the midpoint, then to the even code. */
START_TEST(one_rounding_from_double)
{
    ck_assert_uint_eq(code_of(FSC_F16, 1.0 + 3 * 0x1p-11 - 0x1p-40), 0x3c01);
    ck_assert_uint_eq(code_of(FSC_F16, 1.0 + 0x1p-11 + 0x1p-40), 0x3c01);
    ck_assert_uint_eq(code_of(FSC_BF16, 1.0 + 0x1p-8 + 0x1p-40), 0x3f81);
    ck_assert_uint_eq(code_of(FSC_BF16, 1.0 + 3 * 0x1p-8 - 0x1p-40), 0x3f81);
    ck_assert_uint_eq(code_of(FSC_F16, 0x1p-25 + 0x1p-70), 0x0001);
}
END_TEST

START_TEST(f32_store)
{
    ck_assert_uint_eq(f32_code_of(1.0 + 0x1p-24), 0x3f800000);
    ck_assert_uint_eq(f32_code_of(1.0 + 0x1p-24 + 0x1p-52), 0x3f800001);
    ck_assert_uint_eq(f32_code_of(-0x1p-149), 0x80000001);
    ck_assert_uint_eq(f32_code_of(0x1p-150), 0);
    ck_assert_uint_eq(f32_code_of(-0x1p-150), 0x80000000);
    ck_assert_uint_eq(f32_code_of(0x1.8p-150), 1);
    ck_assert_uint_eq(f32_code_of(0x3p-150), 2);
    ck_assert_uint_eq(f32_code_of(0x1.fffffep-127), 0x00800000);
    ck_assert_uint_eq(f32_code_of(0x1.ffffff8p127), 0x7f800000);
    ck_assert_uint_eq(f32_code_of(0x1.fffffe8p127), 0x7f7fffff);
    ck_assert_uint_eq(f32_code_of(-1e300), 0xff800000);
    ck_assert_uint_eq(f32_code_of(-(double)NAN), 0x7fc00000);
}
END_TEST

/* K17: half(65519.996, 65520, 2.9802322e-8, 3e-8, 1.00048828) is 65504, inf, 0, 5.96e-8, 1. */
START_TEST(k17_half_rounds_to_nearest_even)
{
    static const struct {
        float value;
        uint16_t code;
    } rows[] = {{65519.996f, 0x7bff},
                {65520.0f, 0x7c00},
                {2.9802322e-8f, 0x0000},
                {3e-8f, 0x0001},
                {1.00048828f, 0x3c00}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_uint_eq(fsc__f16_from_f32(rows[i].value), rows[i].code);
        ck_assert_uint_eq(code_of(FSC_F16, (double)rows[i].value), rows[i].code);
    }
    ck_assert(fsc__f32_from_f16(0x0001) == 5.9604645e-8f);
}
END_TEST

/* K18: bf16(1.25 * 1.609375) is 2.015625; truncation gives 2. */
START_TEST(k18_bf16_rounds)
{
    const float product = 1.25f * 1.609375f;
    ck_assert(fsc__dtype_round(FSC_BF16, product) == 2.015625f);
    ck_assert_uint_eq(fsc__bf16_from_f32(product), 0x4001);
}
END_TEST

/* Rounding 0x7fffffff as an integer gives the code of -0. */
START_TEST(nan_is_canonical)
{
    static const uint32_t codes[] = {0x7fffffff, 0xffffffff, 0x7f800001, 0xff800001, 0x7fc00000};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        ck_assert_uint_eq(fsc__f16_from_f32(fsc__f32_of_bits(codes[i])), 0x7e00);
        ck_assert_uint_eq(fsc__bf16_from_f32(fsc__f32_of_bits(codes[i])), 0x7fc0);
    }
}
END_TEST

START_TEST(round_and_back)
{
    ck_assert(fsc__dtype_round(FSC_F32, 0.1f) == 0.1f);
    ck_assert(fsc__dtype_round(FSC_F16, 0.1f) == 0.0999755859375f);
    ck_assert(fsc__dtype_round(FSC_BF16, 0.1f) == 0.10009765625f);
    ck_assert(isinf(fsc__dtype_round(FSC_F16, 1e6f)));
}
END_TEST

/* K19's rounding: half to even, saturating. */
START_TEST(integers)
{
    static const struct {
        double value;
        int i8, u8;
    } rows[] = {{0.5, 0, 0},      {1.5, 2, 2},          {2.5, 2, 2},
                {-2.5, -2, 0},    {127.5, 127, 128},    {-128.5, -128, 0},
                {1e30, 127, 255}, {-INFINITY, -128, 0}, {NAN, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int8_t i8;
        uint8_t u8;
        fsc__dtype_store(FSC_I8, &i8, 0, rows[i].value);
        fsc__dtype_store(FSC_U8, &u8, 0, rows[i].value);
        ck_assert_int_eq(i8, rows[i].i8);
        ck_assert_int_eq(u8, rows[i].u8);
        ck_assert(fsc__dtype_load(FSC_I8, &i8, 0) == rows[i].i8);
        ck_assert(fsc__dtype_load(FSC_U8, &u8, 0) == rows[i].u8);
    }
    int32_t i32;
    fsc__dtype_store(FSC_I32, &i32, 0, 2147483647.5);
    ck_assert_int_eq(i32, INT32_MAX);
    fsc__dtype_store(FSC_I32, &i32, 0, -3e9);
    ck_assert_int_eq(i32, INT32_MIN);
    ck_assert(fsc__dtype_load(FSC_I32, &i32, 0) == -2147483648.0);
}
END_TEST

#if defined(__SSE__)
#include <xmmintrin.h>

/* A driver that leaves flush-to-zero and denormals-are-zero on changes no conversion. */
START_TEST(conversions_ignore_flushing)
{
    const unsigned saved = _mm_getcsr();
    _mm_setcsr(saved | 0x8040);
    const uint32_t stored = f32_code_of(-0x1p-140);
    const float subnormal = fsc__f32_of_bits(0x00000100);
    const double loaded = fsc__dtype_load(FSC_F32, &subnormal, 0);
    const uint16_t tiny = 0x8001;
    const double loaded_bf16 = fsc__dtype_load(FSC_BF16, &tiny, 0);
    const uint16_t half = fsc__f16_from_f32(0x1p-24f);
    _mm_setcsr(saved);
    ck_assert_uint_eq(stored, 0x80000200);
    ck_assert(loaded == 0x1p-141);
    ck_assert(loaded_bf16 == -0x1p-133);
    ck_assert_uint_eq(half, 1);
}
END_TEST

START_TEST(environment_is_set_checked_and_restored)
{
    const unsigned saved = _mm_getcsr();
    _mm_setcsr(saved | 0xe040); /* towards zero, FTZ, DAZ */
    const unsigned theirs = _mm_getcsr();
    fsc__fpenv env;
    fsc__fpenv_enter(&env);
    volatile float tiny = 0x1p-126f, one = 1.0f, three = 3.0f;
    const float half_of_tiny = tiny * 0.5f, third = -one / three;
    const bool kept = fsc__fpenv_leave(&env);
    const unsigned restored = _mm_getcsr();

    fsc__fpenv_enter(&env);
    _mm_setcsr(_mm_getcsr() | 0x8000);
    const bool noticed = !fsc__fpenv_leave(&env);
    _mm_setcsr(saved);

    ck_assert(kept);
    ck_assert(noticed);
    ck_assert_uint_eq(fsc__f32_bits(half_of_tiny), 0x00400000);
    ck_assert_uint_eq(fsc__f32_bits(third), 0xbeaaaaab);
    ck_assert_uint_eq(restored & ~0x3fu, theirs & ~0x3fu);
}
END_TEST
#endif

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("dtype");
    TCase *tc = tcase_create("dtype");
    tcase_add_test(tc, names_and_sizes);
    tcase_add_test(tc, every_half_code);
    tcase_add_test(tc, every_bf16_code);
    tcase_add_test(tc, ties);
    tcase_add_test(tc, one_rounding_from_double);
    tcase_add_test(tc, f32_store);
    tcase_add_test(tc, k17_half_rounds_to_nearest_even);
    tcase_add_test(tc, k18_bf16_rounds);
    tcase_add_test(tc, nan_is_canonical);
    tcase_add_test(tc, round_and_back);
    tcase_add_test(tc, integers);
#if defined(__SSE__)
    tcase_add_test(tc, conversions_ignore_flushing);
    tcase_add_test(tc, environment_is_set_checked_and_restored);
#endif
    suite_add_tcase(suite, tc);
    return suite;
}
