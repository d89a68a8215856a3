/* benchdnn's problem descriptors: what they say, what is refused and where, as shapes of a graph.
 */
#include "conv2d_fixture.h"

#include "graph/benchdnn.h"

const int fsc__test_forks = 1;

/* In x, the weights and the result; stride, pads (top left bottom right), dilation. */
static const struct {
    const char *text, *x, *weights, *result;
    int stride[2], pads[4], dilation[2], groups, weight;
} good[] = {
    {"mb1ic64ih56oc64oh56kh3ph1",
     "1x64x56x56",
     "64x64x3x3",
     "1x64x56x56",
     {1, 1},
     {1, 1, 1, 1},
     {1, 1},
     1,
     1},
    {"ic64ih56oc256oh56kh1ph0n\"resnet_50:res2a_branch1*4\"",
     "2x64x56x56",
     "256x64x1x1",
     "2x256x56x56",
     {1, 1},
     {0, 0, 0, 0},
     {1, 1},
     1,
     4},
    /* the pads behind are those that the result takes */
    {"mb50ic3ih224iw224oc64oh112ow112kh7kw7sh2sw2ph3pw3nresnet_50:conv1",
     "50x3x224x224",
     "64x3x7x7",
     "50x64x112x112",
     {2, 2},
     {3, 3, 2, 2},
     {1, 1},
     1,
     1},
    {"mb1ic3ih224oc32oh112kh3sh2ph0",
     "1x3x224x224",
     "32x3x3x3",
     "1x32x112x112",
     {2, 2},
     {0, 0, 1, 1},
     {1, 1},
     1,
     1},
    {"g1mb50_ic256ih56iw56_oc512oh28ow28_kh1kw1_sh2sw2_ph0pw0",
     "50x256x56x56",
     "512x256x1x1",
     "50x512x28x28",
     {2, 2},
     {0, 0, 0, 0},
     {1, 1},
     1,
     1},
    {"ic3ih227iw227_oc96oh55ow55_kh11kw11_sh4sw4ph0pw0_n\"alexnet:conv1\"",
     "2x3x227x227",
     "96x3x11x11",
     "2x96x55x55",
     {4, 4},
     {0, 0, 0, 0},
     {1, 1},
     1,
     1},
    /* without ph: half of the pads, rounded down, in front */
    {"mb1ic4ih10oc4oh10kh3",
     "1x4x10x10",
     "4x4x3x3",
     "1x4x10x10",
     {1, 1},
     {1, 1, 1, 1},
     {1, 1},
     1,
     1},
    {"mb1ic4ih10oc4oh10kh4",
     "1x4x10x10",
     "4x4x4x4",
     "1x4x10x10",
     {1, 1},
     {1, 1, 2, 2},
     {1, 1},
     1,
     1},
    {"mb1ic4ih10oc4oh5kh1sh2",
     "1x4x10x10",
     "4x4x1x1",
     "1x4x5x5",
     {2, 2},
     {0, 0, 0, 0},
     {1, 1},
     1,
     1},
    /* without oh: pads on both sides, without those that no window reaches */
    {"mb1ic4ih10oc4kh3", "1x4x10x10", "4x4x3x3", "1x4x8x8", {1, 1}, {0, 0, 0, 0}, {1, 1}, 1, 1},
    {"mb1ic16oc16_ih10kh5_kh5ph7sh1",
     "1x16x10x10",
     "16x16x5x5",
     "1x16x20x20",
     {1, 1},
     {7, 7, 7, 7},
     {1, 1},
     1,
     1},
    {"mb1ic4ih10oc4kh3sh2ph1",
     "1x4x10x10",
     "4x4x3x3",
     "1x4x5x5",
     {2, 2},
     {1, 1, 0, 0},
     {1, 1},
     1,
     1},
    /* dh counts what is left out: 0 is dense */
    {"mb1ic4ih9oc4oh9kh3ph2dh1",
     "1x4x9x9",
     "4x4x3x3",
     "1x4x9x9",
     {1, 1},
     {2, 2, 2, 2},
     {2, 2},
     1,
     1},
    {"mb1ic4ih9oc4kh3dh0", "1x4x9x9", "4x4x3x3", "1x4x7x7", {1, 1}, {0, 0, 0, 0}, {1, 1}, 1, 1},
    {"g32mb3ic32ih8iw9oc32oh8ow3kh3kw5sh1sw4ph1pw2",
     "3x32x8x9",
     "32x1x3x5",
     "3x32x8x3",
     {1, 4},
     {1, 2, 1, 2},
     {1, 1},
     32,
     1},
    {"g2ic6ih4oc4kh2", "2x6x4x4", "4x3x2x2", "2x4x3x3", {1, 1}, {0, 0, 0, 0}, {1, 1}, 2, 1},
    /* a width alone, and a depth of 1 */
    {"mb1ic16iw30oc8ow28kw3",
     "1x16x1x30",
     "8x16x1x3",
     "1x8x1x28",
     {1, 1},
     {0, 0, 0, 0},
     {1, 1},
     1,
     1},
    {"mb1ic2id1ih5oc3od1kd1kh2sd1pd0dd0",
     "1x2x5x5",
     "3x2x2x2",
     "1x3x4x4",
     {1, 1},
     {0, 0, 0, 0},
     {1, 1},
     1,
     1},
    {"mb1_ic128ih1_oc16oh1_kh3_ph1",
     "1x128x1x1",
     "16x128x3x3",
     "1x16x1x1",
     {1, 1},
     {1, 1, 1, 1},
     {1, 1},
     1,
     1},
};
enum { GOOD_COUNT = sizeof good / sizeof good[0] };

static void check_shape(const fsc__shape *shape, const char *want)
{
    char text[128];
    fsc__shape_write(shape, text, sizeof text);
    ck_assert_str_eq(text, want);
}

static void check_numbers(const fsc__conv2d_dims *d, int index)
{
    ck_assert_int_eq(d->stride_h, good[index].stride[0]);
    ck_assert_int_eq(d->stride_w, good[index].stride[1]);
    ck_assert_int_eq(d->top, good[index].pads[0]);
    ck_assert_int_eq(d->left, good[index].pads[1]);
    ck_assert_int_eq(d->bottom, good[index].pads[2]);
    ck_assert_int_eq(d->right, good[index].pads[3]);
    ck_assert_int_eq(d->dilation_h, good[index].dilation[0]);
    ck_assert_int_eq(d->dilation_w, good[index].dilation[1]);
    ck_assert_int_eq(d->groups, good[index].groups);
}

/* As read, and as the shape of a graph. */
START_TEST(good_text)
{
    fsc__benchdnn problem;
    fsc_graph *graph = NULL;
    fsc_error why;
    ck_assert(fsc__benchdnn_is(good[_i].text));
    ck_status_ok(fsc__benchdnn_parse(good[_i].text, &problem, &why), &why);
    check_numbers(&problem.dims, _i);
    ck_assert_int_eq(problem.weight, good[_i].weight);
    const fsc__shape result = fsc__conv2d_result(&problem.dims);
    check_shape(&result, good[_i].result);
    ck_status_ok(fsc__graph_parse("relu+conv2d+bias", good[_i].text, &graph, &why), &why);
    const fsc__conv2d_dims dims = fsc__graph_conv2d(graph, &graph->nodes[1]);
    check_numbers(&dims, _i);
    ck_assert_int_eq(problem.dims.terms, dims.terms);
    check_shape(&graph->values[fsc__graph_input(graph, "x")].shape, good[_i].x);
    check_shape(&graph->values[fsc__graph_input(graph, "w")].shape, good[_i].weights);
    check_shape(&graph->values[graph->outputs[0]].shape, good[_i].result);
    fsc__graph_free(graph);
}
END_TEST

/* A descriptor of random sizes and the attributes that say the same make the same result. */
START_TEST(random_sizes)
{
    const conv_sizes c = conv_random((uint64_t)_i);
    char chain[CONV_TEXT], shape[CONV_TEXT], text[2 * CONV_TEXT];
    setup given, described;
    conv_write(&c, _i % 2 ? "nhwc" : "nchw", chain, shape);
    setup_init(&given, chain, shape, "f32");
    setup_fill(&given, "normal", 1);
    const fsc__conv2d_dims d = fsc__graph_conv2d(given.graph, &given.graph->nodes[0]);
    snprintf(text, sizeof text, "g%dmb%dic%dih%diw%doc%doh%dow%dkh%dkw%dsh%dsw%dph%dpw%ddh%ddw%d",
             c.groups, c.n, c.groups * c.channels, c.h, c.w, c.groups * c.outputs, (int)d.oh,
             (int)d.ow, c.kh, c.kw, c.stride[0], c.stride[1], c.pads[0], c.pads[1],
             c.dilation[0] - 1, c.dilation[1] - 1);
    setup_init(&described, _i % 2 ? "conv2d(layout=nhwc)" : "conv2d", text, "f32");
    setup_fill(&described, "normal", 1);
    fsc_tensor want = setup_predict(&given, given.fused);
    fsc_tensor out = setup_predict(&described, described.fused);
    ck_same_bits(&out, &want, text);
    fsc__tensor_deinit(&want);
    fsc__tensor_deinit(&out);
    setup_deinit(&given);
    setup_deinit(&described);
}
END_TEST

static const struct {
    const char *text, *words[2];
} bad[] = {
    {"kq3", {"column 1: expected n\"name\" or one of g, mb, ic,", "found \"k\""}},
    {"mb1ic64x56", {"column 8: expected", "found \"x\""}},
    {"mb1 ic64", {"column 4: expected", "found \" \""}},
    {"mb", {"column 3: expected the number of mb", ""}},
    {"mb-1ic4", {"column 3: expected the number of mb", ""}},
    {"mb0ic4ih5oc4kh3", {"column 3: mb is 0; 1 to 2147483647 are allowed", ""}},
    {"ic6ih5oc4kh99999999999999999999", {"column 12: kh is more than 2147483647", ""}},
    {"ic6ih5oc4kh3sh0", {"column 15: sh is 0; 1 to 65535", ""}},
    {"ic6ih5oc4kh3ph65536", {"column 15: ph is 65536; 0 to 65535", ""}},
    {"ic6ih5oc4kh3kh4", {"column 15: kh is given twice, as 3 and as 4", ""}},
    {"ic6ih5oc4kh3id3", {"column 15: id is 3; two-dimensional problems alone", "with id1"}},
    {"ic6ih5oc4kh3pd1", {"column 15: pd is 1;", "with pd0"}},
    {"ic64", {"ih and kh are missing", "mb1ic64ih56oc64kh3ph1"}},
    {"ih5oc4kh3", {"ic is missing", ""}},
    {"ic3ih5kh3", {"oc is missing", ""}},
    {"ic3oc4ih224", {"kh is missing", ""}},
    {"ic64ih5iw5oc4kh3", {"kw is missing", "as the height"}},
    {"ic64ih5oc4kh3pw1", {"iw is missing", "as the height"}},
    {"ic6ih5oc4g4kh3", {"column 11: g4 must divide ic6 and oc4", ""}},
    {"ic6ih5oc4kh7", {"column 12: the window reaches over 7, but with pads ih is 5", ""}},
    {"ic6ih5iw9oc4kh3kw3dw4", {"the window reaches over 11, but with pads iw is 9", "column 18"}},
    {"ic64ih56oc64oh50kh3ph1", {"column 15: oh is 50, but makes 55 or more", ""}},
    {"ic1ih2oc1oh131100kh1", {"column 12: oh takes more than 65535 pads", ""}},
    {"mb65536ic64ih56oc64kh3", {"65536x64x56x56 has 2^31 elements or more", "shape \"mb65536"}},
    {"mb1ic1ih1oc65536oh256kh1ph0", {"1x65536x256x256 has 2^31 elements", ""}},
    {"ic6ih5oc4kh3n", {"column 13: expected the end or a name", ""}},
    {"ic6ih5oc4kh3n\"\"", {"column 13: expected the end or a name", ""}},
    {"ic6ih5oc4kh3n\"a", {"column 13: expected the end or a name", ""}},
    {"ic6ih5oc4kh3n\"a\"b", {"column 16: expected the end or a name", ""}},
    {"ic6ih5oc4kh3n\"a b\"", {"column 16: expected the end or a name", ""}},
    {"ic6ih5oc4kh3n\"a*0\"", {"column 17: the weight", "from 1 to 1000000"}},
    {"ic6ih5oc4kh3na*1000001", {"column 16: the weight", ""}},
};

START_TEST(bad_text)
{
    fsc__benchdnn problem = {.weight = -1};
    fsc_error why = {0};
    ck_assert_int_eq(fsc__benchdnn_parse(bad[_i].text, &problem, &why), FSC_ERR_INPUT);
    ck_assert_int_eq(problem.weight, -1);
    for (int i = 0; i < 2; i++)
        ck_assert_msg(strstr(why.text, bad[_i].words[i]), "\"%s\" is not in: %s", bad[_i].words[i],
                      why.text);
}
END_TEST

static const struct {
    const char *chain, *shape, *words;
} refused[] = {
    {"relu", "mb1ic4ih8oc4kh3", "describes a conv2d, and the graph \"relu\" has none"},
    {"matmul+conv2d", "mb1ic4ih8oc4kh3", "item 1 \"matmul\": the shape \"mb1ic4ih8oc4kh3\" desc"},
    {"relu+conv2d(stride=2)", "mb1ic4ih8oc4kh3", "item 2 \"conv2d(stride=2)\": stride= is said by"},
    {"conv2d(pads=0)", "mb1ic4ih8oc4kh3", "pads= is said by the shape"},
    {"conv2d(dilation=1)", "mb1ic4ih8oc4kh3", "dilation= is said by the shape"},
    {"conv2d(layout=nhwc,groups=1)", "mb1ic4ih8oc4kh3", "groups= is said by the shape"},
    {"conv2d+conv2d", "mb1ic4ih8oc4kh3", "item 2 \"conv2d\": the shape \"mb1ic4ih8oc4kh3\" has no"},
    {"conv2d", "mb1ic4ih8oc4kh9", "column 15: the window"},
    {"matmul", "4x8:8x3n", "column 8: expected the end or a name"},
    {"matmul", "4x8:8x3n\"bert*24", "column 8: expected the end or a name"},
    {"matmul", "4x8:8x3*24", "column 8: expected x or \":\""},
};

START_TEST(refused_by_a_graph)
{
    fsc_graph *graph = NULL;
    fsc_error why = {0};
    ck_assert_int_eq(fsc__graph_parse(refused[_i].chain, refused[_i].shape, &graph, &why),
                     FSC_ERR_INPUT);
    ck_assert_msg(strstr(why.text, refused[_i].words), "\"%s\" is not in: %s", refused[_i].words,
                  why.text);
}
END_TEST

/* Sizes have names too. */
START_TEST(named_sizes)
{
    fsc__shape_parts parts;
    fsc_error why;
    ck_status_ok(fsc__shape_parse("16x384x1024:1024x1024n\"bert:qkv*24\"", &parts, &why), &why);
    ck_assert_int_eq(parts.count, 2);
    ck_assert_int_eq(parts.weight, 24);
    ck_status_ok(fsc__shape_parse("16x384:384x4nbert", &parts, &why), &why);
    ck_assert_int_eq(parts.weight, 1);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("benchdnn");
    TCase *tc = tcase_create("descriptors");
    tcase_add_loop_test(tc, good_text, 0, GOOD_COUNT);
    tcase_add_loop_test(tc, random_sizes, 0, 40);
    tcase_add_loop_test(tc, bad_text, 0, sizeof bad / sizeof bad[0]);
    tcase_add_loop_test(tc, refused_by_a_graph, 0, sizeof refused / sizeof refused[0]);
    tcase_add_test(tc, named_sizes);
    suite_add_tcase(suite, tc);
    return suite;
}
