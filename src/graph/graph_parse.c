/* Builds a graph from a chain and a shape: names, shapes, and the order of the values. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "graph/benchdnn.h"
#include "graph/chain.h"
#include "graph/conv2d.h"

typedef struct builder {
    fsc__chain chain;
    fsc__shape_parts parts;
    int parts_used;
    fsc_graph *graph; /* values in order of creation until finish sorts them */
    int running;      /* the value that the next item works on */
    int item;         /* index of the item being built */
    fsc_error *why;
} builder;

static int find_value(const fsc_graph *graph, const char *name)
{
    for (int i = 0; i < graph->value_count; i++)
        if (strcmp(graph->values[i].name, name) == 0)
            return i;
    return -1;
}

/* The first of base, base2, base3 ... from number `first` on that no value has. */
static void fresh_name(const fsc_graph *graph, const char *base, int first,
                       char name[FSC__NAME_BYTES])
{
    for (int number = first;; number++) {
        snprintf(name, FSC__NAME_BYTES, "%s", base);
        if (number > 1)
            snprintf(name, FSC__NAME_BYTES, "%s%d", base, number);
        if (find_value(graph, name) < 0)
            return;
    }
}

static int add_value(fsc_graph *graph, fsc__value_kind kind, const char *name)
{
    fsc__value *value = &graph->values[graph->value_count];
    *value = (fsc__value){.kind = kind, .producer = -1, .fan_in = 1};
    snprintf(value->name, sizeof value->name, "%s", name);
    return graph->value_count++;
}

static int add_input(fsc_graph *graph, const char *name, fsc__role role, const fsc__shape *shape)
{
    const int index = add_value(graph, FSC__VALUE_INPUT, name);
    graph->values[index].role = role;
    graph->values[index].shape = *shape;
    return index;
}

static int add_literal(fsc_graph *graph, float number)
{
    char name[FSC__NAME_BYTES];
    snprintf(name, sizeof name, "%.9g", (double)number);
    const int index = add_value(graph, FSC__VALUE_LITERAL, name);
    graph->values[index].literal = number;
    return index;
}

/* Puts the item in front of what a shape function has said, and passes success on. */
static fsc_status at_item(const builder *b, fsc_status status)
{
    if (status == FSC_OK)
        return FSC_OK;
    return fsc__chain_fail(&b->chain, b->item, b->why, "%s", b->why ? b->why->text : "");
}

/* How a new operand lies on the running value: a bias of an image belongs to its channels. */
static fsc__by by_of(const fsc__item *item, fsc__layout layout)
{
    if (item->op->kind == FSC__OP_NORM)
        return FSC__BY_COL;
    const bool image = layout != FSC__LAYOUT_NONE;
    return image && !item->has_by && item->by == FSC__BY_COL ? FSC__BY_CHANNEL : item->by;
}

/* Shape of a new operand called name. */
static fsc_status new_shape(builder *b, const fsc__item *item, const char *name, fsc__shape *shape)
{
    const fsc__value *running = &b->graph->values[b->running];
    if (item->op->kind == FSC__OP_NORM || item->op->kind == FSC__OP_POINTWISE)
        return at_item(b, fsc__shape_by(by_of(item, running->layout), &running->shape,
                                        running->layout, shape, b->why));
    if (b->parts_used == b->parts.count)
        return fsc__chain_fail(&b->chain, b->item, b->why,
                               "the shape \"%.200s\" has no part for %s; write the shape of x, "
                               "then that of each new operand w of matmul or conv2d, as in "
                               "384x1024:1024x4096",
                               b->parts.text, name);
    *shape = b->parts.part[b->parts_used++];
    return FSC_OK;
}

/* The value in slot `slot` of the item's op: a number, an earlier value, or a new input. */
static fsc_status resolve(builder *b, const fsc__item *item, int slot, int *value)
{
    const fsc__op_input *input = &item->op->input[slot];
    const bool given = slot <= item->operand_count;
    char name[FSC__NAME_BYTES];
    if (given) {
        const fsc__operand *operand = &item->operands[slot - 1];
        if (operand->literal) {
            *value = add_literal(b->graph, operand->number);
            return FSC_OK;
        }
        *value = find_value(b->graph, operand->name);
        if (*value >= 0 && item->has_by)
            return fsc__chain_fail(&b->chain, b->item, b->why,
                                   "%s exists already and has its shape; by= is for new operands",
                                   operand->name);
        if (*value >= 0)
            return FSC_OK;
        memcpy(name, operand->name, sizeof name);
    } else {
        fresh_name(b->graph, input->name, 1, name);
    }
    fsc__shape shape;
    FSC_TRY(new_shape(b, item, name, &shape));
    *value = add_input(b->graph, name, input->role, &shape);
    return FSC_OK;
}

/* gamma and beta lie along the last axis. */
static fsc_status check_norm(const builder *b, const fsc__node *node)
{
    const fsc__value *x = &b->graph->values[node->in[0]];
    if (x->shape.rank == 0)
        FSC_FAIL(b->why, FSC_ERR_INPUT, "a norm needs an axis to work on");
    const fsc__shape row = {.rank = 1, .dims = {x->shape.dims[x->shape.rank - 1]}};
    for (int slot = 1; slot < node->op->inputs; slot++) {
        const fsc__value *value = &b->graph->values[node->in[slot]];
        if (fsc__shape_equal(&value->shape, &row))
            continue;
        char text[128];
        fsc__shape_write(&value->shape, text, sizeof text);
        FSC_FAIL(b->why, FSC_ERR_INPUT,
                 "%s has the shape %s; %s of %s is the last axis alone, %lld", value->name, text,
                 node->op->input[slot].name, node->op->name, (long long)row.dims[0]);
    }
    return FSC_OK;
}

/* The first layout that the chain names; NCHW where a conv2d names none, NONE without one. */
static fsc__layout first_layout(const fsc__chain *chain)
{
    fsc__layout found = FSC__LAYOUT_NONE;
    for (int i = 0; i < chain->count; i++) {
        const fsc__item *item = &chain->items[i];
        if (item->op->kind != FSC__OP_CONV2D)
            continue;
        if (item->attr[FSC__CONV2D_LAYOUT] != 0)
            return (fsc__layout)(int)item->attr[FSC__CONV2D_LAYOUT];
        found = FSC__LAYOUT_NCHW;
    }
    return found;
}

static fsc_status conv2d_shape(const builder *b, const fsc__node *node, fsc__shape *shape)
{
    const fsc__value *x = &b->graph->values[node->in[0]], *w = &b->graph->values[node->in[1]];
    fsc__conv2d_dims dims;
    FSC_TRY(fsc__conv2d_dims_of(&x->shape, &w->shape, node->attr, x->layout, &dims, b->why));
    *shape = fsc__conv2d_result(&dims);
    return fsc__shape_limit(shape, b->why);
}

/* Results of conv2d are images, and so are those that keep the shape of an image. */
static fsc__layout result_layout(const builder *b, const fsc__node *node, const fsc__shape *shape)
{
    if (node->op->kind == FSC__OP_CONV2D)
        return fsc__graph_conv2d(b->graph, node).layout;
    if (node->op->kind == FSC__OP_MATMUL || shape->rank != 4)
        return FSC__LAYOUT_NONE;
    for (int slot = 0; slot < node->op->inputs; slot++)
        if (b->graph->values[node->in[slot]].layout != FSC__LAYOUT_NONE)
            return b->graph->values[node->in[slot]].layout;
    return FSC__LAYOUT_NONE;
}

static fsc_status result_shape(const builder *b, const fsc__node *node, fsc__shape *shape)
{
    const fsc__value *values = b->graph->values;
    *shape = values[node->in[0]].shape;
    if (node->op->kind == FSC__OP_NORM)
        return check_norm(b, node);
    if (node->op->kind == FSC__OP_MATMUL)
        return fsc__shape_matmul(&values[node->in[0]].shape, &values[node->in[1]].shape,
                                 node->attr[0] != 0, node->attr[1] != 0, shape, b->why);
    if (node->op->kind == FSC__OP_CONV2D)
        return conv2d_shape(b, node, shape);
    for (int slot = 1; slot < node->op->inputs; slot++) {
        const fsc__shape running = *shape;
        FSC_TRY(fsc__shape_broadcast(&running, &values[node->in[slot]].shape, shape, b->why));
    }
    return FSC_OK;
}

static fsc_status build_item(builder *b)
{
    const fsc__item *item = &b->chain.items[b->item];
    fsc_graph *graph = b->graph;
    fsc__node *node = &graph->nodes[b->item];
    *node = (fsc__node){.op = item->op, .in = {b->running}};
    memcpy(node->attr, item->attr, sizeof node->attr);
    for (int slot = 1; slot < item->op->inputs; slot++)
        FSC_TRY(resolve(b, item, slot, &node->in[slot]));
    fsc__shape shape;
    FSC_TRY(at_item(b, result_shape(b, node, &shape)));
    if (item->out[0] && find_value(graph, item->out) >= 0)
        return fsc__chain_fail(&b->chain, b->item, b->why,
                               "out=%s: another value has that name already", item->out);
    node->out = add_value(graph, FSC__VALUE_RESULT, item->out);
    graph->values[node->out].shape = shape;
    graph->values[node->out].layout = result_layout(b, node, &shape);
    graph->values[node->out].producer = b->item;
    graph->node_count++;
    b->running = node->out;
    return FSC_OK;
}

/* Results without a name get one once no later operand can take it. */
static void name_results(fsc_graph *graph)
{
    for (int i = 0; i < graph->node_count; i++) {
        fsc__value *value = &graph->values[graph->nodes[i].out];
        if (value->name[0])
            continue;
        char name[FSC__NAME_BYTES];
        if (i + 1 < graph->node_count)
            fresh_name(graph, "t", i + 1, name);
        else
            fresh_name(graph, "y", 1, name);
        memcpy(value->name, name, sizeof name);
    }
}

/* fan_in: the longest sum that a value reaches through pointwise ops alone. */
static fsc_status measure_sums(fsc_graph *graph)
{
    int64_t *reach = fsc__calloc((size_t)graph->value_count, sizeof *reach);
    if (!reach)
        return FSC_ERR_MEMORY;
    for (int i = graph->node_count - 1; i >= 0; i--) {
        const fsc__node *node = &graph->nodes[i];
        for (int slot = 0; slot < node->op->inputs; slot++) {
            int64_t length = reach[node->out];
            if (node->op->kind == FSC__OP_MATMUL)
                length = fsc__graph_matmul(graph, node).k;
            else if (node->op->kind == FSC__OP_CONV2D)
                length = fsc__graph_conv2d(graph, node).terms;
            else if (node->op->kind == FSC__OP_NORM && slot == 0)
                length = fsc__graph_norm(graph, node).cols;
            if (length > reach[node->in[slot]])
                reach[node->in[slot]] = length;
        }
    }
    for (int i = 0; i < graph->value_count; i++)
        if (graph->values[i].kind == FSC__VALUE_INPUT && reach[i] > 1)
            graph->values[i].fan_in = reach[i];
    fsc__free(reach);
    return FSC_OK;
}

/* Moves the inputs to the front, each kind in its order of creation. */
static fsc_status sort_values(fsc_graph *graph)
{
    const size_t count = (size_t)graph->value_count;
    fsc__value *sorted = fsc__alloc(count, sizeof *sorted);
    int *place = fsc__alloc(count, sizeof *place);
    if (sorted && place) {
        int filled = 0;
        for (int inputs = 1; inputs >= 0; inputs--) {
            for (int i = 0; i < graph->value_count; i++) {
                if ((graph->values[i].kind == FSC__VALUE_INPUT) != (inputs == 1))
                    continue;
                sorted[filled] = graph->values[i];
                place[i] = filled++;
            }
            graph->input_count = inputs == 1 ? filled : graph->input_count;
        }
        for (int i = 0; i < graph->node_count; i++) {
            fsc__node *node = &graph->nodes[i];
            for (int slot = 0; slot < node->op->inputs; slot++)
                node->in[slot] = place[node->in[slot]];
            node->out = place[node->out];
        }
        memcpy(graph->values, sorted, count * sizeof *sorted);
    }
    const fsc_status status = sorted && place ? FSC_OK : FSC_ERR_MEMORY;
    fsc__free(sorted);
    fsc__free(place);
    return status;
}

static fsc_status finish(fsc_graph *graph, fsc_error *why)
{
    name_results(graph);
    if (measure_sums(graph) != FSC_OK || sort_values(graph) != FSC_OK)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory");
    graph->outputs[0] = graph->nodes[graph->node_count - 1].out;
    graph->output_count = 1;
    return FSC_OK;
}

/* Arrays for a chain of `items` items: each makes one result and at most two inputs. */
static fsc_status graph_alloc(const char *text, int items, fsc_graph **graph, fsc_error *why)
{
    fsc_graph *made = fsc__calloc(1, sizeof *made);
    if (made) {
        made->values = fsc__alloc(1 + (size_t)items * FSC__OP_MAX_INPUTS, sizeof *made->values);
        made->nodes = fsc__alloc((size_t)items, sizeof *made->nodes);
        made->outputs = fsc__alloc(1, sizeof *made->outputs);
        made->text = fsc__strdup(text);
    }
    if (!made || !made->values || !made->nodes || !made->outputs || !made->text) {
        fsc__graph_free(made);
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory");
    }
    *graph = made;
    return FSC_OK;
}

fsc_status fsc__graph_parse(const char *chain, const char *shape, fsc_graph **graph, fsc_error *why)
{
    fsc_status status = FSC_OK;
    builder b = {.why = why};
    FSC_GO(fsc__chain_parse(chain, &b.chain, why));
    if (fsc__benchdnn_is(shape))
        FSC_GO(fsc__benchdnn_apply(shape, first_layout(&b.chain), &b.chain, &b.parts, why));
    else
        FSC_GO(fsc__shape_parse(shape, &b.parts, why));
    FSC_GO(graph_alloc(chain, b.chain.count, &b.graph, why));
    b.running = add_input(b.graph, "x", FSC__ROLE_DATA, &b.parts.part[b.parts_used++]);
    if (b.graph->values[b.running].shape.rank == 4)
        b.graph->values[b.running].layout = first_layout(&b.chain);
    for (b.item = 0; b.item < b.chain.count; b.item++)
        FSC_GO(build_item(&b));
    if (b.parts_used < b.parts.count)
        FSC_GO(fsc__fail(why, FSC_ERR_INPUT,
                         "shape \"%.200s\" has %d parts, but \"%.200s\" needs %d: one for x and "
                         "one for each new operand w of matmul or conv2d",
                         shape, b.parts.count, chain, b.parts_used));
    FSC_GO(finish(b.graph, why));
    *graph = b.graph;
    b.graph = NULL;
done:
    fsc__graph_free(b.graph);
    fsc__chain_deinit(&b.chain);
    return status;
}
