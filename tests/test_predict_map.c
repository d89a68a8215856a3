/* Chains of pointwise ops: broadcasting against plain indexing, literals, values used twice, and
   the values that fusion changes. */
#include "reference_fixture.h"

#include <stdio.h>

const int fsc__test_forks = 1;

/* Index of the operand's element that element i of out meets. */
static int64_t broadcast(const fsc__shape *operand, const fsc__shape *out, int64_t i)
{
    int64_t index[FSC_MAX_RANK] = {0}, at = 0;
    for (int axis = out->rank - 1; axis >= 0; axis--) {
        index[axis] = i % out->dims[axis];
        i /= out->dims[axis];
    }
    for (int axis = 0; axis < operand->rank; axis++) {
        const int64_t own = index[axis + out->rank - operand->rank];
        at = at * operand->dims[axis] + (operand->dims[axis] == 1 ? 0 : own);
    }
    return at;
}

static void check_broadcast(const char *chain, const char *shape)
{
    setup s;
    setup_init(&s, chain, shape, "f32");
    setup_fill(&s, "normal", 5);
    fsc_tensor out = setup_predict(&s, s.fused);
    const fsc_tensor *x = &s.in[0], *b = &s.in[1];
    for (int64_t i = 0; i < fsc__shape_elems(&out.shape); i++) {
        const float want = (float)element(x, broadcast(&x->shape, &out.shape, i)) +
                           (float)element(b, broadcast(&b->shape, &out.shape, i));
        if ((float)element(&out, i) != want)
            ck_abort_msg("%s %s: element %lld", chain, shape, (long long)i);
    }
    fsc__tensor_deinit(&out);
    setup_deinit(&s);
}

START_TEST(broadcasts)
{
    check_broadcast("bias", "7x1031");
    check_broadcast("bias", "1031x7");
    check_broadcast("bias(by=row)", "1031x7");
    check_broadcast("bias(by=row)", "3x5x1x9");
    check_broadcast("bias(by=channel)", "2x5x3x331");
    check_broadcast("bias(by=channel)", "5x11x13");
    check_broadcast("bias(by=scalar)", "3x3000");
    check_broadcast("bias(by=full)", "2x3x5x7");
    check_broadcast("add", "1");
    check_broadcast("add", "12289");
    check_broadcast("bias", "5000x1");
    check_broadcast("bias", "1x1x1x4");
}
END_TEST

static double one(const char *chain, const char *mode, const double *values, int count, bool fused)
{
    setup s;
    setup_init(&s, chain, "1", mode);
    ck_assert_int_eq(s.graph->input_count, count);
    for (int i = 0; i < count; i++)
        fsc__dtype_store(s.in[i].type, s.in[i].data, 0, values[i]);
    fsc_tensor out = setup_predict(&s, fused ? s.fused : s.unfused);
    const double value = element(&out, 0);
    fsc__tensor_deinit(&out);
    setup_deinit(&s);
    return value;
}

START_TEST(literals_and_reuse)
{
    ck_assert_double_eq(one("add(0.5)+mul(4)", "f32", (double[]){1.0}, 1, true), 6.0);
    ck_assert_double_eq(one("mul(x)+add(x)", "f32", (double[]){3.0}, 1, true), 12.0);
    ck_assert_double_eq(one("relu(out=r)+exp+sub(r)", "f32", (double[]){0.0}, 1, true), 1.0);
    ck_assert_double_eq(one("sub(x)", "f32", (double[]){3.0}, 1, true), 0.0);
    ck_assert_double_eq(one("div(-2)+neg+abs", "f32", (double[]){3.0}, 1, true), 1.5);
}
END_TEST

/* K4, K22 */
START_TEST(fusion_saves_from_overflow)
{
    const double in[] = {300.0, 300.0, -60000.0};
    ck_assert_double_eq(one("mul+add", "f16", in, 3, true), 30000.0);
    ck_assert_double_eq(one("mul+add", "f16", in, 3, false), INFINITY);
    ck_assert_double_eq(one("mul+add", "f16,boundary=round", in, 3, true), INFINITY);
    ck_assert_double_eq(one("mul", "f16", in, 2, true), INFINITY);
    ck_assert_double_eq(one("mul+mul(0.5)", "f16", in, 2, true), 44992.0); /* 45000 in half */
    ck_assert_double_eq(one("mul", "bf16", (double[]){1.25, 1.609375}, 2, true), 2.015625);
}
END_TEST

/* K11 */
START_TEST(gelu_tanh_in_half)
{
    ck_assert_double_eq(one("gelu_tanh", "f16", (double[]){40.0}, 1, true), 40.0);
    ck_assert_double_eq(one("gelu_tanh", "f16", (double[]){41.0}, 1, true), 41.0);
    ck_assert_double_eq(one("gelu", "f16,gelu=tanh", (double[]){-4.0}, 1, true),
                        one("gelu_tanh", "f16", (double[]){-4.0}, 1, true));
    ck_assert_double_ne(one("gelu", "f16", (double[]){-4.0}, 1, true),
                        one("gelu_tanh", "f16", (double[]){-4.0}, 1, true));
}
END_TEST

/* K7: a product and a sum in one kernel are not contracted. */
START_TEST(no_contraction_across_ops)
{
    const double near_one = 1.0000001f;
    ck_assert_double_eq(one("mul+add", "f32", (double[]){near_one, near_one, -1.0000002f}, 3, true),
                        0.0);
    ck_assert_double_eq(one("mul+add", "f32", (double[]){4097, 4097, -16785408}, 3, true), 0.0);
    ck_assert_double_eq(one("mul+sub", "f32", (double[]){0.1f, 10.0, 1.0}, 3, true), 0.0);
}
END_TEST

static int64_t differing(setup *s)
{
    fsc_tensor fused = setup_predict(s, s->fused), unfused = setup_predict(s, s->unfused);
    int64_t count = 0;
    for (int64_t i = 0; i < fsc__shape_elems(&fused.shape); i++)
        count += element(&fused, i) != element(&unfused, i);
    fsc__tensor_deinit(&fused);
    fsc__tensor_deinit(&unfused);
    return count;
}

/* K23: about 27 % of elements change by fusion, none when boundaries are rounded. */
START_TEST(fusion_changes_brain_floats)
{
    setup s;
    setup_init(&s, "mul+add", "16384", "bf16");
    setup_fill(&s, "uniform:-2:2", 1);
    const int64_t kept = differing(&s);
    ck_assert_msg(kept > 16384 * 24 / 100 && kept < 16384 * 30 / 100, "%lld differ",
                  (long long)kept);
    setup_mode(&s, "bf16,boundary=round");
    ck_assert_int_eq(differing(&s), 0);
    setup_deinit(&s);
}
END_TEST

START_TEST(wrong_inputs_are_refused)
{
    setup s;
    fsc_tensor out[1];
    setup_init(&s, "add", "3x4", "f16");
    s.in[1].type = FSC_F32;
    ck_assert_int_eq(fsc__predict(s.fused, FSC__FMA_EXACT, s.in, out, NULL, &s.why), FSC_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(s.why.text, s.graph->values[1].name));
    s.in[1].type = FSC_F16;
    s.in[0].shape.dims[1] = 3;
    ck_assert_int_eq(fsc__predict(s.fused, FSC__FMA_EXACT, s.in, out, NULL, &s.why), FSC_ERR_INPUT);
    s.in[0].shape.dims[1] = 4;
    ck_assert_int_eq(fsc__predict(s.fused, FSC__FMA_OTHER, s.in, out, NULL, &s.why),
                     FSC_UNSUPPORTED);
    setup_deinit(&s);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("predict_map");
    TCase *tc = tcase_create("map");
    tcase_add_test(tc, broadcasts);
    tcase_add_test(tc, literals_and_reuse);
    tcase_add_test(tc, fusion_saves_from_overflow);
    tcase_add_test(tc, gelu_tanh_in_half);
    tcase_add_test(tc, no_contraction_across_ops);
    tcase_add_test(tc, fusion_changes_brain_floats);
    tcase_add_test(tc, wrong_inputs_are_refused);
    tcase_set_timeout(tc, 60);
    suite_add_tcase(suite, tc);
    return suite;
}
