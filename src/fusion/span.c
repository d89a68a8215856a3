/* A run of consecutive nodes that may become a group: what it reads, and what its kernel can reach.
 */
#include "fusion/span.h"

#include <stdarg.h>
#include <stdio.h>

bool fsc__refuse(char reason[FSC__REASON_BYTES], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(reason, FSC__REASON_BYTES, format, args);
    va_end(args);
    return false;
}

static bool is_main(const fsc_graph *graph, int node)
{
    return graph->nodes[node].op->kind != FSC__OP_POINTWISE;
}

int fsc__span_result(const fsc__span *span)
{
    return span->graph->nodes[span->end - 1].out;
}

bool fsc__span_makes(const fsc__span *span, int value)
{
    const int producer = span->graph->values[value].producer;
    return producer >= span->first && producer < span->end;
}

/* Whether the value in the slot comes from memory and no earlier slot of the span holds it. */
static bool is_first_read(const fsc__span *span, int node, int slot)
{
    const fsc_graph *graph = span->graph;
    const int value = graph->nodes[node].in[slot];
    if (graph->values[value].kind == FSC__VALUE_LITERAL || fsc__span_makes(span, value))
        return false;
    for (int i = span->first; i <= node; i++)
        for (int j = 0; j < (i < node ? graph->nodes[i].op->inputs : slot); j++)
            if (graph->nodes[i].in[j] == value)
                return false;
    return true;
}

fsc__span fsc__span_grown(const fsc__span *span)
{
    fsc__span grown = *span;
    const int node = grown.end++;
    if (is_main(grown.graph, node))
        grown.main = node;
    for (int slot = 0; slot < grown.graph->nodes[node].op->inputs; slot++)
        grown.buffers += is_first_read(&grown, node, slot);
    return grown;
}

fsc__span fsc__span_of(const fsc_graph *graph, int node)
{
    const fsc__span empty = {.graph = graph, .first = node, .end = node, .main = -1};
    return fsc__span_grown(&empty);
}

fsc__pattern_id fsc__span_pattern(const fsc__span *span)
{
    const bool map = span->main < 0;
    return fsc__pattern_of(map ? FSC__OP_POINTWISE : span->graph->nodes[span->main].op->kind)->id;
}

void fsc__span_inputs(const fsc__span *span, int *inputs)
{
    int count = 0;
    for (int node = span->first; node < span->end; node++)
        for (int slot = 0; slot < span->graph->nodes[node].op->inputs; slot++)
            if (is_first_read(span, node, slot))
                inputs[count++] = span->graph->nodes[node].in[slot];
}

/* A node's operand as the kernel reads it: NULL when it is a number or made in the span. */
static const fsc__value *operand(const fsc__span *span, int node, int slot)
{
    const int value = span->graph->nodes[node].in[slot];
    const bool read =
        span->graph->values[value].kind != FSC__VALUE_LITERAL && !fsc__span_makes(span, value);
    return read ? &span->graph->values[value] : NULL;
}

/* The columns of the view that the pointwise nodes [first, end) work in. */
static int64_t view_cols(const fsc__span *span, int first, int end, const fsc__shape *out)
{
    if (span->main >= 0)
        return out->rank > 0 ? out->dims[out->rank - 1] : 1;
    int64_t cols = INT64_MAX;
    for (int node = first; node < end; node++) {
        for (int slot = 0; slot < span->graph->nodes[node].op->inputs; slot++) {
            const fsc__value *value = operand(span, node, slot);
            if (!value)
                continue;
            const fsc__shape *shape = &value->shape;
            const int64_t most = fsc__access_view(out, &shape, 1);
            cols = most < cols ? most : cols;
        }
    }
    return cols;
}

/* "axes 0 and 2", those of out along which the operand repeats. */
static void write_axes(const fsc__shape *shape, const fsc__shape *out, char *text, size_t bytes)
{
    int axes[FSC_MAX_RANK], count = 0;
    for (int axis = 0; axis < out->rank; axis++)
        if (out->dims[axis] > 1 && fsc__access_dim(shape, out, axis) == 1)
            axes[count++] = axis;
    size_t used = (size_t)snprintf(text, bytes, "%s", count == 1 ? "axis" : "axes");
    for (int i = 0; i < count && used < bytes; i++) {
        const char *join = i == 0 ? "" : i + 1 < count ? "," : " and";
        used += (size_t)snprintf(text + used, bytes - used, "%s %d", join, axes[i]);
    }
}

bool fsc__span_reaches(const fsc__span *span, int first, int end, char reason[FSC__REASON_BYTES])
{
    if (first == end)
        return true;
    const fsc_graph *graph = span->graph;
    const fsc__shape *out = &graph->values[graph->nodes[end - 1].out].shape;
    const int64_t cols = view_cols(span, first, end, out);
    for (int node = first; node < end; node++) {
        for (int slot = 0; slot < graph->nodes[node].op->inputs; slot++) {
            const fsc__value *value = operand(span, node, slot);
            fsc__access access;
            if (!value || fsc__access_of(&value->shape, out, cols, &access))
                continue;
            char axes[64];
            write_axes(&value->shape, out, axes, sizeof axes);
            return fsc__refuse(
                reason, "%s of op %d (%s): a broadcast over %s is not supported in rows of %lld",
                value->name, node + 1, graph->nodes[node].op->name, axes, (long long)cols);
        }
    }
    return true;
}
