/* The table of fusion rules and what each asks of a boundary. */
#include "fusion/rule.h"

#include <string.h>

static const char *op_name(const fsc_graph *graph, int node)
{
    return graph->nodes[node].op->name;
}

static bool reads(const fsc__node *node, int value)
{
    for (int slot = 0; slot < node->op->inputs; slot++)
        if (node->in[slot] == value)
            return true;
    return false;
}

/* A pointwise op joins what makes its operand: the kernel goes on in the same view. */
static bool pointwise_joins(const fsc__span *before, const fsc__span *after,
                            char reason[FSC__REASON_BYTES])
{
    const fsc_graph *graph = before->graph;
    const int node = before->end;
    const fsc__value *running = &graph->values[fsc__span_result(before)];
    const fsc__value *result = &graph->values[graph->nodes[node].out];
    if (!reads(&graph->nodes[node], fsc__span_result(before)))
        return fsc__refuse(reason, "op %d (%s) does not read value %s", node + 1,
                           op_name(graph, node), running->name);
    if (!fsc__shape_equal(&running->shape, &result->shape)) {
        char from[128], to[128];
        fsc__shape_write(&running->shape, from, sizeof from);
        fsc__shape_write(&result->shape, to, sizeof to);
        return fsc__refuse(reason,
                           "op %d (%s) enlarges value %s from %.40s to %.40s: another index space",
                           node + 1, op_name(graph, node), running->name, from, to);
    }
    const bool map = before->main < 0;
    return fsc__span_reaches(after, map ? after->first : node, after->end, reason);
}

/* Why a span with a main op cannot take another. */
static bool refuse_second_main(fsc__pattern_id first, fsc__pattern_id second,
                               char reason[FSC__REASON_BYTES])
{
    const char *had = fsc__pattern_at(first)->name, *met = fsc__pattern_at(second)->name;
    if (first == second)
        return fsc__refuse(reason, "a kernel holds one %s", had);
    if (second == FSC__PATTERN_NORM)
        return fsc__refuse(reason, "a norm needs whole rows, %s makes tiles", had);
    if (first == FSC__PATTERN_NORM)
        return fsc__refuse(reason, "a %s loads its operand in pieces, a norm makes whole rows",
                           met);
    return fsc__refuse(reason, "a %s loads its operand in pieces, a %s makes tiles", met, had);
}

/* A matmul, conv2d or norm joins the pointwise ops that make its first operand. */
static bool main_joins(const fsc__span *before, const fsc__span *after,
                       char reason[FSC__REASON_BYTES])
{
    const fsc_graph *graph = before->graph;
    const int node = before->end;
    const fsc__op *op = graph->nodes[node].op;
    const int *in = graph->nodes[node].in;
    if (before->main >= 0)
        return refuse_second_main(fsc__span_pattern(before), fsc__pattern_of(op->kind)->id, reason);
    for (int slot = 1; slot < op->inputs; slot++) {
        if (!fsc__span_makes(before, in[slot]))
            continue;
        return fsc__refuse(reason, "op %d (%s) reads value %s as its %s, which must be in memory",
                           node + 1, op->name, graph->values[in[slot]].name, op->input[slot].name);
    }
    if (in[0] != fsc__span_result(before))
        return fsc__refuse(reason, "op %d (%s) does not read value %s", node + 1, op->name,
                           graph->values[fsc__span_result(before)].name);
    return fsc__span_reaches(after, after->first, node, reason);
}

enum { ANY_PATTERN = FSC__PATTERN_COUNT };

static const fsc__rule rules[] = {
    {"map_chain", "A pointwise op works on the result of a pointwise op before it is stored.",
     FSC__PATTERN_MAP, FSC__OP_POINTWISE, pointwise_joins},
    {"matmul_epilogue", "A pointwise op works on the sums of a matmul before they are stored.",
     FSC__PATTERN_MATMUL, FSC__OP_POINTWISE, pointwise_joins},
    {"conv2d_epilogue", "A pointwise op works on the sums of a conv2d before they are stored.",
     FSC__PATTERN_CONV2D, FSC__OP_POINTWISE, pointwise_joins},
    {"norm_epilogue", "A pointwise op works on a normalised row before it is stored.",
     FSC__PATTERN_NORM, FSC__OP_POINTWISE, pointwise_joins},
    {"matmul_prologue", "Pointwise ops work on a matmul's left operand while it is loaded.",
     ANY_PATTERN, FSC__OP_MATMUL, main_joins},
    {"conv2d_prologue", "Pointwise ops work on a conv2d's image while it is loaded.", ANY_PATTERN,
     FSC__OP_CONV2D, main_joins},
    {"norm_prologue", "Pointwise ops work on a row while a norm loads it.", ANY_PATTERN,
     FSC__OP_NORM, main_joins},
};
enum { RULE_COUNT = sizeof rules / sizeof rules[0] };

size_t fsc__rule_count(void)
{
    return RULE_COUNT;
}

const fsc__rule *fsc__rule_at(size_t index)
{
    return &rules[index];
}

const fsc__rule *fsc__rule_find(const char *name)
{
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (strcmp(rules[i].name, name) == 0)
            return &rules[i];
    return NULL;
}

const fsc__rule *fsc__rule_behind(const fsc__span *before)
{
    const int pattern = (int)fsc__span_pattern(before);
    const fsc__op_kind kind = before->graph->nodes[before->end].op->kind;
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (rules[i].after == kind &&
            (rules[i].before == ANY_PATTERN || rules[i].before == pattern))
            return &rules[i];
    return NULL;
}
