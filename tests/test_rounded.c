/* The corrected quotient and root of cl/rounded.h, from rough ones that are several units off,
   equal the processor's in every bit. */
#include "harness.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "vocabulary.h"

/* x, off by as many units in the last place as its own bits say: -3 .. 3. */
static real spoiled(real x)
{
    const bits code = vocabulary_as_bits(x);
    const bits size = code & 0x7fffffff;
    if (size < 0x01000000 || size > 0x7f000000)
        return x;
    return vocabulary_as_real(code + (code >> 3) % 4 - (code >> 5) % 4);
}

#define ROUGH_DIV(a, b) spoiled((a) / (b))
#define ROUGH_SQRT(x) spoiled(sqrtf(x))
#define TO_DOUBLE(x) ((double)(x))
#define TO_REAL(x) ((float)(x))
#include "rounded.h"

const int fsc__test_forks = 1;

static const float specials[] = {0.0f,
                                 -0.0f,
                                 1.0f,
                                 -1.0f,
                                 3.0f,
                                 INFINITY,
                                 -INFINITY,
                                 NAN,
                                 0x1p-149f,
                                 -0x1.8p-148f,
                                 0x1.fffffcp-127f,
                                 0x1p-126f,
                                 0x1.fffffep-126f,
                                 0x1.fffffep+127f,
                                 0x1p+127f,
                                 0x1.000002p+0f,
                                 0x1.fffffep+0f,
                                 0x1.fffffep-1f};
enum { SPECIALS = sizeof specials / sizeof specials[0] };

static bool same(real got, real want)
{
    return memcmp(&got, &want, sizeof got) == 0 || (isnan(got) && isnan(want));
}

/* Check's own assertions write to a pipe each time: too slow for millions. */
static void check_pair(real a, real b)
{
    const real want = a / b;
    if (!same(divide_remainder(a, b), want) || !same(divide_double(a, b), want))
        ck_abort_msg("%a / %a = %a, not %a or %a", (double)a, (double)b, (double)want,
                     (double)divide_remainder(a, b), (double)divide_double(a, b));
}

static void check_root(real x)
{
    const real want = sqrtf(x);
    if (!same(sqrt_remainder(x), want) || !same(sqrt_double(x), want))
        ck_abort_msg("sqrt(%a) = %a, not %a or %a", (double)x, (double)want,
                     (double)sqrt_remainder(x), (double)sqrt_double(x));
}

static uint32_t scramble(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    uint32_t x = *state;
    x = (x ^ (x >> 16)) * 0x45d9f3bu;
    return x ^ (x >> 16);
}

static real any_float(uint32_t *state)
{
    return vocabulary_as_real((bits)scramble(state));
}

START_TEST(special_values)
{
    for (int i = 0; i < SPECIALS; i++) {
        check_root(specials[i]);
        for (int j = 0; j < SPECIALS; j++)
            check_pair(specials[i], specials[j]);
    }
}
END_TEST

START_TEST(any_values)
{
    uint32_t state = 1;
    for (int i = 0; i < 1000000; i++) {
        const real a = any_float(&state), b = any_float(&state);
        check_pair(a, b);
        check_root(a);
    }
}
END_TEST

/* Quotients that are subnormal, ties among them: b is a power of two or has few bits. */
START_TEST(subnormal_quotients)
{
    uint32_t state = 2;
    for (int i = 0; i < 1000000; i++) {
        const real a = ldexpf(1.0f + (real)(scramble(&state) >> 9) * 0x1p-23f, -100);
        const int power = 20 + (int)(scramble(&state) % 32u);
        check_pair(a, ldexpf(1.0f + (real)(scramble(&state) % 4u) * 0.25f, power));
    }
}
END_TEST

/* Quotients and roots next to a midpoint: a = (q + half a unit) * b, rounded, and neighbours. */
START_TEST(near_midpoints)
{
    uint32_t state = 3;
    for (int i = 0; i < 1000000; i++) {
        const real b = 1.0f + (real)(scramble(&state) >> 9) * 0x1p-23f;
        const double q = 1.0 + (scramble(&state) >> 9) * 0x1p-23 + 0x1p-24;
        check_pair((real)(q * (double)b), b);
        check_root((real)(q * q));
        check_root(2.0f * (real)(q * q));
    }
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("rounded");
    TCase *tcase = tcase_create("rounded");
    tcase_add_test(tcase, special_values);
    tcase_add_test(tcase, any_values);
    tcase_add_test(tcase, subnormal_quotients);
    tcase_add_test(tcase, near_midpoints);
    tcase_set_timeout(tcase, 120);
    suite_add_tcase(suite, tcase);
    return suite;
}
