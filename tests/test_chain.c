/* Chains: what each item means, the names of values, and what is refused in which words. */
#include <string.h>

#include "base/alloc.h"
#include "graph/graph.h"
#include "harness.h"

const int fsc__test_forks = 1;

static fsc_graph *parsed(const char *chain, const char *shape)
{
    fsc_graph *graph = NULL;
    fsc_error why;
    ck_status_ok(fsc__graph_parse(chain, shape, &graph, &why), &why);
    return graph;
}

static void check_input(const fsc_graph *graph, int index, const char *name, fsc__role role,
                        const char *shape, int64_t fan_in)
{
    ck_assert_int_lt(index, graph->input_count);
    const fsc__value *value = &graph->values[index];
    char text[128];
    fsc__shape_write(&value->shape, text, sizeof text);
    ck_assert_str_eq(value->name, name);
    ck_assert_int_eq(value->kind, FSC__VALUE_INPUT);
    ck_assert_int_eq(value->role, role);
    ck_assert_str_eq(text, shape);
    ck_assert_int_eq(value->fan_in, fan_in);
    ck_assert_int_eq(value->producer, -1);
    ck_assert_int_eq(fsc__graph_input(graph, name), index);
}

static void check_result(const fsc_graph *graph, int node, const char *name, const char *shape)
{
    const fsc__value *value = &graph->values[graph->nodes[node].out];
    char text[128];
    fsc__shape_write(&value->shape, text, sizeof text);
    ck_assert_str_eq(value->name, name);
    ck_assert_int_eq(value->kind, FSC__VALUE_RESULT);
    ck_assert_int_eq(value->producer, node);
    ck_assert_str_eq(text, shape);
}

START_TEST(matmul_bias_gelu)
{
    fsc_graph *graph = parsed("matmul+bias+gelu", "384x1024:1024x4096");
    ck_assert_int_eq(graph->input_count, 3);
    ck_assert_int_eq(graph->node_count, 3);
    ck_assert_int_eq(graph->value_count, 6);
    check_input(graph, 0, "x", FSC__ROLE_DATA, "384x1024", 1024);
    check_input(graph, 1, "w", FSC__ROLE_WEIGHT, "1024x4096", 1024);
    check_input(graph, 2, "bias", FSC__ROLE_BIAS, "4096", 1);
    check_result(graph, 0, "t", "384x4096");
    check_result(graph, 1, "t2", "384x4096");
    check_result(graph, 2, "y", "384x4096");
    ck_assert_str_eq(graph->nodes[1].op->name, "bias");
    ck_assert_int_eq(graph->nodes[1].in[0], graph->nodes[0].out);
    ck_assert_int_eq(graph->nodes[1].in[1], 2);
    ck_assert_int_eq(graph->output_count, 1);
    ck_assert_int_eq(graph->outputs[0], graph->nodes[2].out);
    ck_assert_str_eq(graph->text, "matmul+bias+gelu");
    fsc__graph_free(graph);
}
END_TEST

START_TEST(norm_with_attribute)
{
    fsc_graph *graph = parsed(" add + layernorm ( eps = 1e-12 ) + relu ", "128x768");
    check_input(graph, 0, "x", FSC__ROLE_DATA, "128x768", 768);
    check_input(graph, 1, "x2", FSC__ROLE_DATA, "128x768", 768);
    check_input(graph, 2, "gamma", FSC__ROLE_GAMMA, "768", 1);
    check_input(graph, 3, "beta", FSC__ROLE_BETA, "768", 1);
    const fsc__norm_dims dims = fsc__graph_norm(graph, &graph->nodes[1]);
    ck_assert_int_eq(dims.rows, 128);
    ck_assert_int_eq(dims.cols, 768);
    ck_assert(dims.centred);
    ck_assert(dims.eps == 1e-12f);
    ck_assert_int_eq(dims.gamma, 2);
    ck_assert_int_eq(dims.beta, 3);
    fsc__graph_free(graph);

    graph = parsed("rmsnorm", "2x3x8");
    const fsc__norm_dims rms = fsc__graph_norm(graph, &graph->nodes[0]);
    ck_assert_int_eq(rms.rows, 6);
    ck_assert_int_eq(rms.cols, 8);
    ck_assert(!rms.centred);
    ck_assert(rms.eps == 1e-6f);
    ck_assert_int_eq(rms.gamma, 1);
    ck_assert_int_eq(rms.beta, -1);
    fsc__graph_free(graph);
}
END_TEST

START_TEST(literals)
{
    fsc_graph *graph = parsed("add(0.5)+mul(-1e-3)+sub(1e+2)+div(0x1p-2)", "7");
    static const float numbers[] = {0.5f, -1e-3f, 100.0f, 0.25f};
    ck_assert_int_eq(graph->input_count, 1);
    ck_assert_int_eq(graph->value_count, 9);
    for (int i = 0; i < 4; i++) {
        const fsc__value *value = &graph->values[graph->nodes[i].in[1]];
        ck_assert_int_eq(value->kind, FSC__VALUE_LITERAL);
        ck_assert_int_eq(value->shape.rank, 0);
        ck_assert_int_eq(value->producer, -1);
        ck_assert(value->literal == numbers[i]);
        check_result(graph, i, i == 0 ? "t" : i == 1 ? "t2" : i == 2 ? "t3" : "y", "7");
    }
    fsc__graph_free(graph);
}
END_TEST

START_TEST(named_operands_and_reuse)
{
    fsc_graph *graph = parsed("sigmoid(out=s)+add(skip)+mul(s)+sub(x)+add(skip)", "3x5");
    check_input(graph, 0, "x", FSC__ROLE_DATA, "3x5", 1);
    check_input(graph, 1, "skip", FSC__ROLE_DATA, "3x5", 1);
    ck_assert_int_eq(graph->input_count, 2);
    const int s = graph->nodes[0].out;
    ck_assert_str_eq(graph->values[s].name, "s");
    ck_assert_int_eq(graph->nodes[1].in[1], 1);
    ck_assert_int_eq(graph->nodes[2].in[1], s);
    ck_assert_int_eq(graph->nodes[3].in[1], 0);
    ck_assert_int_eq(graph->nodes[4].in[1], 1);
    ck_assert_int_eq(fsc__graph_input(graph, "s"), -1);
    fsc__graph_free(graph);
}
END_TEST

START_TEST(names_count_up)
{
    fsc_graph *graph = parsed("add+add+bias+bias+scale+bias(b)+bias", "4x8");
    static const char *const names[] = {"x", "x2", "x3", "bias", "bias2", "scale", "b", "bias3"};
    ck_assert_int_eq(graph->input_count, 8);
    for (int i = 0; i < 8; i++)
        ck_assert_str_eq(graph->values[i].name, names[i]);
    fsc__graph_free(graph);
    /* A name that the chain gives first is stepped over, in operands and results alike. */
    graph = parsed("add(x2)+add+add(t)+relu+add(y)", "4");
    static const char *const given[] = {"x", "x2", "x3", "t", "y"};
    ck_assert_int_eq(graph->input_count, 5);
    for (int i = 0; i < 5; i++)
        ck_assert_str_eq(graph->values[i].name, given[i]);
    static const char *const results[] = {"t2", "t3", "t4", "t5", "y2"};
    for (int i = 0; i < 5; i++)
        check_result(graph, i, results[i], "4");
    fsc__graph_free(graph);
}
END_TEST

START_TEST(several_matmuls)
{
    fsc_graph *graph = parsed("relu+matmul+bias+matmul(transB=1)", "4x8:8x16:5x16");
    check_input(graph, 0, "x", FSC__ROLE_DATA, "4x8", 8);
    check_input(graph, 1, "w", FSC__ROLE_WEIGHT, "8x16", 8);
    check_input(graph, 2, "bias", FSC__ROLE_BIAS, "16", 16);
    check_input(graph, 3, "w2", FSC__ROLE_WEIGHT, "5x16", 16);
    check_result(graph, 3, "y", "4x5");
    fsc__graph_free(graph);
    /* x times its own transpose: no part for w is needed. */
    graph = parsed("matmul(x,transB=1)", "4x8");
    ck_assert_int_eq(graph->input_count, 1);
    check_result(graph, 0, "y", "4x4");
    fsc__graph_free(graph);
}
END_TEST

START_TEST(types_of_inputs)
{
    fsc_graph *graph = parsed("matmul+bias+scale+layernorm", "4x8:8x8");
    const fsc_mode mode = {.storage = FSC_F16, .params = FSC_F32};
    static const fsc_dtype types[] = {FSC_F16, FSC_F16, FSC_F32, FSC_F32, FSC_F32, FSC_F32};
    ck_assert_int_eq(graph->input_count, 6);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(fsc__graph_input_type(&graph->values[i], &mode), types[i]);
    fsc__graph_free(graph);
}
END_TEST

/* Each refused chain and words that its error has to hold. */
static const struct {
    const char *chain, *shape, *words[3];
} refused[] = {
    {"", "4", {"column 1", "name of an op", "the end"}},
    {"relu+", "4", {"column 6", "name of an op", "the end"}},
    {"+relu", "4", {"column 1", "name of an op", "\"+\""}},
    {"relu relu", "4", {"column 6", "\"+\" or the end", "\"r\""}},
    {"relu)", "4", {"column 5", "\"+\" or the end", "\")\""}},
    {"add(0.5", "4", {"column 8", "\",\" or \")\"", "the end"}},
    {"add(0.5 x)", "4", {"column 9", "\",\" or \")\"", "\"x\""}},
    {"add(,)", "4", {"column 5", "a number or a name", "\",\""}},
    {"add(1.5h)", "4", {"column 8", "\",\" or \")\"", "\"h\""}},
    {"relu+gelo", "4", {"item 2 \"gelo\"", "no op \"gelo\"", "did you mean gelu?"}},
    {"softmaxx", "4", {"item 1 \"softmaxx\"", "Allowed: add, sub", "rmsnorm"}},
    {"relu(0.5)", "4", {"item 1 \"relu(0.5)\"", "takes no operand", "relu"}},
    {"relu(a)", "4", {"item 1", "takes no operand", "running value"}},
    {"add(a,b)", "4", {"item 1", "too many operands", "takes 1"}},
    {"layernorm(a,b,c)", "4", {"item 1", "too many operands", "takes 2"}},
    {"matmul(2)", "4x4:4x4", {"item 1", "operand w", "give a name"}},
    {"add(1e39)", "4", {"item 1", "no finite f32", ""}},
    {"add(-inf)", "4", {"item 1", "no finite f32", ""}},
    {"add(inf)", "4", {"item 1", "no finite f32", ""}},
    {"mul(NaN)", "4", {"item 1", "no finite f32", ""}},
    {"layernorm(epz=1)", "4", {"item 1", "no argument \"epz\"", "did you mean eps?"}},
    {"layernorm(eps=2)", "4", {"eps takes", "from 0 to 1", ""}},
    {"layernorm(eps=-1e-9)", "4", {"eps takes", "from 0 to 1", ""}},
    {"layernorm(eps=tiny)", "4", {"eps takes", "finite number", ""}},
    {"layernorm(eps=1e-5,eps=1e-6)", "4", {"item 1", "eps= is given twice", ""}},
    {"matmul(transA=0.5)", "4x4:4x4", {"transA takes", "whole number", "from 0 to 1"}},
    {"matmul(transA=2)", "4x4:4x4", {"transA takes", "whole number", "from 0 to 1"}},
    {"relu(by=col)", "4", {"no argument \"by\"", "Allowed: out", ""}},
    {"add(by=cols)", "4", {"no by \"cols\"", "did you mean col?", "full, col, row"}},
    {"add(by=1)", "4", {"by= takes", "channel or scalar", ""}},
    {"add(0.5,by=col)", "4", {"by= has no meaning", "0.5", ""}},
    {"add(x,by=col)", "4x4", {"x exists already", "by= is for new operands", ""}},
    {"relu(out=1)", "4", {"out= takes a name", "", ""}},
    {"relu(out=x)", "4", {"out=x", "another value", ""}},
    {"relu(out=a)+abs(out=a)", "4", {"item 2", "out=a", "another value"}},
    {"add(a)+relu(out=a)", "4", {"item 2", "out=a", "another value"}},
    {"add(abcdefghijklmnopqrstuvwx)", "4", {"too long", "at most 23", "abcdefgh"}},
    {"bias(by=channel)", "4", {"item 1", "by=channel needs two axes", "here is one"}},
    {"add(1:2)", "4", {"item 1", "operand is one number", ""}},
    {"layernorm(eps=1:2)", "4", {"item 1", "eps takes a finite number", ""}},
    {"matmul", "4x8", {"item 1 \"matmul\"", "no part for w", "384x1024:1024x4096"}},
    {"matmul+matmul", "4x8:8x8", {"item 2", "no part for w2", "4x8:8x8"}},
    {"relu", "4x8:8x8", {"has 2 parts", "needs 1", ""}},
    {"matmul", "4x8:9x16", {"4x8 and 9x16 do not fit", "MxK with K = 8", "KxN with K = 9"}},
    {"matmul(transA=1)", "4x8:8x16", {"KxM with K = 4", "K = 8", "item 1"}},
    {"matmul", "8:8x4", {"two axes or more", "here are 8 and 8x4", ""}},
    {"matmul", "2x4x8:3x8x4", {"do not fit", "batch", "or none"}},
    {"matmul", "4x8:2x8x4", {"do not fit", "batch", "or none"}},
    {"matmul", "65536x2:2x32768", {"item 1", "65536x32768", "2^31 elements"}},
    {"matmul+add(x)", "4x8:8x3", {"item 2", "4x3 and 4x8 do not broadcast", "equal or 1"}},
    {"layernorm(x)", "4x8", {"x has the shape 4x8", "gamma of layernorm", "last axis alone, 8"}},
};

START_TEST(refusals)
{
    fsc_graph *graph = NULL;
    fsc_error why = {0};
    const fsc_status status = fsc__graph_parse(refused[_i].chain, refused[_i].shape, &graph, &why);
    ck_assert_msg(status == FSC_ERR_INPUT, "%s on %s gives status %d", refused[_i].chain,
                  refused[_i].shape, (int)status);
    ck_assert_ptr_null(graph);
    for (int i = 0; i < 3; i++)
        ck_assert_msg(strstr(why.text, refused[_i].words[i]), "\"%s\" is not in: %s",
                      refused[_i].words[i], why.text);
    ck_assert_int_eq(fsc__graph_parse(refused[_i].chain, refused[_i].shape, &graph, NULL),
                     FSC_ERR_INPUT);
}
END_TEST

START_TEST(memory_runs_out)
{
    for (long allowed = 0;; allowed++) {
        fsc_graph *graph = NULL;
        fsc_error why = {0};
        fsc__alloc_fail_after(allowed);
        const fsc_status status =
            fsc__graph_parse("matmul+bias+layernorm+add(x)", "4x8:8x8", &graph, &why);
        fsc__alloc_fail_after(-1);
        if (status == FSC_OK) {
            ck_assert_int_gt(allowed, 5);
            fsc__graph_free(graph);
            break;
        }
        ck_assert_int_eq(status, FSC_ERR_MEMORY);
        ck_assert_ptr_null(graph);
    }
}
END_TEST

START_TEST(long_chains)
{
    enum { OPS = 500 };
    char chain[OPS * 4 + 1], *at = chain;
    for (int i = 0; i < OPS; i++, at += 4)
        memcpy(at, "add+", 4);
    at[-1] = '\0';
    fsc_graph *graph = parsed(chain, "3");
    ck_assert_int_eq(graph->node_count, OPS);
    ck_assert_int_eq(graph->input_count, OPS + 1);
    ck_assert_str_eq(graph->values[OPS].name, "x501");
    fsc__graph_free(graph);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("chain");
    TCase *tcase = tcase_create("chain");
    tcase_add_test(tcase, matmul_bias_gelu);
    tcase_add_test(tcase, norm_with_attribute);
    tcase_add_test(tcase, literals);
    tcase_add_test(tcase, named_operands_and_reuse);
    tcase_add_test(tcase, names_count_up);
    tcase_add_test(tcase, several_matmuls);
    tcase_add_test(tcase, types_of_inputs);
    tcase_add_loop_test(tcase, refusals, 0, (int)(sizeof refused / sizeof refused[0]));
    tcase_add_test(tcase, memory_runs_out);
    tcase_add_test(tcase, long_chains);
    suite_add_tcase(suite, tcase);
    return suite;
}
