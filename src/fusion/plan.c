/* The planner: grows each group as far as the rules allow, then takes back what would lose a value
   that somebody else reads. Greedy and in the order of the nodes, so the same graph always gets the
   same plan. */
#include "fusion/plan.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "fusion/plan_fields.h"
#include "fusion/rule.h"

typedef struct planner {
    const fsc_graph *graph;
    const fsc__plan_options *options;
    int *last_use; /* per value: the last node that reads it; INT_MAX for outputs, -1 for none */
    fsc__plan *plan;
    fsc_error *why;
} planner;

static bool is_off(const fsc__plan_options *options, const char *rule)
{
    for (int i = 0; i < options->off_count; i++)
        if (strcmp(options->off[i], rule) == 0)
            return true;
    return false;
}

static bool fits_device(const planner *p, const fsc__span *span)
{
    return p->options->max_inputs == 0 || span->buffers <= p->options->max_inputs;
}

/* Whether the node behind the span may join it as far as the two of them go; else the reason. */
static bool may_join(const planner *p, const fsc__span *span, char reason[FSC__REASON_BYTES])
{
    const fsc__rule *rule = fsc__rule_behind(span);
    const fsc__span grown = fsc__span_grown(span);
    if (!rule->joins(span, &grown, reason))
        return false;
    if (!fits_device(p, &grown)) {
        return fsc__refuse(reason, "kernel would read %d buffers, this device allows %d",
                           grown.buffers, p->options->max_inputs);
    }
    if (is_off(p->options, rule->name)) {
        return fsc__refuse(reason, "switched off by --off %s", rule->name);
    }
    return true;
}

/* Whether the span can be a kernel without losing a value: all but its last are read inside it
   alone, and those of a prologue in front of the main op alone. Else the reason. */
static bool keeps_values(const planner *p, const fsc__span *span, char reason[FSC__REASON_BYTES])
{
    const fsc_graph *graph = p->graph;
    for (int node = span->first; node < span->end - 1; node++) {
        const int value = graph->nodes[node].out, user = p->last_use[value];
        const bool prologue = node < span->main;
        if (user <= (prologue ? span->main : span->end - 1))
            continue;
        const char *name = graph->values[value].name;
        if (user == INT_MAX)
            return fsc__refuse(reason, "value %s is an output of the graph", name);
        return fsc__refuse(reason, "value %s is used again by op %d (%s)", name, user + 1,
                           graph->nodes[user].op->name);
    }
    return true;
}

/* The span's nodes before `end`, without the count of its buffers. */
static fsc__span cut_at(const fsc__span *span, int end)
{
    fsc__span part = *span;
    part.end = end;
    if (part.main >= end)
        part.main = -1;
    return part;
}

/* Records what becomes of the boundary at the span's end. */
static void decide(const planner *p, const fsc__span *before, bool fired,
                   const char reason[FSC__REASON_BYTES])
{
    fsc__decision *decision = &p->plan->decisions[p->plan->decision_count++];
    *decision = (fsc__decision){.rule = fsc__rule_behind(before)->name,
                                .before = before->end - 1,
                                .after = before->end,
                                .fired = fired};
    memcpy(decision->reason, reason, sizeof decision->reason);
}

/* The largest group that starts at the span's one node, with the decisions on its boundaries and on
   the one behind it. */
static fsc__span grow(const planner *p, fsc__span span)
{
    const fsc_graph *graph = p->graph;
    char reason[FSC__REASON_BYTES] = {0};
    while (span.end < graph->node_count && may_join(p, &span, reason))
        span = fsc__span_grown(&span);
    fsc__span kept = span;
    while (!keeps_values(p, &kept, reason))
        kept = cut_at(&span, kept.end - 1);
    for (int end = kept.first + 1; end < kept.end; end++) {
        const fsc__span before = cut_at(&kept, end);
        char fine[FSC__REASON_BYTES] = {0};
        snprintf(fine, sizeof fine, "value %s is read inside the kernel alone",
                 graph->values[fsc__span_result(&before)].name);
        decide(p, &before, true, fine);
    }
    if (kept.end < graph->node_count)
        decide(p, &kept, false, reason);
    return kept;
}

static fsc_status add_group(const planner *p, const fsc__span *span)
{
    /* The span may have been cut, and a cut span has lost count of what it reads. */
    fsc__span counted = fsc__span_of(p->graph, span->first);
    while (counted.end < span->end)
        counted = fsc__span_grown(&counted);
    fsc__group *group = &p->plan->groups[p->plan->group_count++];
    *group = (fsc__group){
        .pattern = fsc__span_pattern(span),
        .nodes = fsc__alloc((size_t)(span->end - span->first), sizeof *group->nodes),
        .node_count = span->end - span->first,
        .main = span->main < 0 ? -1 : span->main - span->first,
        .inputs = fsc__alloc((size_t)counted.buffers, sizeof *group->inputs),
        .input_count = counted.buffers,
        .output = fsc__span_result(span),
    };
    if (!group->nodes || !group->inputs)
        FSC_FAIL(p->why, FSC_ERR_MEMORY, "out of memory");
    for (int i = 0; i < group->node_count; i++)
        group->nodes[i] = span->first + i;
    fsc__span_inputs(span, group->inputs);
    return FSC_OK;
}

/* A device or kernel that cannot even run one op alone. */
static fsc_status check_alone(const planner *p, const fsc__span *span)
{
    char reason[FSC__REASON_BYTES];
    if (span->main < 0 && !fsc__span_reaches(span, span->first, span->end, reason))
        FSC_FAIL(p->why, FSC_UNSUPPORTED, "%s", reason);
    if (!fits_device(p, span))
        FSC_FAIL(p->why, FSC_UNSUPPORTED, "op %d (%s) reads %d buffers, this device allows %d",
                 span->first + 1, p->graph->nodes[span->first].op->name, span->buffers,
                 p->options->max_inputs);
    return FSC_OK;
}

static fsc_status make_groups(const planner *p)
{
    for (int node = 0; node < p->graph->node_count;) {
        fsc__span span = fsc__span_of(p->graph, node);
        FSC_TRY(check_alone(p, &span));
        if (!p->options->unfused)
            span = grow(p, span);
        FSC_TRY(add_group(p, &span));
        node = span.end;
    }
    return FSC_OK;
}

static fsc_status check_off(const fsc__plan_options *options, fsc_error *why)
{
    for (int i = 0; i < options->off_count; i++) {
        if (fsc__rule_find(options->off[i]))
            continue;
        const char *names[16];
        size_t count = 0;
        for (; count < fsc__rule_count() && count < sizeof names / sizeof names[0]; count++)
            names[count] = fsc__rule_at(count)->name;
        const char *nearest = fsc__text_nearest(options->off[i], names, count);
        fsc__text list = {0};
        fsc__text_add_list(&list, names, count);
        const fsc_status status = fsc__fail(
            why, FSC_ERR_INPUT, "there is no rule \"%.64s\"%s%s; the rules are %s", options->off[i],
            nearest ? "; did you mean " : "", nearest ? nearest : "", list.failed ? "" : list.data);
        fsc__text_deinit(&list);
        return status;
    }
    return FSC_OK;
}

static void find_uses(const fsc_graph *graph, int *last_use)
{
    for (int i = 0; i < graph->value_count; i++)
        last_use[i] = -1;
    for (int i = 0; i < graph->node_count; i++)
        for (int slot = 0; slot < graph->nodes[i].op->inputs; slot++)
            last_use[graph->nodes[i].in[slot]] = i;
    for (int i = 0; i < graph->output_count; i++)
        last_use[graph->outputs[i]] = INT_MAX;
}

static fsc__plan *plan_alloc(const fsc_graph *graph, const fsc_mode *mode)
{
    fsc__plan *plan = fsc__calloc(1, sizeof *plan);
    if (!plan)
        return NULL;
    plan->graph = graph;
    plan->mode = *mode;
    plan->groups = fsc__calloc((size_t)graph->node_count, sizeof *plan->groups);
    plan->decisions = fsc__calloc((size_t)graph->node_count, sizeof *plan->decisions);
    if (!plan->groups || !plan->decisions) {
        fsc__plan_free(plan);
        return NULL;
    }
    return plan;
}

fsc_status fsc__plan_create(const fsc_graph *graph, const fsc_mode *mode,
                            const fsc__plan_options *options, fsc__plan **plan, fsc_error *why)
{
    FSC_TRY(check_off(options, why));
    FSC_TRY(fsc__plan_fields_check(graph, mode, why));
    planner p = {.graph = graph,
                 .options = options,
                 .last_use = fsc__alloc((size_t)graph->value_count, sizeof *p.last_use),
                 .plan = plan_alloc(graph, mode),
                 .why = why};
    fsc_status status = FSC_OK;
    if (!p.last_use || !p.plan)
        FSC_GO(fsc__fail(why, FSC_ERR_MEMORY, "out of memory"));
    find_uses(graph, p.last_use);
    FSC_GO(make_groups(&p));
    *plan = p.plan;
    p.plan = NULL;
done:
    fsc__free(p.last_use);
    fsc__plan_free(p.plan);
    return status;
}

void fsc__plan_free(fsc__plan *plan)
{
    if (!plan)
        return;
    for (int i = 0; plan->groups && i < plan->group_count; i++) {
        fsc__free(plan->groups[i].nodes);
        fsc__free(plan->groups[i].inputs);
    }
    fsc__free(plan->groups);
    fsc__free(plan->decisions);
    fsc__free(plan);
}

fsc__order fsc__plan_order(const fsc__plan *plan, const fsc__group *group)
{
    if (plan->mode.order.kind != FSC__ORDER_DEFAULT)
        return plan->mode.order;
    return fsc__pattern_at(group->pattern)->default_order;
}

bool fsc__plan_rounds(const fsc__plan *plan, const fsc__group *group, int position)
{
    return plan->mode.boundary == FSC__BOUNDARY_ROUND && position < group->node_count - 1;
}

void fsc__plan_write(const fsc__plan *plan, fsc__text *text)
{
    for (int i = 0; i < plan->group_count; i++) {
        const fsc__group *group = &plan->groups[i];
        for (int j = 0; j < group->node_count; j++)
            fsc__text_add(text, "%s%s",
                          j > 0   ? " "
                          : i > 0 ? " ["
                                  : "[",
                          plan->graph->nodes[group->nodes[j]].op->name);
        fsc__text_add(text, "]");
    }
}
