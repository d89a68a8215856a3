/* Errors of the functions of one operand against MPFR: 2^20 floats of all exponents. */
#include "unary_cases.h"

const int fsc__test_forks = 0;

enum { FLOATS = 1 << 20 };

static float x[FLOATS], y[FLOATS];

START_TEST(error_within_row)
{
    unary_case cases[UNARY_MOST];
    unary_cases(cases);
    const unary_case *c = &cases[_i];
    unary_worst worst = {0};
    for (uint32_t i = 0; i < FLOATS; i++)
        x[i] = unary_stratified(i, FLOATS);
    unary_evaluate(c, FSC__FMA_EXACT, x, y, FLOATS);
    for (int i = 0; i < FLOATS; i++)
        unary_judge(&worst, false, x[i], y[i], unary_precise(c, x[i]));
    printf("%-10s %.4f at %a\n", c->name, worst.error, (double)worst.x);
    ck_unary(c, &worst);
}
END_TEST

Suite *fsc__test_suite(void)
{
    unary_case cases[UNARY_MOST];
    Suite *suite = suite_create("portable, 2^20 floats");
    TCase *tcase = tcase_create("portable");
    tcase_add_loop_test(tcase, error_within_row, 0, unary_cases(cases));
    suite_add_tcase(suite, tcase);
    return suite;
}
