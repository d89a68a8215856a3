/* Pointwise ops as the prediction computes them: values known by hand, special values, and the same
   bits from every instruction set. */
#include "harness.h"

#include <math.h>
#include <string.h>

#include "reference/predict.h"

const int fsc__test_forks = 1;

static const char *const isas[] = {"generic", "avx2", "avx512"};
enum { ISA_COUNT = 3 };

static float op1(const char *name, float a)
{
    float out;
    fsc__predict_op(fsc__op_find(name), FSC__FMA_EXACT, (const float *const[]){&a}, NULL, &out, 1);
    return out;
}

static float op2(const char *name, float a, float b)
{
    float out;
    fsc__predict_op(fsc__op_find(name), FSC__FMA_EXACT, (const float *const[]){&a, &b}, NULL, &out,
                    1);
    return out;
}

#define ck_bits(got, want) ck_assert_uint_eq(fsc__f32_bits(got), fsc__f32_bits(want))
#define ck_near(got, want, relative) \
    ck_assert_double_le(fabs((double)(got) - (want)), (relative)*fabs(want))

START_TEST(arithmetic)
{
    ck_bits(op2("add", 1.0f, 0x1p-24f), 1.0f);
    ck_bits(op2("sub", 0.0f, 0.0f), 0.0f);
    ck_bits(op2("mul", 4097.0f, 4097.0f), 16785408.0f); /* 16785409 is a tie */
    ck_bits(op2("div", 1.0f, 3.0f), 0x1.555556p-2f);
    ck_bits(op2("div", -1.0f, 0.0f), -INFINITY);
    ck_assert_float_nan(op2("div", 0.0f, 0.0f));
    ck_assert_float_nan(op2("mul", 0.0f, INFINITY));
    ck_bits(op2("bias", 1.5f, -2.0f), -0.5f);
    ck_bits(op2("scale", 1.5f, -2.0f), -3.0f);
    ck_bits(op2("mul", 0x1p-100f, 0x1p-40f), 0x1p-140f); /* subnormals are kept */
    ck_bits(op1("neg", 0.0f), -0.0f);
    ck_bits(op1("abs", -0.0f), 0.0f);
    ck_bits(op1("abs", -3.0f), 3.0f);
}
END_TEST

/* K13 */
START_TEST(relu_keeps_nan)
{
    ck_assert_float_nan(op1("relu", NAN));
    ck_bits(op1("relu", -INFINITY), 0.0f);
    ck_bits(op1("relu", -1.0f), 0.0f);
    ck_bits(op1("relu", -0.0f), 0.0f);
    ck_bits(op1("relu", 2.0f), 2.0f);
}
END_TEST

/* K8, K10, K12 and a point of each other function */
START_TEST(functions)
{
    ck_near(op1("gelu", -2.0f), -4.55002639e-2, 1e-6);
    ck_near(op1("gelu", -4.0f), -1.26684967e-4, 1e-6);
    ck_near(op1("gelu_tanh", -2.0f), -4.54023059e-2, 1e-6);
    ck_near(op1("gelu_tanh", -4.0f), -7.02459482e-5, 1e-6);
    ck_bits(op1("gelu_tanh", 11.0f), 11.0f);
    ck_bits(op1("gelu_tanh", 13.24f), 13.24f);
    ck_bits(op1("gelu_tanh", 40.0f), 40.0f);
    ck_bits(op1("gelu_tanh", 89.0f), 89.0f);
    ck_near(op1("silu", -89.0f), -1.9823e-37, 1e-3);
    ck_assert_float_le(op1("silu", -104.0f), 0.0f);
    ck_assert_float_ge(op1("silu", -104.0f), -1e-43f);
    ck_assert_float_eq(op1("silu", -INFINITY), 0.0f);
    ck_bits(op1("silu", INFINITY), INFINITY);
    ck_near(op1("exp", 1.0f), 2.718281828459045, 2e-7);
    ck_near(op1("tanh", 0.5f), 0.46211715726000975, 3e-7);
    ck_near(op1("sigmoid", -20.0f), 2.0611536181902037e-9, 3e-7);
}
END_TEST

/* One value per exponent and a few fractions, both signs; then special values. */
enum { SWEEP = 2 * 256 * 16 };
static void sweep(float *values)
{
    for (uint32_t i = 0; i < SWEEP; i++) {
        const uint32_t fraction = (i % 16) * 0x7ffffu + (i % 16) * (i % 7);
        values[i] = fsc__f32_of_bits((i / 16) << 23 | (fraction & 0x7fffffu));
    }
}

START_TEST(same_bits_from_every_isa)
{
    static float a[SWEEP], b[SWEEP], first[SWEEP], other[SWEEP];
    sweep(a);
    for (int i = 0; i < SWEEP; i++)
        b[i] = a[(i * 257 + 91) % SWEEP];
    const float *const in[FSC__OP_MAX_INPUTS] = {a, b, a, b, a};
    const fsc__fma fmas[] = {FSC__FMA_EXACT, FSC__FMA_FLUSHES};
    for (size_t o = 0; o < fsc__op_count(); o++) {
        const fsc__op *op = fsc__op_at(o);
        for (int f = 0; f < 2 && op->kind == FSC__OP_POINTWISE; f++) {
            ck_assert(fsc__predict_force_isa(isas[0]));
            fsc__predict_op(op, fmas[f], in, NULL, first, SWEEP);
            for (int v = 1; v < ISA_COUNT; v++) {
                if (!fsc__predict_force_isa(isas[v]))
                    continue;
                memset(other, 0, sizeof other);
                fsc__predict_op(op, fmas[f], in, NULL, other, SWEEP);
                for (int i = 0; i < SWEEP; i++) {
                    if (isnan(first[i]) && isnan(other[i]))
                        continue;
                    if (fsc__f32_bits(first[i]) != fsc__f32_bits(other[i]))
                        ck_abort_msg("%s(%a, %a): %s gives %a, %s gives %a", op->name, (double)a[i],
                                     (double)b[i], isas[0], (double)first[i], isas[v],
                                     (double)other[i]);
                }
            }
        }
    }
    ck_assert(fsc__predict_force_isa(NULL));
}
END_TEST

START_TEST(isa_names)
{
    ck_assert(!fsc__predict_force_isa("mmx"));
    ck_assert(fsc__predict_force_isa("generic"));
    ck_assert_str_eq(fsc__predict_isa(), "generic");
    ck_assert(fsc__predict_force_isa(NULL));
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("predict_op");
    TCase *tc = tcase_create("ops");
    tcase_add_test(tc, arithmetic);
    tcase_add_test(tc, relu_keeps_nan);
    tcase_add_test(tc, functions);
    tcase_add_test(tc, same_bits_from_every_isa);
    tcase_add_test(tc, isa_names);
    suite_add_tcase(suite, tc);
    return suite;
}
