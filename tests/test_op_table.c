/* The table of ops: rows of ops.def and of the ops with a loop structure. */
#include <math.h>
#include <string.h>

#include "graph/conv2d.h"
#include "harness.h"

const int fsc__test_forks = 1;

static const char *const pointwise[] = {
#define FSC_OP(name, inputs, role, attributes, expression, ulp, note) #name,
#include "ops.def"
#undef FSC_OP
};
enum { POINTWISE = sizeof pointwise / sizeof pointwise[0] };

START_TEST(rows_keep_their_order)
{
    ck_assert_uint_eq(fsc__op_count(), POINTWISE + 4);
    for (int i = 0; i < POINTWISE; i++) {
        const fsc__op *op = fsc__op_find(pointwise[i]);
        ck_assert_ptr_nonnull(op);
        ck_assert_int_eq(fsc__op_index(op), i);
        ck_assert_int_eq(op->kind, FSC__OP_POINTWISE);
        ck_assert_ptr_nonnull(op->expression);
        ck_assert_ptr_eq(op, fsc__op_at((size_t)i));
    }
    ck_assert_ptr_null(fsc__op_find("gelo"));
    ck_assert_ptr_null(fsc__op_find(""));
}
END_TEST

START_TEST(operands_are_named_by_role)
{
    const fsc__op *add = fsc__op_find("add"), *bias = fsc__op_find("bias");
    const fsc__op *scale = fsc__op_find("scale"), *relu = fsc__op_find("relu");
    ck_assert_int_eq(add->inputs, 2);
    ck_assert_str_eq(add->input[1].name, "x");
    ck_assert_int_eq(add->input[1].role, FSC__ROLE_DATA);
    ck_assert_str_eq(add->expression, "R(a + b)");
    ck_assert_str_eq(bias->input[1].name, "bias");
    ck_assert_int_eq(bias->input[1].role, FSC__ROLE_BIAS);
    ck_assert_str_eq(scale->input[1].name, "scale");
    ck_assert_int_eq(scale->input[1].role, FSC__ROLE_SCALE);
    ck_assert_int_eq(relu->inputs, 1);
    ck_assert_ptr_null(relu->attr[0].name);
}
END_TEST

START_TEST(loop_ops)
{
    const fsc__op *matmul = fsc__op_find("matmul"), *layernorm = fsc__op_find("layernorm");
    const fsc__op *rmsnorm = fsc__op_find("rmsnorm");
    ck_assert_int_eq(matmul->kind, FSC__OP_MATMUL);
    ck_assert_int_eq(matmul->inputs, 2);
    ck_assert_str_eq(matmul->input[1].name, "w");
    ck_assert_int_eq(matmul->input[1].role, FSC__ROLE_WEIGHT);
    ck_assert_str_eq(matmul->attr[0].name, "transA");
    ck_assert_str_eq(matmul->attr[1].name, "transB");
    ck_assert(matmul->attr[0].whole);
    ck_assert_ptr_null(matmul->expression);
    ck_assert_int_eq(fsc__op_index(matmul), -1);
    ck_assert_int_eq(layernorm->kind, FSC__OP_NORM);
    ck_assert_int_eq(layernorm->inputs, 3);
    ck_assert_str_eq(layernorm->attr[0].name, "eps");
    ck_assert_double_eq(layernorm->attr[0].initial, 1e-5);
    ck_assert_int_eq(layernorm->input[2].role, FSC__ROLE_BETA);
    ck_assert_int_eq(rmsnorm->kind, FSC__OP_NORM);
    ck_assert_int_eq(rmsnorm->inputs, 2);
    ck_assert_double_eq(rmsnorm->attr[0].initial, 1e-6);
    ck_assert_int_eq(rmsnorm->input[1].role, FSC__ROLE_GAMMA);
}
END_TEST

START_TEST(conv2d_row)
{
    const fsc__op *conv2d = fsc__op_find("conv2d");
    ck_assert_int_eq(conv2d->kind, FSC__OP_CONV2D);
    ck_assert_int_eq(conv2d->inputs, 2);
    ck_assert_int_eq(conv2d->input[1].role, FSC__ROLE_WEIGHT);
    static const struct {
        const char *name;
        int at, count;
        float initial;
    } expected[] = {{"stride", FSC__CONV2D_STRIDE, 2, 1},
                    {"pads", FSC__CONV2D_PADS, 4, 0},
                    {"dilation", FSC__CONV2D_DILATION, 2, 1},
                    {"groups", FSC__CONV2D_GROUPS, 1, 1},
                    {"layout", FSC__CONV2D_LAYOUT, 1, FSC__LAYOUT_NONE}};
    float numbers[FSC__OP_MAX_NUMBERS];
    fsc__op_initial(conv2d, numbers);
    for (int i = 0; i < 5; i++) {
        const fsc__op_attr *attr = &conv2d->attr[i];
        ck_assert_str_eq(attr->name, expected[i].name);
        ck_assert_int_eq(attr->at, expected[i].at);
        ck_assert_int_eq(attr->count, expected[i].count);
        ck_assert_float_eq(numbers[attr->at + attr->count - 1], expected[i].initial);
    }
    ck_assert_ptr_null(conv2d->attr[5].name);
    ck_assert_str_eq(conv2d->attr[4].words[FSC__LAYOUT_NHWC], "nhwc");
}
END_TEST

START_TEST(attributes_of_a_row)
{
    fsc__op_attr attr[FSC__OP_MAX_ATTRS] = {0};
    char names[64];
    ck_assert(fsc__op_attrs_parse("alpha=0.2:-inf:inf,beta=0.5:0:1", attr, names, sizeof names));
    ck_assert_str_eq(attr[0].name, "alpha");
    ck_assert_double_eq(attr[0].initial, 0.2);
    ck_assert(isinf(attr[0].low) && attr[0].low < 0);
    ck_assert(isinf(attr[0].high) && attr[0].high > 0);
    ck_assert_str_eq(attr[1].name, "beta");
    ck_assert_double_eq(attr[1].initial, 0.5);
    ck_assert_double_eq(attr[1].low, 0);
    ck_assert_double_eq(attr[1].high, 1);
    ck_assert_ptr_null(attr[2].name);
    fsc__op_attr none[FSC__OP_MAX_ATTRS] = {0};
    ck_assert(fsc__op_attrs_parse("", none, names, sizeof names));
    ck_assert_ptr_null(none[0].name);
}
END_TEST

static const char *const malformed[] = {
    "alpha",         "alpha=",
    "alpha=1",       "alpha=1:2",
    "=1:0:2",        "alpha=1:0:2,",
    "alpha=x:0:2",   "a=1:0:2 b=1:0:2",
    "a=1:0:2,b=1:0", "a=1:0:2,b=1:0:2,c=1:0:2,d=1:0:2,e=1:0:2",
};

START_TEST(malformed_attributes)
{
    fsc__op_attr attr[FSC__OP_MAX_ATTRS] = {0};
    char names[64];
    ck_assert_msg(!fsc__op_attrs_parse(malformed[_i], attr, names, sizeof names), "%s",
                  malformed[_i]);
}
END_TEST

START_TEST(long_attribute_names_do_not_overrun)
{
    fsc__op_attr attr[FSC__OP_MAX_ATTRS] = {0};
    char names[8] = {0};
    ck_assert(fsc__op_attrs_parse("sevench=1:0:2", attr, names, sizeof names));
    ck_assert(!fsc__op_attrs_parse("eightchr=1:0:2", attr, names, sizeof names));
}
END_TEST

START_TEST(gelu_is_swapped_by_the_mode)
{
    const fsc__op *gelu = fsc__op_find("gelu"), *gelu_tanh = fsc__op_find("gelu_tanh");
    const fsc__op *relu = fsc__op_find("relu");
    fsc_mode mode = {.gelu = FSC__GELU_OWN};
    ck_assert_ptr_eq(fsc__op_implementation(gelu, &mode), gelu);
    ck_assert_ptr_eq(fsc__op_implementation(gelu_tanh, &mode), gelu_tanh);
    mode.gelu = FSC__GELU_TANH;
    ck_assert_ptr_eq(fsc__op_implementation(gelu, &mode), gelu_tanh);
    ck_assert_ptr_eq(fsc__op_implementation(gelu_tanh, &mode), gelu_tanh);
    ck_assert_ptr_eq(fsc__op_implementation(relu, &mode), relu);
    mode.gelu = FSC__GELU_ERF;
    ck_assert_ptr_eq(fsc__op_implementation(gelu, &mode), gelu);
    ck_assert_ptr_eq(fsc__op_implementation(gelu_tanh, &mode), gelu_tanh);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("op table");
    TCase *tcase = tcase_create("op table");
    tcase_add_test(tcase, rows_keep_their_order);
    tcase_add_test(tcase, operands_are_named_by_role);
    tcase_add_test(tcase, loop_ops);
    tcase_add_test(tcase, conv2d_row);
    tcase_add_test(tcase, attributes_of_a_row);
    tcase_add_loop_test(tcase, malformed_attributes, 0,
                        (int)(sizeof malformed / sizeof malformed[0]));
    tcase_add_test(tcase, long_attribute_names_do_not_overrun);
    tcase_add_test(tcase, gelu_is_swapped_by_the_mode);
    suite_add_tcase(suite, tcase);
    return suite;
}
