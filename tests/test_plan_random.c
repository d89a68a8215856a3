/* What holds for every plan, on random chains: data flow, shapes, reach, decisions. */
#include <string.h>

#include "fusion/access.h"
#include "fusion/plan.h"
#include "fusion/rule.h"
#include "harness.h"

const int fsc__test_forks = 1;

static fsc_graph *graph_of(const char *chain, const char *shape)
{
    fsc_graph *graph = NULL;
    fsc_error why;
    ck_status_ok(fsc__graph_parse(chain, shape, &graph, &why), &why);
    return graph;
}

static uint32_t random_state;

static int below(int limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (int)((random_state >> 8) % (uint32_t)limit);
}

/* A chain of 1 to 9 ops over a batch of images whose axes are all 3, so that every item fits every
   other; operands reuse earlier values about as often as they are new. */
static void random_chain(fsc__text *chain, fsc__text *shape)
{
    static const char *const unary[] = {"relu", "neg", "gelu"};
    static const char *const binary[] = {"add", "mul", "sub"};
    static const char *const by[] = {"full", "col", "row", "channel", "scalar"};
    const int count = 1 + below(9);
    const char *layout = below(2) ? "nchw" : "nhwc";
    fsc__text_add(shape, "3x3x3x3");
    for (int i = 0; i < count; i++) {
        const int kind = below(12);
        fsc__text_add(chain, "%s", i > 0 ? "+" : "");
        if (kind < 3)
            fsc__text_add(chain, "%s(out=v%d)", unary[kind], i);
        else if (kind == 3 && i > 0)
            fsc__text_add(chain, "%s(v%d,out=v%d)", binary[below(3)], below(i), i);
        else if (kind < 5)
            fsc__text_add(chain, "%s(x,out=v%d)", binary[below(3)], i);
        else if (kind == 5)
            fsc__text_add(chain, "%s(by=%s,out=v%d)", binary[below(3)], by[below(5)], i);
        else if (kind == 6)
            fsc__text_add(chain, "%s(out=v%d)", below(2) ? "layernorm" : "rmsnorm", i);
        else if (kind == 7)
            fsc__text_add(chain, "add(%d.5,out=v%d)", i, i);
        else if (kind == 8 && i > 0)
            fsc__text_add(chain, "matmul(v%d,transB=%d,out=v%d)", below(i), below(2), i);
        else if (kind > 9) {
            fsc__text_add(chain, "conv2d(pads=1,layout=%s,out=v%d)", layout, i);
            fsc__text_add(shape, ":3x3x3x3");
        } else {
            fsc__text_add(chain, "matmul(transA=%d,out=v%d)", below(2), i);
            fsc__text_add(shape, below(2) ? ":3x3" : ":3x3x3x3");
        }
    }
}

static int group_of(const fsc__plan *plan, int node)
{
    int found = -1, times = 0;
    for (int i = 0; i < plan->group_count; i++)
        for (int j = 0; j < plan->groups[i].node_count; j++)
            if (plan->groups[i].nodes[j] == node) {
                found = i;
                times++;
            }
    ck_assert_int_eq(times, 1);
    return found;
}

static bool made_in(const fsc__plan *plan, int value, int group)
{
    const int producer = plan->graph->values[value].producer;
    return producer >= 0 && group_of(plan, producer) == group;
}

/* Values that the group's nodes read and do not make, in order of first use. */
static int read_values(const fsc__plan *plan, int index, int values[64])
{
    const fsc__group *group = &plan->groups[index];
    int count = 0;
    for (int i = 0; i < group->node_count; i++) {
        const fsc__node *node = &plan->graph->nodes[group->nodes[i]];
        for (int slot = 0; slot < node->op->inputs; slot++) {
            const int value = node->in[slot];
            bool known = made_in(plan, value, index) ||
                         plan->graph->values[value].kind == FSC__VALUE_LITERAL;
            for (int k = 0; k < count; k++)
                known |= values[k] == value;
            if (!known)
                values[count++] = value;
        }
    }
    return count;
}

/* Inputs complete and made before; everything made and needed elsewhere is the output. */
static void check_flow(const fsc__plan *plan, int index)
{
    const fsc_graph *graph = plan->graph;
    const fsc__group *group = &plan->groups[index];
    int values[64];
    const int count = read_values(plan, index, values);
    ck_assert_int_eq(group->input_count, count);
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(group->inputs[i], values[i]);
        const int producer = graph->values[values[i]].producer;
        if (producer < 0)
            continue;
        const int from = group_of(plan, producer);
        ck_assert_int_lt(from, index);
        ck_assert_int_eq(plan->groups[from].output, values[i]);
    }
    const int last = group->nodes[group->node_count - 1];
    ck_assert_int_eq(group->output, graph->nodes[last].out);
    for (int i = 0; i + 1 < group->node_count; i++) {
        ck_assert_int_lt(group->nodes[i], group->nodes[i + 1]);
        const int value = graph->nodes[group->nodes[i]].out;
        ck_assert_int_ne(value, graph->outputs[0]);
    }
}

/* Who reads what a prologue makes: the prologue and the main op's first slot. */
static void check_prologue(const fsc__plan *plan, const fsc__group *group)
{
    const fsc_graph *graph = plan->graph;
    for (int i = 0; i < group->main; i++) {
        const int value = graph->nodes[group->nodes[i]].out;
        for (int node = 0; node < graph->node_count; node++)
            for (int slot = 0; slot < graph->nodes[node].op->inputs; slot++) {
                if (graph->nodes[node].in[slot] != value)
                    continue;
                ck_assert_int_le(node, group->nodes[group->main]);
                if (node == group->nodes[group->main])
                    ck_assert(slot == 0 && i == group->main - 1);
            }
    }
}

/* Each pointwise op of nodes [begin, end) works on one shape, and its kernel reaches its operands.
   cols 0: a map, which chooses its view. */
static void check_reach(const fsc__plan *plan, int index, int begin, int end, int64_t cols)
{
    const fsc_graph *graph = plan->graph;
    const fsc__group *group = &plan->groups[index];
    if (begin == end)
        return;
    const fsc__shape *out = &graph->values[graph->nodes[group->nodes[end - 1]].out].shape;
    const fsc__shape *shapes[64] = {NULL};
    int count = 0;
    for (int i = begin; i < end; i++) {
        const fsc__node *node = &graph->nodes[group->nodes[i]];
        ck_assert_int_eq(node->op->kind, FSC__OP_POINTWISE);
        ck_assert(fsc__shape_equal(&graph->values[node->out].shape, out));
        for (int slot = 0; slot < node->op->inputs; slot++)
            if (graph->values[node->in[slot]].kind != FSC__VALUE_LITERAL &&
                !made_in(plan, node->in[slot], index))
                shapes[count++] = &graph->values[node->in[slot]].shape;
    }
    const int64_t view = cols > 0 ? cols : fsc__access_view(out, shapes, count);
    fsc__access access;
    for (int i = 0; i < count; i++)
        ck_assert(fsc__access_of(shapes[i], out, view, &access));
}

static void check_pattern(const fsc__plan *plan, int index)
{
    const fsc_graph *graph = plan->graph;
    const fsc__group *group = &plan->groups[index];
    if (group->main < 0) {
        ck_assert_int_eq(group->pattern, FSC__PATTERN_MAP);
        check_reach(plan, index, 0, group->node_count, 0);
        return;
    }
    const fsc__node *main = &graph->nodes[group->nodes[group->main]];
    const fsc__shape *in = &graph->values[main->in[0]].shape;
    const fsc__shape *out = &graph->values[main->out].shape;
    ck_assert_int_eq(fsc__pattern_at(group->pattern)->main_kind, main->op->kind);
    check_prologue(plan, group);
    check_reach(plan, index, 0, group->main, in->dims[in->rank - 1]);
    check_reach(plan, index, group->main + 1, group->node_count, out->dims[out->rank - 1]);
    if (group->main + 1 < group->node_count)
        ck_assert(fsc__shape_equal(out, &graph->values[group->output].shape));
}

static void check_decisions(const fsc__plan *plan, const fsc__plan_options *options, int fired[])
{
    ck_assert_int_eq(plan->decision_count, plan->graph->node_count - 1);
    for (int i = 0; i < plan->decision_count; i++) {
        const fsc__decision *decision = &plan->decisions[i];
        ck_assert_int_eq(decision->before, i);
        ck_assert_int_eq(decision->after, i + 1);
        ck_assert_int_eq(decision->fired, group_of(plan, i) == group_of(plan, i + 1));
        ck_assert_int_gt((int)strlen(decision->reason), 10);
        const fsc__rule *rule = fsc__rule_find(decision->rule);
        ck_assert_ptr_nonnull(rule);
        fired[rule - fsc__rule_at(0)] += decision->fired;
        if (options->off_count > 0 && strcmp(options->off[0], decision->rule) == 0)
            ck_assert(!decision->fired);
    }
}

START_TEST(invariants)
{
    int fired[16] = {0}, groups = 0, nodes = 0;
    const fsc_mode mode = {0};
    for (int round = 0; round < 3000; round++) {
        random_state = (uint32_t)round;
        fsc__text chain = {0}, shape = {0};
        random_chain(&chain, &shape);
        fsc_graph *graph = graph_of(chain.data, shape.data);
        const char *const off[] = {fsc__rule_at((size_t)round % fsc__rule_count())->name};
        const fsc__plan_options options = {
            .off = off, .off_count = round % 3 == 0, .max_inputs = round % 4 == 0 ? 3 : 0};
        fsc__plan *plan = NULL;
        fsc_error why;
        ck_status_ok(fsc__plan_create(graph, &mode, &options, &plan, &why), &why);
        for (int i = 0; i < graph->node_count; i++)
            group_of(plan, i);
        for (int i = 0; i < plan->group_count; i++) {
            check_flow(plan, i);
            check_pattern(plan, i);
            if (options.max_inputs > 0)
                ck_assert_int_le(plan->groups[i].input_count, options.max_inputs);
        }
        check_decisions(plan, &options, fired);
        ck_assert_int_eq(plan->groups[plan->group_count - 1].output, graph->outputs[0]);
        groups += plan->group_count;
        nodes += graph->node_count;
        fsc__plan_free(plan);
        fsc__graph_free(graph);
        fsc__text_deinit(&chain);
        fsc__text_deinit(&shape);
    }
    for (size_t i = 0; i < fsc__rule_count(); i++)
        ck_assert_msg(fired[i] > 50, "%s fired %d times", fsc__rule_at(i)->name, fired[i]);
    ck_assert_int_lt(groups, nodes * 3 / 4);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("plan random");
    TCase *tcase = tcase_create("plan random");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, invariants);
    suite_add_tcase(suite, tcase);
    return suite;
}
