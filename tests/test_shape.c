/* Shapes as text and JSON, and the shapes that ops make of them. */
#include <stdio.h>
#include <string.h>

#include "graph/shape.h"
#include "harness.h"

const int fsc__test_forks = 1;

static void check_shape(const fsc__shape *shape, const char *text)
{
    char got[128];
    fsc__shape_write(shape, got, sizeof got);
    ck_assert_str_eq(got, text);
}

static fsc__shape shape_of(const char *text)
{
    fsc__shape_parts parts;
    fsc_error why;
    ck_status_ok(fsc__shape_parse(text, &parts, &why), &why);
    ck_assert_int_eq(parts.count, 1);
    return parts.part[0];
}

START_TEST(parts)
{
    fsc__shape_parts read;
    fsc_error why;
    ck_status_ok(fsc__shape_parse("8x64x32:32x16:7", &read, &why), &why);
    ck_assert_int_eq(read.count, 3);
    check_shape(&read.part[0], "8x64x32");
    check_shape(&read.part[1], "32x16");
    check_shape(&read.part[2], "7");
    ck_status_ok(fsc__shape_parse("1x2x3x4x5x6", &read, &why), &why);
    ck_assert_int_eq(read.part[0].rank, 6);
    ck_assert_int_eq(read.part[0].dims[5], 6);
    ck_status_ok(fsc__shape_parse("2147483647", &read, &why), &why);
    ck_assert_int_eq(read.part[0].dims[0], 2147483647);
    ck_status_ok(fsc__shape_parse("32768x65535", &read, &why), &why);
}
END_TEST

static const struct {
    const char *text, *words[2];
} bad[] = {
    {"", {"column 1", "found the end"}},
    {"x", {"column 1", "\"x\""}},
    {"4x", {"column 3", "found the end"}},
    {"4x8:", {"column 5", "found the end"}},
    {":4", {"column 1", "\":\""}},
    {"4xx8", {"column 3", "\"x\""}},
    {"4X8", {"column 2", "expected x"}},
    {"4 x8", {"column 2", "\" \""}},
    {"4x8 ", {"column 4", "expected x"}},
    {"-4x8", {"column 1", "\"-\""}},
    {"4x-8", {"column 3", "\"-\""}},
    {"0", {"column 1", "the size is 0"}},
    {"4x0x3", {"column 3", "the size is 0"}},
    {"2147483648", {"column 1", "2^31 or more"}},
    {"99999999999999999999999999", {"column 1", "2^31 or more"}},
    {"32768x65536", {"part 1", "2^31 elements"}},
    {"4x4:1024x1024x2048", {"part 2", "2^31 elements"}},
    {"2000000000x2000000000x2000000000", {"part 1", "2^31 elements"}},
    {"1x1x1x1x1x1x1", {"too many axes", "at most 6"}},
    {"1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1", {"too many parts", ""}},
    {"4.5x8", {"column 2", "\".\""}},
    {"4x1e3", {"column 4", "\"e\""}},
    {"\xc3\x97", {"column 1", "expected a size"}},
};

START_TEST(bad_text)
{
    fsc__shape_parts read = {.count = -1};
    fsc_error why = {0};
    ck_assert_int_eq(fsc__shape_parse(bad[_i].text, &read, &why), FSC_ERR_INPUT);
    ck_assert_int_eq(read.count, -1);
    for (int i = 0; i < 2; i++)
        ck_assert_msg(strstr(why.text, bad[_i].words[i]), "\"%s\" is not in: %s", bad[_i].words[i],
                      why.text);
    ck_assert_ptr_nonnull(strstr(why.text, "384x1024:1024x4096"));
}
END_TEST

/* The operand that lies on a running value by full, col, row, channel, scalar; "" is refused. */
static const struct {
    const char *running, *operand[FSC__BY_COUNT];
} laid[] = {
    {"768", {"768", "768", "1", "", "1"}},
    {"128x768", {"128x768", "768", "128x1", "768", "1"}},
    {"2x3x5", {"2x3x5", "5", "2x3x1", "3x1", "1"}},
    {"2x64x56x57", {"2x64x56x57", "57", "2x64x56x1", "64x1x1", "1"}},
    {"2x3x4x5x6x7", {"2x3x4x5x6x7", "7", "2x3x4x5x6x1", "3x1x1x1x1", "1"}},
};

START_TEST(operands_by_name)
{
    const fsc__shape running = shape_of(laid[_i].running);
    for (int by = 0; by < FSC__BY_COUNT; by++) {
        fsc__shape operand, out;
        fsc_error why = {0};
        const fsc_status status =
            fsc__shape_by((fsc__by)by, &running, FSC__LAYOUT_NCHW, &operand, &why);
        if (!laid[_i].operand[by][0]) {
            ck_assert_int_eq(status, FSC_ERR_INPUT);
            continue;
        }
        ck_status_ok(status, &why);
        check_shape(&operand, laid[_i].operand[by]);
        ck_status_ok(fsc__shape_broadcast(&running, &operand, &out, &why), &why);
        ck_assert(fsc__shape_equal(&out, &running));
    }
}
END_TEST

START_TEST(channels_of_nhwc)
{
    const fsc__shape running = shape_of("2x56x57x64");
    fsc__shape operand;
    fsc_error why = {0};
    ck_status_ok(fsc__shape_by(FSC__BY_CHANNEL, &running, FSC__LAYOUT_NHWC, &operand, &why), &why);
    check_shape(&operand, "64");
}
END_TEST

/* a, b and what they broadcast to; "" where they do not. */
static const char *const broadcast[][3] = {
    {"4x8", "8", "4x8"},       {"8", "4x8", "4x8"},        {"4x1", "1x8", "4x8"},
    {"4x8", "4", ""},          {"2x3x4", "3x1", "2x3x4"},  {"5", "1", "5"},
    {"2x1x4", "3x1", "2x3x4"}, {"65536x1", "1x32768", ""}, {"3x4", "2x3x5", ""},
};

START_TEST(broadcasting)
{
    const fsc__shape a = shape_of(broadcast[_i][0]), b = shape_of(broadcast[_i][1]);
    fsc__shape out = {.rank = -1};
    fsc_error why = {0};
    const fsc_status status = fsc__shape_broadcast(&a, &b, &out, &why);
    if (!broadcast[_i][2][0]) {
        ck_assert_int_eq(status, FSC_ERR_INPUT);
        ck_assert_int_eq(out.rank, -1);
        return;
    }
    ck_status_ok(status, &why);
    check_shape(&out, broadcast[_i][2]);
}
END_TEST

START_TEST(scalars_broadcast)
{
    const fsc__shape scalar = {.rank = 0}, full = shape_of("2x3");
    fsc__shape out;
    fsc_error why;
    ck_status_ok(fsc__shape_broadcast(&full, &scalar, &out, &why), &why);
    check_shape(&out, "2x3");
    ck_assert_int_eq(out.rank, 2);
    ck_status_ok(fsc__shape_broadcast(&scalar, &scalar, &out, &why), &why);
    ck_assert_int_eq(out.rank, 0);
}
END_TEST

static const struct {
    const char *chain, *shape, *out;
    fsc__matmul_dims dims; /* batch m n k trans_a trans_b shared_b */
} products[] = {
    {"matmul", "3x5:5x7", "3x7", {1, 3, 7, 5, false, false, true}},
    {"matmul(transA=1)", "5x3:5x7", "3x7", {1, 3, 7, 5, true, false, true}},
    {"matmul(transB=1)", "3x5:7x5", "3x7", {1, 3, 7, 5, false, true, true}},
    {"matmul(transA=1,transB=1)", "5x3:7x5", "3x7", {1, 3, 7, 5, true, true, true}},
    {"matmul", "8x64x32:8x32x16", "8x64x16", {8, 64, 16, 32, false, false, false}},
    {"matmul", "8x64x32:32x16", "8x64x16", {8, 64, 16, 32, false, false, true}},
    {"matmul(transA=1)", "2x8x32x64:2x8x32x16", "2x8x64x16", {16, 64, 16, 32, true, false, false}},
    {"matmul", "1x100000:100000x1", "1x1", {1, 1, 1, 100000, false, false, true}},
};

START_TEST(matmul_dims)
{
    fsc_graph *graph = NULL;
    fsc_error why;
    ck_status_ok(fsc__graph_parse(products[_i].chain, products[_i].shape, &graph, &why), &why);
    const fsc__matmul_dims want = products[_i].dims;
    const fsc__matmul_dims got = fsc__graph_matmul(graph, &graph->nodes[0]);
    ck_assert_int_eq(got.batch, want.batch);
    ck_assert_int_eq(got.m, want.m);
    ck_assert_int_eq(got.n, want.n);
    ck_assert_int_eq(got.k, want.k);
    ck_assert_int_eq(got.trans_a, want.trans_a);
    ck_assert_int_eq(got.trans_b, want.trans_b);
    ck_assert_int_eq(got.shared_b, want.shared_b);
    check_shape(&graph->values[graph->outputs[0]].shape, products[_i].out);
    fsc__graph_free(graph);
}
END_TEST

/* JSON and the text it stands for, or the words of the refusal. */
static const struct {
    const char *json, *text, *words;
} documents[] = {
    {"\"128x768\"", "128x768", NULL},
    {"{\"m\": 64, \"k\": 4096, \"n\": 32}", "64x4096:4096x32", NULL},
    {"{\"batch\": 8, \"m\": 64, \"k\": 16, \"n\": 32}", "8x64x16:8x16x32", NULL},
    {"{\"rows\": 128, \"cols\": 768}", "128x768", NULL},
    {"{\"n\": 2, \"c\": 3, \"h\": 5, \"w\": 7}", "2x3x5x7", NULL},
    {"{\"m\": 64, \"k\": 4096}", NULL, "the size n is missing"},
    {"{\"rows\": 128}", NULL, "the size cols is missing"},
    {"{\"rows\": 128, \"cols\": 0}", NULL, "/shape/cols"},
    {"{\"rows\": 128, \"cols\": 2147483648}", NULL, "/shape/cols"},
    {"{\"rows\": 128, \"cols\": 1.5}", NULL, "/shape/cols"},
    {"{\"rows\": 128, \"colls\": 2}", NULL, "cols"},
    {"{\"n\": 128}", NULL, "not a shape"},
    {"{}", NULL, "not a shape"},
    {"[1, 2]", NULL, "/shape"},
};

START_TEST(json)
{
    char wrapped[128], text[128];
    snprintf(wrapped, sizeof wrapped, "{\"shape\": %s}", documents[_i].json);
    cJSON *root = NULL;
    fsc_error why = {0};
    ck_status_ok(fsc__json_parse("a.json", wrapped, strlen(wrapped), &root, &why), &why);
    const fsc__json top = fsc__json_root("a.json", root);
    const fsc__json at = fsc__json_member(&top, "shape");
    const fsc_status status = fsc__shape_text(&at, text, sizeof text, &why);
    if (documents[_i].text) {
        ck_status_ok(status, &why);
        ck_assert_str_eq(text, documents[_i].text);
    } else {
        ck_assert_int_eq(status, FSC_ERR_INPUT);
        ck_assert_ptr_nonnull(strstr(why.text, "a.json: "));
        ck_assert_msg(strstr(why.text, documents[_i].words), "%s", why.text);
    }
    cJSON_Delete(root);
}
END_TEST

#define LENGTH(array) ((int)(sizeof(array) / sizeof(array)[0]))

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("shape");
    TCase *tcase = tcase_create("shape");
    tcase_add_test(tcase, parts);
    tcase_add_loop_test(tcase, bad_text, 0, LENGTH(bad));
    tcase_add_loop_test(tcase, operands_by_name, 0, LENGTH(laid));
    tcase_add_test(tcase, channels_of_nhwc);
    tcase_add_loop_test(tcase, broadcasting, 0, LENGTH(broadcast));
    tcase_add_test(tcase, scalars_broadcast);
    tcase_add_loop_test(tcase, matmul_dims, 0, LENGTH(products));
    tcase_add_loop_test(tcase, json, 0, LENGTH(documents));
    suite_add_tcase(suite, tcase);
    return suite;
}
