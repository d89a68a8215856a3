/* conv2d in a graph: sizes, layouts, the shapes of new operands, and what is refused. */
#include <string.h>

#include "graph/conv2d.h"
#include "harness.h"

const int fsc__test_forks = 1;

/* Result and weights of a chain that ends in a conv2d. */
static const struct {
    const char *chain, *shape, *result;
    int64_t terms;
} good[] = {
    {"conv2d", "1x64x56x56:64x64x3x3", "1x64x54x54", 576},
    {"conv2d(pads=1)", "1x64x56x56:128x64x3x3", "1x128x56x56", 576},
    {"conv2d(pads=1,layout=nhwc)", "1x56x57x64:128x64x3x3", "1x56x57x128", 576},
    {"conv2d(stride=2,pads=3)", "1x3x224x224:64x3x7x7", "1x64x112x112", 147},
    {"conv2d(stride=2,pads=0:0:1:1)", "1x3x224x224:32x3x3x3", "1x32x112x112", 27},
    {"conv2d(stride=2:1,pads=0:1:0:2)", "1x3x9x8:2x3x3x2", "1x2x4x10", 18},
    {"conv2d(dilation=2:3)", "2x4x9x11:6x4x3x3", "2x6x5x5", 36},
    {"conv2d(groups=8,pads=1)", "2x8x5x5:8x1x3x3", "2x8x5x5", 9},
    {"conv2d(groups=2)", "2x8x5x5:6x4x1x1", "2x6x5x5", 4},
    {"relu+conv2d(layout=nhwc)+bias+conv2d", "2x6x7x8:4x8x1x1:3x4x2x2", "2x5x6x3", 16},
    {"relu+conv2d(layout=auto)", "2x8x6x7:4x8x1x1", "2x4x6x7", 8},
    {"conv2d+conv2d(layout=nhwc)", "2x6x7x8:4x8x1x1:3x4x1x1", "2x6x7x3", 4},
    {"conv2d(pads=1:0:0:1,dilation=1:4)", "1x3x2x8:4x3x3x3", "1x4x1x1", 27},
    {"conv2d(stride=65535)", "1x1x5x5:1x1x1x1", "1x1x1x1", 1},
};

START_TEST(sizes)
{
    fsc_graph *graph = NULL;
    fsc_error why;
    ck_status_ok(fsc__graph_parse(good[_i].chain, good[_i].shape, &graph, &why), &why);
    const fsc__node *last = &graph->nodes[graph->node_count - 1];
    char text[128];
    fsc__shape_write(&graph->values[last->out].shape, text, sizeof text);
    ck_assert_str_eq(text, good[_i].result);
    const fsc__conv2d_dims dims = fsc__graph_conv2d(graph, last);
    ck_assert_int_eq(dims.terms, good[_i].terms);
    ck_assert_int_eq(graph->values[last->in[1]].fan_in, good[_i].terms);
    const bool nhwc = strstr(good[_i].chain, "nhwc") != NULL;
    ck_assert_int_eq(dims.layout, nhwc ? FSC__LAYOUT_NHWC : FSC__LAYOUT_NCHW);
    ck_assert_int_eq(graph->values[0].layout, dims.layout);
    ck_assert_int_eq(graph->values[last->out].layout, dims.layout);
    fsc__graph_free(graph);
}
END_TEST

/* A new operand behind a convolution lies along the channels. */
static const struct {
    const char *chain, *shape, *input, *operand;
} laid[] = {
    {"conv2d+bias", "2x3x8x9:4x3x1x1", "bias", "4x1x1"},
    {"conv2d(layout=nhwc)+bias", "2x8x9x3:4x3x1x1", "bias", "4"},
    {"conv2d(layout=nhwc)+scale(by=channel)", "2x8x9x3:4x3x1x1", "scale", "4"},
    {"conv2d+bias(by=col)", "2x3x8x9:4x3x1x1", "bias", "9"},
    {"conv2d+mul(by=channel)", "2x3x8x9:4x3x1x1", "x2", "4x1x1"},
    {"conv2d+add", "2x3x8x9:4x3x1x1", "x2", "2x4x8x9"},
    {"bias+conv2d(layout=nhwc)", "2x8x9x3:4x3x1x1", "bias", "3"},
    {"conv2d+layernorm", "2x3x8x9:4x3x1x1", "gamma", "9"},
};

START_TEST(operands)
{
    fsc_graph *graph = NULL;
    fsc_error why;
    ck_status_ok(fsc__graph_parse(laid[_i].chain, laid[_i].shape, &graph, &why), &why);
    const int input = fsc__graph_input(graph, laid[_i].input);
    ck_assert_int_ge(input, 0);
    char text[128];
    fsc__shape_write(&graph->values[input].shape, text, sizeof text);
    ck_assert_str_eq(text, laid[_i].operand);
    fsc__graph_free(graph);
}
END_TEST

static const struct {
    const char *chain, *shape, *words;
} bad[] = {
    {"conv2d", "3x8x8:4x3x3x3", "needs four axes of x and four of the weights [O,I/groups,KH,KW]"},
    {"conv2d", "1x3x8x8:4x3x3", "here are 1x3x8x8 and 4x3x3"},
    {"conv2d", "1x3x8x8", "has no part for w"},
    {"conv2d", "1x3x8x8:4x5x3x3", "I/groups = 3, here 5; the layout of x is nchw with 3 channels"},
    {"conv2d", "1x8x8x3:4x3x3x3", "I/groups = 8, here 3"},
    {"conv2d(groups=2)", "1x3x8x8:4x3x3x3", "groups=2 must divide the 3 input and the 4 output"},
    {"conv2d(groups=2)", "1x4x8x8:3x2x3x3", "groups=2 must divide the 4 input and the 3 output"},
    {"conv2d", "1x3x2x8:4x3x3x3", "reaches over 3 of the height, but with pads there are 2"},
    {"conv2d(pads=1:0:0:1,dilation=1:4)", "1x3x2x7:4x3x3x3",
     "reaches over 9 of the width, but with pads there are 8"},
    {"conv2d(pads=1:2)", "1x3x8x8:4x3x3x3", "pads takes a whole number from 0 to 65535, or 4 of"},
    {"conv2d(pads=-1)", "1x3x8x8:4x3x3x3", "pads takes a whole number from 0"},
    {"conv2d(stride=0)", "1x3x8x8:4x3x3x3", "stride takes a whole number from 1 to 65535, or 2 of"},
    {"conv2d(stride=1.5)", "1x3x8x8:4x3x3x3", "stride takes a whole number"},
    {"conv2d(layout=hwc)", "1x3x8x8:4x3x3x3", "there is no layout \"hwc\"; did you mean nhwc?"},
    {"conv2d(layout=nhwc)+conv2d(layout=nchw)", "1x8x8x3:4x3x3x3:4x4x3x3",
     "item 2 \"conv2d(layout=nchw)\": layout=nchw, but x is nhwc"},
    {"conv2d(2)", "1x3x8x8:4x3x3x3", "a number cannot be the operand w of conv2d"},
    {"conv2d(pads=65535)", "1x1x8x8:1x1x1x1", "has 2^31 elements or more"},
};

START_TEST(refused)
{
    fsc_graph *graph = NULL;
    fsc_error why = {0};
    ck_assert_int_eq(fsc__graph_parse(bad[_i].chain, bad[_i].shape, &graph, &why), FSC_ERR_INPUT);
    ck_assert_ptr_null(graph);
    ck_assert_msg(strstr(why.text, bad[_i].words), "\"%s\" is not in: %s", bad[_i].words, why.text);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("conv2d");
    TCase *tcase = tcase_create("conv2d");
    tcase_add_loop_test(tcase, sizes, 0, sizeof good / sizeof good[0]);
    tcase_add_loop_test(tcase, operands, 0, sizeof laid / sizeof laid[0]);
    tcase_add_loop_test(tcase, refused, 0, sizeof bad / sizeof bad[0]);
    suite_add_tcase(suite, tcase);
    return suite;
}
