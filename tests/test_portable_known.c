/* Known answers about contraction and portable math. */
#include "harness.h"

#include <math.h>

#include "reference/predict.h"
#include "reference/truth.h"
#include "vocabulary.h"

const int fsc__test_forks = 1;

static float predicted(const char *name, float x)
{
    float y;
    fsc__predict_op(fsc__op_find(name), FSC__FMA_EXACT, (const float *const[]){&x}, NULL, &y, 1);
    return y;
}

/* K7: a*b + c of this build is two roundings, FMA is one. */
static const struct {
    float a, b, c, fused;
} contractions[] = {
    {1.0000001f, 1.0000001f, -1.0000002f, 1.42108547e-14f},
    {4097.0f, 4097.0f, -16785408.0f, 1.0f},
    {0.1f, 10.0f, -1.0f, 1.49011612e-08f},
};

START_TEST(products_are_not_contracted)
{
    const volatile float a = contractions[_i].a, b = contractions[_i].b, c = contractions[_i].c;
    const float separate = MUL(a, b) + c, fused = FMA(a, b, c);
    ck_assert_float_eq(separate, 0.0f);
    ck_assert_float_eq(fused, contractions[_i].fused);
}
END_TEST

/* K9: the largest gap between gelu and gelu_tanh on [-8, 8] is 4.732e-4, at -2.699. */
START_TEST(gap_of_the_two_gelus)
{
    const fsc__op *gelu = fsc__op_find("gelu"), *gelu_tanh = fsc__op_find("gelu_tanh");
    double gap = 0.0, at = 0.0, predicted_gap = 0.0, predicted_at = 0.0;
    for (int i = -8000; i <= 8000; i++) {
        const float x = (float)i / 1000.0f;
        const double wide = (double)x;
        const double exact =
            fabs(fsc__truth_op(gelu, &wide, NULL) - fsc__truth_op(gelu_tanh, &wide, NULL));
        const double portable =
            fabs((double)predicted("gelu", x) - (double)predicted("gelu_tanh", x));
        if (x < 0.0f && exact > gap) {
            gap = exact;
            at = (double)x;
        }
        if (x < 0.0f && portable > predicted_gap) {
            predicted_gap = portable;
            predicted_at = (double)x;
        }
        ck_assert_double_le(exact, 4.7325e-4);
        ck_assert_double_le(portable, 4.735e-4);
    }
    ck_assert_double_eq_tol(gap, 4.732e-4, 5e-8);
    ck_assert_double_eq_tol(at, -2.699, 1e-3);
    ck_assert_double_eq_tol(predicted_gap, 4.732e-4, 5e-8);
    ck_assert_double_eq_tol(predicted_at, -2.699, 5e-3);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("portable, known answers");
    TCase *tcase = tcase_create("known answers");
    tcase_add_loop_test(tcase, products_are_not_contracted, 0, 3);
    tcase_add_test(tcase, gap_of_the_two_gelus);
    suite_add_tcase(suite, tcase);
    return suite;
}
