/* Emission: arguments in the order of the kernel's parameters, index spaces, scratch buffers, and
   text that does not depend on shapes. */
#include "emit_fixture.h"

#include <ctype.h>
#include <stdio.h>

#include "base/alloc.h"

const int fsc__test_forks = 1;

static const struct {
    const char *chain, *shape, *mode;
} rows[] = {
    {"add+relu", "128x768", "f32"},
    {"mul(0.5)+add+silu+mul(x)", "5x17", "bf16,boundary=round"},
    {"bias(by=row)+scale(by=channel)+gelu", "2x3x4x5", "f16"},
    {"bias(by=scalar)+add(2)", "7", "f32"},
    {"matmul", "5x19:19x37", "f32"},
    {"relu+mul+matmul(transA=1)+bias+gelu", "2x19x5:2x19x37", "f16,boundary=round,order=lanes:64"},
    {"matmul(transB=1)+bias(by=row)+add", "3x5x19:37x19", "bf16,order=chunk:7,contract=off"},
    {"layernorm", "5x77", "f32"},
    {"add+layernorm+relu+bias", "5x77", "f16,variance=welford,boundary=round,params=storage"},
    {"rmsnorm+mul(3)", "4x5x77", "f32,order=sequential"},
    {"layernorm", "5x77", "bf16,order=chunk:10,variance=one_pass"},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* The parameters of the kernel in text, PARAMS written out: "global float *out, int rows, ..." */
static void signature(const fsc__step *step, char *list, size_t bytes)
{
    char head[64];
    snprintf(head, sizeof head, "kernel void %s(", step->name);
    const char *begin = strstr(step->text, head);
    ck_assert_msg(begin != NULL, "no %s", head);
    begin += strlen(head);
    const char *params = strstr(step->text, "#define PARAMS ") + strlen("#define PARAMS ");
    const char *place = strstr(begin, " PARAMS)");
    ck_assert(place != NULL && place < strchr(begin, '{'));
    snprintf(list, bytes, "%.*s%.*s", (int)(place - begin), begin, (int)strcspn(params, "\n"),
             params);
}

static const char *kind_prefix(fsc__arg_kind kind)
{
    return kind == FSC__ARG_INT ? "int " : kind == FSC__ARG_FLOAT ? "float " : "global ";
}

/* Each argument has the name and kind of the parameter at its position. */
static void check_args(const fsc__step *step)
{
    char list[1024];
    signature(step, list, sizeof list);
    int position = 0;
    for (char *param = list; param; position++) {
        char *comma = strchr(param, ',');
        if (comma)
            *comma = '\0';
        param += strspn(param, " \n");
        const char *name = param + strlen(param);
        while (name > param && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
            name--;
        ck_assert_int_lt(position, step->arg_count);
        ck_assert_str_eq(name, step->args[position].name);
        const char *prefix = kind_prefix(step->args[position].kind);
        ck_assert_msg(strncmp(param, prefix, strlen(prefix)) == 0, "%s is no %s", param, prefix);
        param = comma ? comma + 1 : NULL;
    }
    ck_assert_int_eq(position, step->arg_count);
}

START_TEST(arguments_are_the_parameters)
{
    emitted e;
    emitted_make(&e, rows[_i].chain, rows[_i].shape, rows[_i].mode);
    for (int i = 0; i < e.kernels.step_count; i++)
        check_args(&e.kernels.steps[i]);
    emitted_close(&e);
}
END_TEST

START_TEST(index_spaces_are_whole_groups)
{
    emitted e;
    emitted_make(&e, rows[_i].chain, rows[_i].shape, rows[_i].mode);
    for (int i = 0; i < e.kernels.step_count; i++) {
        const fsc__step *step = &e.kernels.steps[i];
        size_t items = 1;
        for (int axis = 0; axis < 3; axis++) {
            ck_assert_uint_gt(step->local[axis], 0);
            ck_assert_uint_gt(step->global[axis], 0);
            ck_assert_uint_eq(step->global[axis] % step->local[axis], 0);
            items *= step->local[axis];
        }
        ck_assert_uint_le(items, e.caps.kernel_group);
        ck_assert(step->slice_axis >= 0 && step->slice_axis < 3 && step->work > 0.0);
    }
    emitted_close(&e);
}
END_TEST

/* The numbers of the graph and its shapes are arguments. */
START_TEST(text_is_the_same_for_other_shapes)
{
    static const char *const pairs[][4] = {
        {"add+bias+relu", "128x768", "31x17", "f32"},
        {"mul+bias(by=row)", "128x768", "31x17", "f16"},
        {"matmul+bias", "5x19:19x37", "2x100x65:2x65x3", "f32"},
        {"add+layernorm", "5x77", "3x4x1000", "bf16"},
    };
    emitted a, b;
    emitted_make(&a, pairs[_i][0], pairs[_i][1], pairs[_i][3]);
    emitted_make(&b, pairs[_i][0], pairs[_i][2], pairs[_i][3]);
    ck_assert_int_eq(a.kernels.step_count, b.kernels.step_count);
    for (int i = 0; i < a.kernels.step_count; i++)
        ck_assert_str_eq(a.kernels.steps[i].text, b.kernels.steps[i].text);
    emitted_close(&a);
    emitted_close(&b);
}
END_TEST

static const fsc__arg *find_arg(const fsc__step *step, const char *name)
{
    for (int i = 0; i < step->arg_count; i++)
        if (strcmp(step->args[i].name, name) == 0)
            return &step->args[i];
    ck_abort_msg("%s has no argument %s", step->name, name);
    return NULL;
}

/* 5x19:19x37 in tiles of 3 x 16: 2 panels of A, 3 of B; 48 and 64 floats wide when packed. */
START_TEST(matmul_packs_both_operands)
{
    emitted e;
    emitted_make(&e, "matmul+bias", "5x19:19x37", "f16");
    ck_assert_int_eq(e.kernels.step_count, 3);
    ck_assert_int_eq(e.kernels.scratch_count, 2);
    ck_assert_uint_eq(e.kernels.scratch_bytes[0], 2u * 3 * 19 * 4);
    ck_assert_uint_eq(e.kernels.scratch_bytes[1], 3u * 16 * 19 * 4);
    const fsc__step *step = emitted_last(&e);
    ck_assert_str_eq(step->name, "matmul_panel");
    ck_assert_uint_eq(step->global[0], 2);
    ck_assert_uint_eq(step->global[1], 3);
    ck_assert_uint_eq(step->global[2], 1);
    ck_assert_double_eq(step->work, 5.0 * 37 * 19);
    ck_assert_int_eq(find_arg(step, "M")->integer, 5);
    ck_assert_int_eq(find_arg(step, "N")->integer, 37);
    ck_assert_int_eq(find_arg(step, "K")->integer, 19);
    ck_assert_int_eq(find_arg(step, "in_bias")->index, fsc__graph_input(e.graph, "bias"));
    emitted_close(&e);
}
END_TEST

/* A literal and an attribute are float arguments: one driver folds products with literals. */
START_TEST(numbers_are_arguments)
{
    emitted e;
    emitted_make(&e, "mul(0.3)+layernorm(eps=0.25)+add(7)", "4x8", "f32");
    const fsc__step *step = emitted_last(&e);
    int found = 0;
    for (int i = 0; i < step->arg_count; i++)
        if (step->args[i].kind == FSC__ARG_FLOAT) {
            const float number = step->args[i].number;
            found += number == 0.3f || number == 7.0f || number == 0.25f;
        }
    ck_assert_int_eq(found, 3);
    ck_assert_ptr_null(strstr(step->text, "0.3f"));
    ck_assert_ptr_null(strstr(step->text, "0.25f"));
    emitted_close(&e);
}
END_TEST

START_TEST(survives_each_failed_allocation)
{
    emitted e;
    emitted_open(&e, rows[_i].chain, rows[_i].shape, rows[_i].mode);
    e.options.taps = true;
    fsc_status status = FSC_ERR_MEMORY;
    for (long n = 0; status != FSC_OK; n++) {
        ck_assert_int_lt(n, 10000);
        fsc__alloc_fail_after(n);
        status = emitted_emit(&e);
        fsc__alloc_fail_after(-1);
        if (status != FSC_OK && status != FSC_ERR_MEMORY)
            ck_abort_msg("status %d: %s", (int)status, e.why.text);
        if (status != FSC_OK && e.kernels.steps)
            ck_abort_msg("kernels left behind by a failure");
    }
    emitted_close(&e);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("emit");
    TCase *tcase = tcase_create("emit");
    tcase_add_loop_test(tcase, arguments_are_the_parameters, 0, ROWS);
    tcase_add_loop_test(tcase, index_spaces_are_whole_groups, 0, ROWS);
    tcase_add_loop_test(tcase, text_is_the_same_for_other_shapes, 0, 4);
    tcase_add_test(tcase, matmul_packs_both_operands);
    tcase_add_test(tcase, numbers_are_arguments);
    tcase_add_loop_test(tcase, survives_each_failed_allocation, 0, ROWS);
    tcase_set_timeout(tcase, 120);
    suite_add_tcase(suite, tcase);
    return suite;
}
