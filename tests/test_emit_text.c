/* The generated lines of a kernel: how operands are read, where values are rounded and tapped. */
#include "emit_fixture.h"

#include <stdio.h>

const int fsc__test_forks = 1;

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        count++;
    return count;
}

static const fsc__arg *find_arg(const fsc__step *step, const char *name)
{
    for (int i = 0; i < step->arg_count; i++)
        if (strcmp(step->args[i].name, name) == 0)
            return &step->args[i];
    return NULL;
}

/* Each row: the words by which the last operand is read. */
START_TEST(operands_are_read_by_their_shape)
{
    static const struct {
        const char *chain, *shape, *mode, *wanted;
    } rows[] = {
        {"add", "6x10", "f32", "load_f32(in_x2, i, n)"},
        {"add", "6x10", "bf16", "load_bf16(in_x2, i, n)"},
        {"bias", "6x10", "f16", "load_f32(in_bias, c, n)"},
        {"bias", "6x10", "f16,params=storage", "load_f16(in_bias, c, n)"},
        {"bias(by=row)", "6x10", "f32", "load1_f32(in_bias, r)"},
        {"bias(by=scalar)", "6x10", "f32", "load1_f32(in_bias, 0)"},
        {"bias(by=channel)", "2x3x4x5", "f32", "load1_f32(in_bias, r % in_bias_mod)"},
        {"bias+bias(by=channel)", "2x3x4x5", "f32",
         "load1_f32(in_bias2, r / in_bias2_div % in_bias2_mod)"},
        {"add(0.5)", "6x10", "f32", "CONST(literal_"},
    };
    emitted e;
    emitted_make(&e, rows[_i].chain, rows[_i].shape, rows[_i].mode);
    ck_assert_msg(strstr(emitted_last(&e)->text, rows[_i].wanted) != NULL, "no %s in\n%s",
                  rows[_i].wanted, emitted_last(&e)->text);
    emitted_close(&e);
}
END_TEST

/* 2x3x4x5 seen as 24 rows of 5: row r belongs to channel r / 4 % 3. */
START_TEST(divisors_of_a_channel)
{
    emitted e;
    emitted_make(&e, "bias+bias(by=channel)", "2x3x4x5", "f32");
    const fsc__step *step = emitted_last(&e);
    ck_assert_int_eq(find_arg(step, "rows")->integer, 24);
    ck_assert_int_eq(find_arg(step, "cols")->integer, 5);
    ck_assert_int_eq(find_arg(step, "in_bias2_div")->integer, 4);
    ck_assert_int_eq(find_arg(step, "in_bias2_mod")->integer, 3);
    emitted_close(&e);
}
END_TEST

/* Every boundary but the last, which the store rounds. */
START_TEST(boundaries_are_rounded)
{
    static const struct {
        const char *chain, *shape, *mode;
        int rounds[3]; /* calls in each step */
    } rows[] = {
        {"add+relu+gelu", "4x9", "f16,boundary=round", {2}},
        {"add+relu+gelu", "4x9", "f16", {0}},
        {"add+relu+gelu", "4x9", "f32,boundary=round", {0}},
        {"relu+neg+matmul+bias+gelu", "4x9:9x5", "bf16,boundary=round", {2, 0, 2}},
        {"add+layernorm+relu", "4x9", "bf16,boundary=round", {2}},
    };
    emitted e;
    emitted_make(&e, rows[_i].chain, rows[_i].shape, rows[_i].mode);
    for (int i = 0; i < e.kernels.step_count; i++) {
        const char *text = strstr(e.kernels.steps[i].text, "#line 1 \"generated\"");
        const int calls = count_of(text, " = round_f16(") + count_of(text, " = round_bf16(");
        ck_assert_int_eq(calls, rows[_i].rounds[i]);
    }
    emitted_close(&e);
}
END_TEST

START_TEST(each_boundary_has_a_tap)
{
    static const struct {
        const char *chain, *shape, *mode;
        int taps;
    } rows[] = {
        {"add+relu+gelu", "4x9", "f16", 2},
        {"relu", "4x9", "f32", 0},
        {"relu+neg+matmul+bias+gelu", "4x9:9x5", "bf16,boundary=round", 4},
        {"add+layernorm+relu+bias", "4x9", "f32", 3},
    };
    emitted e;
    emitted_open(&e, rows[_i].chain, rows[_i].shape, rows[_i].mode);
    ck_status_ok(emitted_emit(&e), &e.why);
    ck_assert_int_eq(e.kernels.tap_count, 0);
    e.options.taps = true;
    ck_status_ok(emitted_emit(&e), &e.why);
    ck_assert_int_eq(e.kernels.tap_count, rows[_i].taps);
    int stores = 0;
    for (int i = 0; i < e.kernels.step_count; i++)
        stores += count_of(e.kernels.steps[i].text, "store_f32(tap_");
    ck_assert_int_eq(stores, rows[_i].taps);
    for (int i = 0; i < e.kernels.tap_count; i++)
        ck_assert_int_eq(e.kernels.taps[i], i);
    emitted_close(&e);
}
END_TEST

START_TEST(an_op_is_written_once_and_a_value_loaded_once)
{
    emitted e;
    emitted_make(&e, "relu+mul(x)+relu+add(x)", "4x9", "f32");
    const char *text = emitted_last(&e)->text;
    ck_assert_int_eq(count_of(text, "real op_relu("), 1);
    ck_assert_int_eq(count_of(text, "load_f32(in_x, "), 1);
    emitted_close(&e);
}
END_TEST

START_TEST(modes_choose_the_arithmetic)
{
    static const struct {
        const char *chain, *shape, *mode, *wanted, *unwanted;
    } rows[] = {
        {"gelu", "4x9", "f32", "op_gelu(", "op_gelu_tanh("},
        {"gelu", "4x9", "f32,gelu=tanh", "op_gelu_tanh(", "op_gelu("},
        {"gelu", "4x9", "f32,gelu=erf", "op_gelu(", "op_gelu_tanh("},
        {"matmul", "4x9:9x5", "f32", "#define ADD_PRODUCT(a, b, sum) FMA(a, b, sum)", "MUL("},
        {"matmul", "4x9:9x5", "f32,contract=off", "((sum) + MUL(a, b))", "FMA("},
        {"matmul", "4x9:9x5", "f32,order=lanes:64", "#define LEVELS 6", "CHUNK"},
        {"matmul", "4x9:9x5", "f32,order=lanes:1", "SUM sum_sequential", "LANES"},
        {"matmul", "4x9:9x5", "f32,order=chunk:100", "#define CHUNK 100\n", "LANES"},
        {"layernorm", "4x9", "f32", "#define LANES 256", "chunk"},
        {"layernorm", "4x9", "f32,order=lanes:4", "#define W 4", "chunk"},
        {"layernorm", "4x9", "f32,order=sequential", "#define W 1", "chunk"},
        {"layernorm", "4x9", "f32,order=chunk:5", "row_sum_chunk", "row_sum_lanes"},
        {"layernorm", "4x9", "f32,variance=one_pass", "moments_one_pass", "moments_corrected"},
        {"rmsnorm", "4x9", "f32", "moments_about_zero", "welford"},
    };
    emitted e;
    emitted_make(&e, rows[_i].chain, rows[_i].shape, rows[_i].mode);
    const char *text = emitted_last(&e)->text;
    ck_assert_msg(strstr(text, rows[_i].wanted) != NULL, "no %s in\n%s", rows[_i].wanted, text);
    ck_assert_msg(strstr(text, rows[_i].unwanted) == NULL, "%s in\n%s", rows[_i].unwanted, text);
    emitted_close(&e);
}
END_TEST

/* Spelling for devices that lack something. */
START_TEST(devices_choose_the_spelling)
{
    emitted e;
    emitted_open(&e, "div+mul", "4x9", "f32");
    ck_status_ok(emitted_emit(&e), &e.why);
    ck_assert_ptr_nonnull(strstr(emitted_last(&e)->text, "#define DIV(a, b) ((a) / (b))"));
    ck_assert_ptr_nonnull(strstr(emitted_last(&e)->text, "#define MUL(a, b) ((a) * (b))"));
    ck_assert_ptr_null(strstr(emitted_last(&e)->text, "cl_khr_fp64"));
    e.caps.contracts = true;
    e.caps.divide = FSC__ROUND_DOUBLE;
    ck_status_ok(emitted_emit(&e), &e.why);
    ck_assert_ptr_nonnull(strstr(emitted_last(&e)->text, "fma(a, b, CONST(MINUS_ZERO))"));
    ck_assert_ptr_nonnull(strstr(emitted_last(&e)->text, "real divide_double(real a, real b)"));
    ck_assert_ptr_nonnull(strstr(emitted_last(&e)->text, "cl_khr_fp64 : enable"));
    e.caps.divide = FSC__ROUND_REMAINDER;
    ck_status_ok(emitted_emit(&e), &e.why);
    ck_assert_ptr_nonnull(strstr(emitted_last(&e)->text, "real divide_remainder(real a, real b)"));
    ck_assert_ptr_null(strstr(emitted_last(&e)->text, "sqrt_remainder"));
    emitted_close(&e);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("emit text");
    TCase *tcase = tcase_create("emit text");
    tcase_add_loop_test(tcase, operands_are_read_by_their_shape, 0, 9);
    tcase_add_test(tcase, divisors_of_a_channel);
    tcase_add_loop_test(tcase, boundaries_are_rounded, 0, 5);
    tcase_add_loop_test(tcase, each_boundary_has_a_tap, 0, 4);
    tcase_add_test(tcase, an_op_is_written_once_and_a_value_loaded_once);
    tcase_add_loop_test(tcase, modes_choose_the_arithmetic, 0, 14);
    tcase_add_test(tcase, devices_choose_the_spelling);
    suite_add_tcase(suite, tcase);
    return suite;
}
