/* Errors of the functions of one operand against MPFR: every half and 2^17 floats of all exponents,
   with an exact fma and with one that flushes. */
#include "unary_cases.h"

const int fsc__test_forks = 1;

enum { HALVES = 1 << 16, FLOATS = 1 << 17, INPUTS = HALVES + FLOATS };

static float x[INPUTS], exact[INPUTS], flushed[INPUTS];

static void fill(void)
{
    for (uint32_t i = 0; i < HALVES; i++)
        x[i] = fsc__f32_from_f16((uint16_t)i);
    for (uint32_t i = 0; i < FLOATS; i++)
        x[HALVES + i] = unary_stratified(i, FLOATS);
}

START_TEST(error_within_row)
{
    unary_case cases[UNARY_MOST];
    if (_i >= unary_cases(cases))
        return;
    const unary_case *c = &cases[_i];
    unary_worst worst = {0}, worst_flushed = {0};
    fill();
    unary_evaluate(c, FSC__FMA_EXACT, x, exact, INPUTS);
    unary_evaluate(c, FSC__FMA_FLUSHES, x, flushed, INPUTS);
    for (int i = 0; i < INPUTS; i++) {
        const double want = unary_precise(c, x[i]);
        unary_judge(&worst, false, x[i], exact[i], want);
        unary_judge(&worst_flushed, true, x[i], flushed[i], want);
    }
    ck_unary(c, &worst);
    ck_unary(c, &worst_flushed);
}
END_TEST

/* The measure has teeth: the neighbour of a right result is told apart from it. */
START_TEST(a_wrong_bit_shows)
{
    unary_case cases[UNARY_MOST];
    unary_cases(cases);
    const float in = 0.75f;
    float y;
    unary_evaluate(&cases[0], FSC__FMA_EXACT, &in, &y, 1);
    unary_worst worst = {0};
    unary_judge(&worst, false, in, fsc__f32_of_bits(fsc__f32_bits(y) + 3),
                unary_precise(&cases[0], in));
    ck_assert_double_gt(worst.error, cases[0].ulp);
    unary_judge(&worst, false, in, NAN, unary_precise(&cases[0], in));
    ck_assert_double_infinite(worst.error);
}
END_TEST

Suite *fsc__test_suite(void)
{
    unary_case cases[UNARY_MOST];
    Suite *suite = suite_create("portable");
    TCase *tcase = tcase_create("portable");
    tcase_set_timeout(tcase, 250);
    tcase_add_loop_test(tcase, error_within_row, 0, unary_cases(cases));
    tcase_add_test(tcase, a_wrong_bit_shows);
    suite_add_tcase(suite, tcase);
    return suite;
}
