/* Ordinals, spacings and distances in units in the last place. */
#include <math.h>

#include "harness.h"
#include "numeric/ulp.h"

const int fsc__test_forks = 1;

START_TEST(ordinals_count_values)
{
    const float f32[] = {0.0f, -0.0f, 0x1p-149f, -0x1p-149f, 1.0f, -1.0f, INFINITY};
    ck_assert_int_eq(fsc__ulp_ordinal(FSC_F32, f32, 0), 0);
    ck_assert_int_eq(fsc__ulp_ordinal(FSC_F32, f32, 1), 0);
    ck_assert_int_eq(fsc__ulp_ordinal(FSC_F32, f32, 2), 1);
    ck_assert_int_eq(fsc__ulp_ordinal(FSC_F32, f32, 3), -1);
    ck_assert_int_eq(fsc__ulp_ordinal(FSC_F32, f32, 4), 0x3f800000);
    ck_assert_int_eq(fsc__ulp_ordinal(FSC_F32, f32, 5), -0x3f800000);
    ck_assert_int_eq(fsc__ulp_ordinal(FSC_F32, f32, 6), 0x7f800000);

    const uint16_t codes[] = {0x8000, 0x8001, 0x7bff, 0x7c00, 0xbc00};
    ck_assert_int_eq(fsc__ulp_ordinal(FSC_F16, codes, 0), 0);
    ck_assert_int_eq(fsc__ulp_ordinal(FSC_F16, codes, 1), -1);
    ck_assert_int_eq(fsc__ulp_ordinal(FSC_F16, codes, 3) - fsc__ulp_ordinal(FSC_F16, codes, 2), 1);
    ck_assert_int_eq(fsc__ulp_ordinal(FSC_BF16, codes, 4), -0x3c00);
}
END_TEST

START_TEST(spacings)
{
    static const struct {
        fsc_dtype type;
        double value, spacing;
    } rows[] = {
        {FSC_F32, 1.0, 0x1p-23},     {FSC_F32, -1.999, 0x1p-23},  {FSC_F32, 0x1p-130, 0x1p-149},
        {FSC_F32, 0.0, 0x1p-149},    {FSC_F32, 1e300, 0x1p104},   {FSC_F16, 2048.0, 2.0},
        {FSC_F16, 2047.99, 1.0},     {FSC_F16, 1e-9, 0x1p-24},    {FSC_F16, 0x1p-14, 0x1p-24},
        {FSC_F16, 0x1p-13, 0x1p-23}, {FSC_F16, 65519.0, 32.0},    {FSC_F16, (double)INFINITY, 32.0},
        {FSC_BF16, 3.0, 0x1p-6},     {FSC_BF16, -1e-45, 0x1p-133}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_msg(fsc__ulp_spacing(rows[i].type, rows[i].value) == rows[i].spacing, "%s %g: %g",
                      fsc__dtype_name(rows[i].type), rows[i].value,
                      fsc__ulp_spacing(rows[i].type, rows[i].value));
    ck_assert(isnan(fsc__ulp_spacing(FSC_F32, (double)NAN)));
}
END_TEST

START_TEST(errors)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    const double third = 1.0 / 3.0;
    ck_assert(fsc__ulp_error(FSC_F32, (double)(1.0f / 3.0f), third) == 0xaaaaaabp-29);
    ck_assert(fsc__ulp_error(FSC_F32, 1.0 + 0x1p-22, 1.0) == 2.0);
    ck_assert(fsc__ulp_error(FSC_F16, 2050.0, 2048.5) == 0.75);
    ck_assert(fsc__ulp_error(FSC_BF16, -1.0, 1.0) == 256.0);
    ck_assert(fsc__ulp_error(FSC_F16, 0x1p-24, 0.0) == 1.0);
    ck_assert(fsc__ulp_error(FSC_F32, 0.0, -0.0) == 0.0);
    ck_assert(fsc__ulp_error(FSC_F32, inf, inf) == 0.0);
    ck_assert(fsc__ulp_error(FSC_F32, -inf, inf) == inf);
    ck_assert(fsc__ulp_error(FSC_F32, nan, nan) == 0.0);
    ck_assert(fsc__ulp_error(FSC_F32, nan, 1.0) == inf);
    ck_assert(fsc__ulp_error(FSC_F32, 1.0, nan) == inf);
    ck_assert(fsc__ulp_error(FSC_F32, 1.0, inf) == inf);
}
END_TEST

/* 65504 is the largest half, the next would be 65536. */
START_TEST(errors_at_the_edge_of_overflow)
{
    const double inf = (double)INFINITY;
    ck_assert(fsc__ulp_error(FSC_F16, 65504.0, 65512.0) == 0.25);
    ck_assert(fsc__ulp_error(FSC_F16, inf, 65512.0) == 0.75);
    ck_assert(fsc__ulp_error(FSC_F16, inf, 65528.0) == 0.25);
    ck_assert(fsc__ulp_error(FSC_F16, -inf, 65528.0) == (65528.0 + 65536.0) / 32);
    ck_assert(fsc__ulp_error(FSC_F16, inf, 65536.0) == 0.0);
    ck_assert(fsc__ulp_error(FSC_F16, inf, 1e9) == 0.0);
    ck_assert(fsc__ulp_error(FSC_F16, 65504.0, 65536.0) == inf);
    ck_assert(fsc__ulp_error(FSC_F16, inf, 65504.0) == inf);
    ck_assert(fsc__ulp_error(FSC_F16, -inf, 1e9) == inf);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("ulp");
    TCase *tc = tcase_create("ulp");
    tcase_add_test(tc, ordinals_count_values);
    tcase_add_test(tc, spacings);
    tcase_add_test(tc, errors);
    tcase_add_test(tc, errors_at_the_edge_of_overflow);
    suite_add_tcase(suite, tc);
    return suite;
}
