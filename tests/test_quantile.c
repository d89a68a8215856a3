/* The normal quantile against libm's erfc, tails included. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "harness.h"
#include "numeric/quantile.h"

const int fsc__test_forks = 1;

/* Check writes a file at each assertion: loops count what is wrong and assert once. */
static int quantile_is_off(double p, double tolerance)
{
    const double x = fsc__normal_quantile(p);
    const double density = exp(-x * x / 2) / sqrt(2 * 3.14159265358979323846);
    const double error = (0.5 * erfc(-x / sqrt(2.0)) - p) / density;
    const bool off = !(fabs(error) <= tolerance * fabs(x));
    if (off)
        printf("quantile(%a) is %.17g, off by %g\n", p, x, error);
    return off;
}

START_TEST(quantiles_invert_the_distribution)
{
    int off = 0, uneven = 0;
    for (int e = 2; e <= 53; e++)
        for (int k = 0; k < 500; k++) {
            const double p = ldexp(1.0 + k / 500.0, -e);
            off += quantile_is_off(p, p < 0.45 ? 4e-15 : 1e-12);
            uneven += fsc__normal_quantile(1.0 - p) != -fsc__normal_quantile(1.0 - (1.0 - p));
        }
    ck_assert_int_eq(off, 0);
    ck_assert_int_eq(uneven, 0);
    ck_assert(fsc__normal_quantile(0.5) == 0.0);
    ck_assert(fabs(fsc__normal_quantile(0.975) - 1.9599639845400545) < 1e-15);
    ck_assert(fabs(fsc__normal_quantile(0x1p-53) + 8.2095361516013852) < 1e-14);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("quantile");
    TCase *tc = tcase_create("quantile");
    tcase_add_test(tc, quantiles_invert_the_distribution);
    suite_add_tcase(suite, tc);
    return suite;
}
