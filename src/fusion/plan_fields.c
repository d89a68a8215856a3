/* Which fields of a mode mean something to a graph. */
#include "fusion/plan_fields.h"

#include <string.h>

#include "base/text.h"

/* Every field that may have no meaning, and what gives it one. The others always mean something. */
static const struct {
    unsigned bit;
    const char *name, *needs;
} conditional[] = {
    {FSC__MODE_ACCUM, "accum", "a matmul, conv2d, layernorm or rmsnorm"},
    {FSC__MODE_ORDER, "order", "a matmul, conv2d, layernorm or rmsnorm"},
    {FSC__MODE_CONTRACT, "contract", "a matmul, conv2d, layernorm or rmsnorm"},
    {FSC__MODE_VARIANCE, "variance", "a layernorm"},
    {FSC__MODE_GELU, "gelu", "the op gelu"},
    {FSC__MODE_PARAMS, "params", "a bias, scale, gamma or beta"},
};
enum { CONDITIONAL_COUNT = sizeof conditional / sizeof conditional[0] };

static bool is_param(const fsc__value *value)
{
    return value->role != FSC__ROLE_DATA && value->role != FSC__ROLE_WEIGHT;
}

unsigned fsc__plan_fields(const fsc_graph *graph)
{
    unsigned fields = 0;
    for (int i = 0; i < graph->node_count; i++) {
        const fsc__node *node = &graph->nodes[i];
        unsigned own = fsc__pattern_of(node->op->kind)->fields;
        /* rmsnorm takes the mean square: it has no mean to subtract and so one way only. */
        if (node->op->kind == FSC__OP_NORM && !fsc__graph_norm(graph, node).centred)
            own &= ~(unsigned)FSC__MODE_VARIANCE;
        if (strcmp(node->op->name, "gelu") == 0)
            own |= FSC__MODE_GELU;
        fields |= own;
    }
    for (int i = 0; i < graph->input_count; i++)
        if (is_param(&graph->values[i]))
            fields |= FSC__MODE_PARAMS;
    return fields;
}

fsc_status fsc__plan_fields_check(const fsc_graph *graph, const fsc_mode *mode, fsc_error *why)
{
    const unsigned fields = fsc__plan_fields(graph);
    for (int i = 0; i < CONDITIONAL_COUNT; i++) {
        if (!(mode->named & conditional[i].bit) || (fields & conditional[i].bit))
            continue;
        const char *allowed[CONDITIONAL_COUNT + 2] = {"storage", "boundary"};
        size_t count = 2;
        for (int j = 0; j < CONDITIONAL_COUNT; j++)
            if (fields & conditional[j].bit)
                allowed[count++] = conditional[j].name;
        fsc__text list = {0};
        fsc__text_add_list(&list, allowed, count);
        const fsc_status status = fsc__fail(
            why, FSC_ERR_INPUT,
            "mode: %s means nothing to \"%.200s\", since it needs %s; fields that mean something: "
            "%s",
            conditional[i].name, graph->text, conditional[i].needs, list.failed ? "" : list.data);
        fsc__text_deinit(&list);
        return status;
    }
    return FSC_OK;
}
