/* Plans by hand: groups, fields of modes, orders, rounding, refusals. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "fusion/plan.h"
#include "harness.h"

const int fsc__test_forks = 1;

static const fsc__plan_options plain = {0}, unfused = {.unfused = true};

static fsc_mode mode_of(const char *text)
{
    fsc_mode mode;
    fsc_error why;
    ck_status_ok(fsc__mode_parse(text, &mode, &why), &why);
    return mode;
}

static fsc_graph *graph_of(const char *chain, const char *shape)
{
    fsc_graph *graph = NULL;
    fsc_error why;
    ck_status_ok(fsc__graph_parse(chain, shape, &graph, &why), &why);
    return graph;
}

static fsc__plan *plan_of(const fsc_graph *graph, const char *mode_text,
                          const fsc__plan_options *options)
{
    const fsc_mode mode = mode_of(mode_text);
    fsc__plan *plan = NULL;
    fsc_error why;
    ck_status_ok(fsc__plan_create(graph, &mode, options, &plan, &why), &why);
    return plan;
}

static void check_text(const fsc__plan *plan, const char *want)
{
    fsc__text text = {0};
    fsc__plan_write(plan, &text);
    ck_assert_str_eq(text.data, want);
    fsc__text_deinit(&text);
}

START_TEST(groups_in_detail)
{
    fsc_graph *graph = graph_of("relu+matmul+bias+add(skip)+layernorm+mul(skip)", "4x8:8x3");
    fsc__plan *plan = plan_of(graph, "f32", &plain);
    check_text(plan, "[relu matmul bias add] [layernorm mul]");
    const fsc__group *first = &plan->groups[0], *second = &plan->groups[1];
    ck_assert_int_eq(first->pattern, FSC__PATTERN_MATMUL);
    ck_assert_int_eq(first->main, 1);
    ck_assert_int_eq(first->node_count, 4);
    static const char *const read[] = {"x", "w", "bias", "skip"};
    ck_assert_int_eq(first->input_count, 4);
    for (int i = 0; i < 4; i++)
        ck_assert_str_eq(graph->values[first->inputs[i]].name, read[i]);
    ck_assert_str_eq(graph->values[first->output].name, "t4");
    ck_assert_int_eq(second->pattern, FSC__PATTERN_NORM);
    ck_assert_int_eq(second->main, 0);
    static const char *const read_second[] = {"t4", "gamma", "beta", "skip"};
    ck_assert_int_eq(second->input_count, 4);
    for (int i = 0; i < 4; i++)
        ck_assert_str_eq(graph->values[second->inputs[i]].name, read_second[i]);
    ck_assert_int_eq(second->output, graph->outputs[0]);
    fsc__plan_free(plan);
    fsc__graph_free(graph);
}
END_TEST

START_TEST(numbers_are_no_buffers)
{
    fsc_graph *graph = graph_of("mul(0.5)+add(x)+sub(1)", "5");
    fsc__plan *plan = plan_of(graph, "f32", &plain);
    check_text(plan, "[mul add sub]");
    ck_assert_int_eq(plan->groups[0].pattern, FSC__PATTERN_MAP);
    ck_assert_int_eq(plan->groups[0].main, -1);
    ck_assert_int_eq(plan->groups[0].input_count, 1);
    ck_assert_int_eq(plan->groups[0].inputs[0], 0);
    fsc__plan_free(plan);
    fsc__graph_free(graph);
}
END_TEST

START_TEST(unfused_plans)
{
    fsc_graph *graph = graph_of("relu+matmul+bias+layernorm", "4x8:8x3");
    fsc__plan *plan = plan_of(graph, "f16", &unfused);
    check_text(plan, "[relu] [matmul] [bias] [layernorm]");
    ck_assert_int_eq(plan->decision_count, 0);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(plan->groups[i].main, i % 2 == 0 ? -1 : 0);
    fsc__plan_free(plan);
    fsc__graph_free(graph);
}
END_TEST

static void check_order(const fsc__plan *plan, int group, const char *want)
{
    char text[24];
    fsc__order_write(fsc__plan_order(plan, &plan->groups[group]), text, sizeof text);
    ck_assert_str_eq(text, want);
}

START_TEST(orders)
{
    fsc_graph *graph = graph_of("matmul+layernorm", "4x8:8x3");
    fsc__plan *plan = plan_of(graph, "f32", &plain);
    check_order(plan, 0, "sequential");
    check_order(plan, 1, "lanes:256");
    fsc__plan_free(plan);
    plan = plan_of(graph, "f32,order=chunk:16", &plain);
    check_order(plan, 0, "chunk:16");
    check_order(plan, 1, "chunk:16");
    fsc__plan_free(plan);
    plan = plan_of(graph, "f32,order=sequential", &plain);
    check_order(plan, 1, "sequential");
    fsc__plan_free(plan);
    fsc__graph_free(graph);
}
END_TEST

START_TEST(rounding_points)
{
    fsc_graph *graph = graph_of("add+layernorm+relu", "4x8");
    fsc__plan *keep = plan_of(graph, "f16", &plain);
    fsc__plan *round = plan_of(graph, "f16,boundary=round", &plain);
    for (int i = 0; i < 3; i++) {
        ck_assert(!fsc__plan_rounds(keep, &keep->groups[0], i));
        ck_assert_int_eq(fsc__plan_rounds(round, &round->groups[0], i), i < 2);
    }
    fsc__plan_free(keep);
    fsc__plan_free(round);
    fsc__graph_free(graph);
}
END_TEST

/* Fields that a graph gives a meaning; allowed NULL: planned, else words of the refusal. */
static const struct {
    const char *chain, *shape, *mode, *field, *allowed;
} fields[] = {
    {"relu", "4", "f32,boundary=round", NULL, NULL},
    {"relu", "4", "f32,order=sequential", "order", "mean something: storage, boundary"},
    {"relu", "4", "f32,contract=off", "contract", "mean something: storage, boundary"},
    {"relu", "4", "f16,params=storage", "params", "needs a bias, scale, gamma or beta"},
    {"relu", "4", "f32,variance=welford", "variance", "needs a layernorm"},
    {"relu", "4", "f32,gelu=tanh", "gelu", "needs the op gelu"},
    {"relu", "4", "f32,accum=f32", "accum", "needs a matmul"},
    {"gelu", "4", "f32,gelu=tanh", NULL, NULL},
    {"gelu_tanh", "4", "f32,gelu=erf", "gelu", "needs the op gelu"},
    {"add+bias", "4", "f16,params=storage", NULL, NULL},
    {"scale", "4", "f16,params=storage", NULL, NULL},
    {"matmul", "4x4:4x4", "f16,params=storage", "params", "order, contract"},
    {"matmul", "4x4:4x4", "f32,order=lanes:8,contract=off,accum=f32", NULL, NULL},
    {"matmul+gelu", "4x4:4x4", "f32,variance=two_pass", "variance",
     "storage, boundary, accum, order, contract, gelu"},
    {"layernorm", "4", "f32,variance=one_pass,order=chunk:2,contract=off", NULL, NULL},
    {"layernorm", "4", "f16,params=storage", NULL, NULL},
    {"rmsnorm", "4", "f32,variance=one_pass", "variance", "needs a layernorm"},
    {"rmsnorm", "4", "f32,order=lanes:4,contract=off", NULL, NULL},
    {"rmsnorm+layernorm", "4", "f32,variance=one_pass", NULL, NULL},
};

START_TEST(mode_fields)
{
    fsc_graph *graph = graph_of(fields[_i].chain, fields[_i].shape);
    const fsc_mode mode = mode_of(fields[_i].mode);
    fsc__plan *plan = NULL;
    fsc_error why = {0};
    for (int i = 0; i < 2; i++) {
        const fsc_status status =
            fsc__plan_create(graph, &mode, i == 0 ? &plain : &unfused, &plan, &why);
        if (!fields[_i].field) {
            ck_status_ok(status, &why);
            fsc__plan_free(plan);
            continue;
        }
        char begin[64];
        snprintf(begin, sizeof begin, "mode: %s means nothing", fields[_i].field);
        ck_assert_int_eq(status, FSC_ERR_INPUT);
        ck_assert_ptr_null(plan);
        ck_assert_msg(strncmp(why.text, begin, strlen(begin)) == 0, "%s", why.text);
        ck_assert_msg(strstr(why.text, fields[_i].allowed), "%s", why.text);
    }
    fsc__graph_free(graph);
}
END_TEST

START_TEST(unknown_rules)
{
    fsc_graph *graph = graph_of("add+relu", "4");
    const fsc_mode mode = mode_of("f32");
    const char *const off[] = {"map_chain", "norm_epilog"};
    const fsc__plan_options options = {.off = off, .off_count = 2};
    fsc__plan *plan = NULL;
    fsc_error why;
    ck_assert_int_eq(fsc__plan_create(graph, &mode, &options, &plan, &why), FSC_ERR_INPUT);
    ck_assert_ptr_null(plan);
    ck_assert_ptr_nonnull(strstr(why.text, "no rule \"norm_epilog\"; did you mean norm_epilogue"));
    ck_assert_ptr_nonnull(strstr(why.text, "map_chain, matmul_epilogue, conv2d_epilogue"));
    fsc__graph_free(graph);
}
END_TEST

START_TEST(too_few_buffers)
{
    fsc_graph *graph = graph_of("relu+layernorm", "4");
    const fsc_mode mode = mode_of("f32");
    const fsc__plan_options options = {.max_inputs = 2};
    fsc__plan *plan = NULL;
    fsc_error why;
    ck_assert_int_eq(fsc__plan_create(graph, &mode, &options, &plan, &why), FSC_UNSUPPORTED);
    ck_assert_str_eq(why.text, "op 2 (layernorm) reads 3 buffers, this device allows 2");
    fsc__graph_free(graph);
}
END_TEST

START_TEST(memory_runs_out)
{
    fsc_graph *graph = graph_of("relu+matmul+bias+layernorm", "4x8:8x3");
    const fsc_mode mode = mode_of("f32");
    for (long allowed = 0;; allowed++) {
        fsc__plan *plan = NULL;
        fsc_error why = {0};
        fsc__alloc_fail_after(allowed);
        const fsc_status status = fsc__plan_create(graph, &mode, &plain, &plan, &why);
        fsc__alloc_fail_after(-1);
        if (status == FSC_OK) {
            ck_assert_int_gt(allowed, 5);
            fsc__plan_free(plan);
            break;
        }
        ck_assert_int_eq(status, FSC_ERR_MEMORY);
        ck_assert_ptr_null(plan);
    }
    fsc__graph_free(graph);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("plan");
    TCase *tcase = tcase_create("plan");
    tcase_add_test(tcase, groups_in_detail);
    tcase_add_test(tcase, numbers_are_no_buffers);
    tcase_add_test(tcase, unfused_plans);
    tcase_add_test(tcase, orders);
    tcase_add_test(tcase, rounding_points);
    tcase_add_loop_test(tcase, mode_fields, 0, (int)(sizeof fields / sizeof fields[0]));
    tcase_add_test(tcase, unknown_rules);
    tcase_add_test(tcase, too_few_buffers);
    tcase_add_test(tcase, memory_runs_out);
    suite_add_tcase(suite, tcase);
    return suite;
}
