/* Every rule: where it fires and where it does not, with the reason in words. */
#include <string.h>

#include "fusion/plan.h"
#include "fusion/rule.h"
#include "harness.h"

const int fsc__test_forks = 1;

static const fsc_mode f32 = {0};

/* One boundary of a plan: the plan as text, and what stands at boundary `at` (0: behind op 1). */
static const struct {
    const char *chain, *shape, *off;
    int max_inputs;
    const char *plan;
    int at;
    const char *rule;
    bool fired;
    const char *reason;
} cases[] = {
    /* map_chain */
    {"add+relu", "4x8", NULL, 0, "[add relu]", 0, "map_chain", true,
     "value t is read inside the kernel alone"},
    {"sigmoid(out=s)+add+mul(s)", "4x8", NULL, 0, "[sigmoid add mul]", 0, "map_chain", true,
     "value s is read inside the kernel alone"},
    {"relu+add(a)+add(by=channel)+mul(by=row)", "2x3x4x5", NULL, 0, "[relu add add mul]", 2,
     "map_chain", true, "value t3 is read inside the kernel alone"},
    {"add+relu", "4x8", "map_chain", 0, "[add] [relu]", 0, "map_chain", false,
     "switched off by --off map_chain"},
    {"add+add+add", "4x8", NULL, 3, "[add add] [add]", 1, "map_chain", false,
     "kernel would read 4 buffers, this device allows 3"},
    {"add+add(x)+add(x2)+add(0.5)", "4x8", NULL, 2, "[add add add add]", 2, "map_chain", true,
     "value t3 is read inside the kernel alone"},
    {"relu(out=s)+layernorm+relu+add(s)", "4x8", NULL, 0, "[relu] [layernorm relu add]", 0,
     "norm_prologue", false, "value s is used again by op 4 (add)"},
    {"relu(out=s)+abs+layernorm+add(s)", "4x8", NULL, 0, "[relu] [abs layernorm add]", 0,
     "map_chain", false, "value s is used again by op 4 (add)"},
    {"matmul+relu(out=s)+matmul+add(s)+abs", "4x8:8x8:8x8", NULL, 0,
     "[matmul relu] [matmul add abs]", 1, "matmul_prologue", false, "a kernel holds one matmul"},
    {"relu(out=s)+abs(out=r)+matmul+mul(s)+mul(r)", "8x8:8x8", NULL, 0,
     "[relu] [abs] [matmul mul mul]", 0, "map_chain", false, "value s is used again by op 4 (mul)"},
    /* matmul_epilogue */
    {"matmul+bias", "4x8:8x3", NULL, 0, "[matmul bias]", 0, "matmul_epilogue", true,
     "value t is read inside the kernel alone"},
    {"matmul+bias+gelu+add", "2x4x8:8x3", NULL, 0, "[matmul bias gelu add]", 2, "matmul_epilogue",
     true, "value t3 is read inside the kernel alone"},
    {"matmul+bias+gelu", "4x8:8x3", "matmul_epilogue", 0, "[matmul] [bias gelu]", 0,
     "matmul_epilogue", false, "switched off by --off matmul_epilogue"},
    {"matmul+mul(x)", "4x8:8x1", NULL, 0, "[matmul] [mul]", 0, "matmul_epilogue", false,
     "op 2 (mul) enlarges value t from 4x1 to 4x8: another index space"},
    {"matmul+mul(x)", "4x1:1x8", NULL, 0, "[matmul mul]", 0, "matmul_epilogue", true,
     "value t is read inside the kernel alone"},
    {"matmul+add+add", "4x8:8x3", NULL, 3, "[matmul add] [add]", 1, "matmul_epilogue", false,
     "kernel would read 4 buffers, this device allows 3"},
    {"matmul+add(0.5)+add(out=r)+layernorm+add(r)", "4x8:8x3", NULL, 0,
     "[matmul add add] [layernorm add]", 2, "norm_prologue", false,
     "a norm needs whole rows, matmul makes tiles"},
    {"matmul(out=s)+relu+layernorm+add(s)", "4x8:8x3", NULL, 0, "[matmul] [relu layernorm add]", 0,
     "matmul_epilogue", false, "value s is used again by op 4 (add)"},
    /* conv2d_epilogue */
    {"conv2d+bias+relu", "2x3x8x8:4x3x3x3", NULL, 0, "[conv2d bias relu]", 0, "conv2d_epilogue",
     true, "value t is read inside the kernel alone"},
    {"conv2d(layout=nhwc)+bias+add+relu", "2x8x8x3:4x3x3x3", NULL, 0, "[conv2d bias add relu]", 1,
     "conv2d_epilogue", true, "value t2 is read inside the kernel alone"},
    {"conv2d+relu", "2x3x8x8:4x3x3x3", "conv2d_epilogue", 0, "[conv2d] [relu]", 0,
     "conv2d_epilogue", false, "switched off by --off conv2d_epilogue"},
    {"conv2d+relu+conv2d", "2x3x8x8:4x3x3x3:5x4x1x1", NULL, 0, "[conv2d relu] [conv2d]", 1,
     "conv2d_prologue", false, "a kernel holds one conv2d"},
    {"conv2d+matmul", "2x3x8x8:4x3x3x3:6x5", NULL, 0, "[conv2d] [matmul]", 0, "matmul_prologue",
     false, "a matmul loads its operand in pieces, a conv2d makes tiles"},
    {"conv2d+layernorm", "2x3x8x8:4x3x3x3", NULL, 0, "[conv2d] [layernorm]", 0, "norm_prologue",
     false, "a norm needs whole rows, conv2d makes tiles"},
    /* norm_epilogue */
    {"layernorm+relu", "4x8", NULL, 0, "[layernorm relu]", 0, "norm_epilogue", true,
     "value t is read inside the kernel alone"},
    {"rmsnorm+mul(by=row)+add(x)", "4x8", NULL, 0, "[rmsnorm mul add]", 1, "norm_epilogue", true,
     "value t2 is read inside the kernel alone"},
    {"layernorm+relu", "4x8", "norm_epilogue", 0, "[layernorm] [relu]", 0, "norm_epilogue", false,
     "switched off by --off norm_epilogue"},
    {"layernorm+add", "4x8", NULL, 3, "[layernorm] [add]", 0, "norm_epilogue", false,
     "kernel would read 4 buffers, this device allows 3"},
    {"layernorm+relu+layernorm", "4x8", NULL, 0, "[layernorm relu] [layernorm]", 1, "norm_prologue",
     false, "a kernel holds one norm"},
    /* matmul_prologue */
    {"relu+matmul+bias", "4x8:8x3", NULL, 0, "[relu matmul bias]", 0, "matmul_prologue", true,
     "value t is read inside the kernel alone"},
    {"bias+scale(by=row)+matmul(transA=1)", "8x4:8x3", NULL, 0, "[bias scale matmul]", 1,
     "matmul_prologue", true, "value t2 is read inside the kernel alone"},
    {"relu+matmul+bias", "4x8:8x3", "matmul_prologue", 0, "[relu] [matmul bias]", 0,
     "matmul_prologue", false, "switched off by --off matmul_prologue"},
    {"relu(out=s)+matmul(s,transB=1)", "4x8", NULL, 0, "[relu] [matmul]", 0, "matmul_prologue",
     false, "op 2 (matmul) reads value s as its w, which must be in memory"},
    {"relu(out=s)+matmul+add(s)", "8x8:8x8", NULL, 0, "[relu] [matmul add]", 0, "matmul_prologue",
     false, "value s is used again by op 3 (add)"},
    {"add+matmul", "4x8:8x3", NULL, 2, "[add] [matmul]", 0, "matmul_prologue", false,
     "kernel would read 3 buffers, this device allows 2"},
    {"layernorm+matmul", "4x8:8x3", NULL, 0, "[layernorm] [matmul]", 0, "matmul_prologue", false,
     "a matmul loads its operand in pieces, a norm makes whole rows"},
    /* conv2d_prologue */
    {"bias+relu+conv2d", "2x3x8x8:4x3x3x3", NULL, 0, "[bias relu conv2d]", 1, "conv2d_prologue",
     true, "value t2 is read inside the kernel alone"},
    {"relu+conv2d", "2x3x8x8:4x3x3x3", "conv2d_prologue", 0, "[relu] [conv2d]", 0,
     "conv2d_prologue", false, "switched off by --off conv2d_prologue"},
    {"relu(out=s)+conv2d(s)", "2x2x2x2", NULL, 0, "[relu] [conv2d]", 0, "conv2d_prologue", false,
     "op 2 (conv2d) reads value s as its w, which must be in memory"},
    {"layernorm+conv2d", "2x3x8x8:4x3x3x3", NULL, 0, "[layernorm] [conv2d]", 0, "conv2d_prologue",
     false, "a conv2d loads its operand in pieces, a norm makes whole rows"},
    /* norm_prologue */
    {"add+layernorm(eps=1e-12)+relu", "128x768", NULL, 0, "[add layernorm relu]", 0,
     "norm_prologue", true, "value t is read inside the kernel alone"},
    {"add+rmsnorm+add(x)", "128x768", NULL, 0, "[add rmsnorm add]", 0, "norm_prologue", true,
     "value t is read inside the kernel alone"},
    {"add+layernorm+relu", "4x8", "norm_prologue", 0, "[add] [layernorm relu]", 0, "norm_prologue",
     false, "switched off by --off norm_prologue"},
    {"add(out=s)+layernorm+add(s)", "4x8", NULL, 0, "[add] [layernorm add]", 0, "norm_prologue",
     false, "value s is used again by op 3 (add)"},
    {"relu(out=s)+layernorm(s)", "8", NULL, 0, "[relu] [layernorm]", 0, "norm_prologue", false,
     "op 2 (layernorm) reads value s as its gamma, which must be in memory"},
    {"add+layernorm", "4x8", NULL, 3, "[add] [layernorm]", 0, "norm_prologue", false,
     "kernel would read 4 buffers, this device allows 3"},
};

START_TEST(boundaries)
{
    fsc_graph *graph = NULL;
    fsc__plan *plan = NULL;
    fsc_error why;
    const fsc__plan_options options = {.off = &cases[_i].off,
                                       .off_count = cases[_i].off != NULL,
                                       .max_inputs = cases[_i].max_inputs};
    ck_status_ok(fsc__graph_parse(cases[_i].chain, cases[_i].shape, &graph, &why), &why);
    ck_status_ok(fsc__plan_create(graph, &f32, &options, &plan, &why), &why);
    fsc__text text = {0};
    fsc__plan_write(plan, &text);
    ck_assert_msg(strcmp(text.data, cases[_i].plan) == 0, "%s is cut as %s", cases[_i].chain,
                  text.data);
    ck_assert_int_eq(plan->decision_count, graph->node_count - 1);
    const fsc__decision *decision = &plan->decisions[cases[_i].at];
    ck_assert_int_eq(decision->before, cases[_i].at);
    ck_assert_int_eq(decision->after, cases[_i].at + 1);
    ck_assert_msg(strcmp(decision->rule, cases[_i].rule) == 0, "%s: rule %s", cases[_i].chain,
                  decision->rule);
    ck_assert_msg(strcmp(decision->reason, cases[_i].reason) == 0, "%s: reason: %s",
                  cases[_i].chain, decision->reason);
    ck_assert_int_eq(decision->fired, cases[_i].fired);
    fsc__text_deinit(&text);
    fsc__plan_free(plan);
    fsc__graph_free(graph);
}
END_TEST

/* Each rule of the table fires in one case above and is switched off in another. */
START_TEST(cases_cover_the_table)
{
    for (size_t i = 0; i < fsc__rule_count(); i++) {
        const fsc__rule *rule = fsc__rule_at(i);
        bool fires = false, off = false;
        for (size_t j = 0; j < sizeof cases / sizeof cases[0]; j++) {
            const bool same = strcmp(cases[j].rule, rule->name) == 0;
            fires |= same && cases[j].fired;
            off |= same && cases[j].off && strcmp(cases[j].off, rule->name) == 0;
        }
        ck_assert_msg(fires && off, "%s", rule->name);
        ck_assert_ptr_eq(fsc__rule_find(rule->name), rule);
        ck_assert_ptr_nonnull(strchr(rule->what, '.'));
    }
    ck_assert_ptr_null(fsc__rule_find("fold_bn"));
}
END_TEST

/* Graphs that no chain can write: a chain's two ends meet in another shape or slot. */
typedef struct made {
    fsc_graph graph;
    fsc__value values[8];
    fsc__node nodes[3];
    int outputs[2];
} made;

static void add_value(made *m, const char *name, int producer, fsc__shape shape)
{
    fsc__value *value = &m->values[m->graph.value_count++];
    *value = (fsc__value){.shape = shape, .producer = producer, .fan_in = 1};
    value->kind = producer < 0 ? FSC__VALUE_INPUT : FSC__VALUE_RESULT;
    m->graph.input_count += producer < 0;
    strcpy(value->name, name);
}

static void init(made *m)
{
    *m = (made){.graph = {.text = "made by hand"}};
    m->graph.values = m->values;
    m->graph.nodes = m->nodes;
    m->graph.outputs = m->outputs;
}

START_TEST(far_broadcasts)
{
    const fsc__shape out = {.rank = 4, .dims = {2, 3, 4, 5}};
    const fsc__shape far = {.rank = 4, .dims = {2, 1, 4, 1}};
    made m;
    init(&m);
    add_value(&m, "x", -1, out);
    add_value(&m, "far", -1, far);
    add_value(&m, "t", 0, out);
    add_value(&m, "y", 1, out);
    m.nodes[0] = (fsc__node){.op = fsc__op_find("relu"), .in = {0}, .out = 2};
    m.nodes[1] = (fsc__node){.op = fsc__op_find("add"), .in = {2, 1}, .out = 3};
    m.graph.node_count = 2;
    m.outputs[0] = 3;
    m.graph.output_count = 1;
    fsc__plan *plan = NULL;
    fsc_error why;
    const fsc__plan_options options = {0};
    ck_assert_int_eq(fsc__plan_create(&m.graph, &f32, &options, &plan, &why), FSC_UNSUPPORTED);
    ck_assert_str_eq(
        why.text, "far of op 2 (add): a broadcast over axes 1 and 3 is not supported in rows of 5");
    ck_assert_ptr_null(plan);
}
END_TEST

/* An operand repeated over axis 1 alone is reached by a map in rows of 20, not by a norm's prologue
   in rows of 5. */
START_TEST(prologues_have_another_view)
{
    const fsc__shape out = {.rank = 4, .dims = {2, 3, 4, 5}};
    const fsc__shape middle = {.rank = 4, .dims = {2, 1, 4, 5}};
    const fsc__shape row = {.rank = 1, .dims = {5}};
    made m;
    init(&m);
    add_value(&m, "x", -1, out);
    add_value(&m, "middle", -1, middle);
    add_value(&m, "gamma", -1, row);
    add_value(&m, "t", 0, out);
    add_value(&m, "y", 1, out);
    m.nodes[0] = (fsc__node){.op = fsc__op_find("add"), .in = {0, 1}, .out = 3};
    m.nodes[1] = (fsc__node){.op = fsc__op_find("rmsnorm"), .in = {3, 2}, .out = 4};
    m.graph.node_count = 2;
    m.outputs[0] = 4;
    m.graph.output_count = 1;
    fsc__plan *plan = NULL;
    fsc_error why;
    const fsc__plan_options options = {0};
    ck_status_ok(fsc__plan_create(&m.graph, &f32, &options, &plan, &why), &why);
    ck_assert_int_eq(plan->group_count, 2);
    ck_assert(!plan->decisions[0].fired);
    ck_assert_str_eq(plan->decisions[0].rule, "norm_prologue");
    ck_assert_str_eq(plan->decisions[0].reason,
                     "middle of op 1 (add): a broadcast over axis 1 is not supported in rows of 5");
    fsc__plan_free(plan);
}
END_TEST

/* ... and not by a map that must work in rows of 5 for the sake of another operand. */
START_TEST(an_operand_narrows_the_view)
{
    const fsc__shape out = {.rank = 4, .dims = {2, 3, 4, 5}};
    const fsc__shape middle = {.rank = 4, .dims = {2, 1, 4, 5}};
    const fsc__shape col = {.rank = 1, .dims = {5}};
    made m;
    init(&m);
    add_value(&m, "x", -1, out);
    add_value(&m, "middle", -1, middle);
    add_value(&m, "col", -1, col);
    add_value(&m, "t", 0, out);
    add_value(&m, "y", 1, out);
    m.nodes[0] = (fsc__node){.op = fsc__op_find("add"), .in = {0, 1}, .out = 3};
    m.nodes[1] = (fsc__node){.op = fsc__op_find("mul"), .in = {3, 2}, .out = 4};
    m.graph.node_count = 2;
    m.outputs[0] = 4;
    m.graph.output_count = 1;
    fsc__plan *plan = NULL;
    fsc_error why;
    const fsc__plan_options options = {0};
    ck_status_ok(fsc__plan_create(&m.graph, &f32, &options, &plan, &why), &why);
    ck_assert_int_eq(plan->group_count, 2);
    ck_assert_str_eq(plan->decisions[0].rule, "map_chain");
    ck_assert_str_eq(plan->decisions[0].reason,
                     "middle of op 1 (add): a broadcast over axis 1 is not supported in rows of 5");
    fsc__plan_free(plan);
}
END_TEST

/* relu and abs both work on x; add joins them. Intermediate outputs are stored. */
START_TEST(branches_and_outputs)
{
    const fsc__shape shape = {.rank = 1, .dims = {7}};
    made m;
    init(&m);
    add_value(&m, "x", -1, shape);
    add_value(&m, "r", 0, shape);
    add_value(&m, "a", 1, shape);
    add_value(&m, "y", 2, shape);
    m.nodes[0] = (fsc__node){.op = fsc__op_find("relu"), .in = {0}, .out = 1};
    m.nodes[1] = (fsc__node){.op = fsc__op_find("abs"), .in = {0}, .out = 2};
    m.nodes[2] = (fsc__node){.op = fsc__op_find("add"), .in = {1, 2}, .out = 3};
    m.graph.node_count = 3;
    m.outputs[0] = 3;
    m.outputs[1] = 2;
    m.graph.output_count = 2;
    fsc__plan *plan = NULL;
    fsc_error why;
    const fsc__plan_options options = {0};
    ck_status_ok(fsc__plan_create(&m.graph, &f32, &options, &plan, &why), &why);
    ck_assert_int_eq(plan->group_count, 3);
    ck_assert_str_eq(plan->decisions[0].reason, "op 2 (abs) does not read value r");
    ck_assert_str_eq(plan->decisions[1].reason, "value a is an output of the graph");
    fsc__plan_free(plan);
    m.graph.output_count = 1;
    ck_status_ok(fsc__plan_create(&m.graph, &f32, &options, &plan, &why), &why);
    ck_assert_int_eq(plan->group_count, 2);
    ck_assert_int_eq(plan->groups[1].inputs[0], 0);
    ck_assert_int_eq(plan->groups[1].inputs[1], 1);
    fsc__plan_free(plan);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("rules");
    TCase *tcase = tcase_create("rules");
    tcase_add_loop_test(tcase, boundaries, 0, (int)(sizeof cases / sizeof cases[0]));
    tcase_add_test(tcase, cases_cover_the_table);
    tcase_add_test(tcase, far_broadcasts);
    tcase_add_test(tcase, prologues_have_another_view);
    tcase_add_test(tcase, an_operand_narrows_the_view);
    tcase_add_test(tcase, branches_and_outputs);
    suite_add_tcase(suite, tcase);
    return suite;
}
