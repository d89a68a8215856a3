/* Chains of pointwise nodes: op after op over blocks of elements in f32. */
#include "reference/predict_run.h"

#include <string.h>

#include "base/alloc.h"
#include "reference/threads.h"

enum { BLOCK = 1024 };

/* An operand in memory, seen from the shape of the map with neighbouring axes joined where the
   operand allows it. */
typedef struct operand {
    const fsc_tensor *tensor;
    int slot;
    int rank;                                          /* at least 1 */
    int64_t dims[FSC_MAX_RANK], strides[FSC_MAX_RANK]; /* the last stride is 0 or 1 */
} operand;

/* One node. Slots are blocks of f32. */
typedef struct step {
    fsc__predict_op_loop *op;
    float attr[FSC__OP_MAX_NUMBERS];
    int in[FSC__OP_MAX_INPUTS], inputs, out;
    bool rounds;
} step;

typedef struct map {
    const fsc__predict_run *run;
    fsc_dtype storage;
    operand *operands;
    int operand_count;
    step *steps;
    int step_count;
    const fsc__value **literals; /* of slots [0, literal_count) */
    int literal_count;
    int slot_count;
    int *slot_of; /* per graph value, -1: none */
    int result;   /* slot */
    fsc_tensor *out;
} map;

static void operand_init(operand *op, const fsc_tensor *tensor, const fsc__shape *shape, int slot)
{
    *op = (operand){.tensor = tensor, .slot = slot};
    const fsc__shape *from = &tensor->shape;
    int64_t stride = 1; /* of the operand's axes, from the last */
    int first = FSC_MAX_RANK;
    for (int axis = 1; axis <= shape->rank; axis++) {
        const int64_t dim = shape->dims[shape->rank - axis];
        const int64_t own = axis <= from->rank ? from->dims[from->rank - axis] : 1;
        const int64_t own_step = own == 1 ? 0 : stride;
        stride *= own;
        if (dim == 1)
            continue;
        if (first < FSC_MAX_RANK && own_step == op->strides[first] * op->dims[first]) {
            op->dims[first] *= dim;
            continue;
        }
        first--;
        op->dims[first] = dim;
        op->strides[first] = own_step;
    }
    if (first == FSC_MAX_RANK) {
        op->dims[--first] = 1;
        op->strides[first] = 0;
    }
    op->rank = FSC_MAX_RANK - first;
    memmove(op->dims, op->dims + first, (size_t)op->rank * sizeof op->dims[0]);
    memmove(op->strides, op->strides + first, (size_t)op->rank * sizeof op->strides[0]);
}

/* Elements [begin, begin + n) of the map's shape, from the operand. */
static void operand_load(const map *m, const operand *op, int64_t begin, int64_t n, float *out)
{
    const int last = op->rank - 1;
    int64_t index[FSC_MAX_RANK], offset = 0;
    for (int axis = last; axis >= 0; axis--) {
        index[axis] = begin % op->dims[axis];
        begin /= op->dims[axis];
        offset += index[axis] * op->strides[axis];
    }
    while (n > 0) {
        const int64_t left = op->dims[last] - index[last];
        const int64_t run = n < left ? n : left;
        const int64_t wanted = op->strides[last] == 0 ? 1 : run;
        m->run->loops->load(op->tensor->type, op->tensor->data, offset, wanted, out);
        for (int64_t i = wanted; i < run; i++)
            out[i] = out[0];
        out += run;
        n -= run;
        offset += run * op->strides[last];
        index[last] += run;
        for (int axis = last; axis > 0 && index[axis] == op->dims[axis]; axis--) {
            offset += op->strides[axis - 1] - op->dims[axis] * op->strides[axis];
            index[axis] = 0;
            index[axis - 1]++;
        }
    }
}

static fsc_status map_blocks(void *context, int64_t begin, int64_t end)
{
    const map *m = context;
    const fsc__predict_loops *loops = m->run->loops;
    float *slots = fsc__alloc((size_t)m->slot_count, BLOCK * sizeof(float));
    if (!slots)
        return FSC_ERR_MEMORY;
    for (int l = 0; l < m->literal_count; l++) {
        for (int i = 0; i < BLOCK; i++)
            slots[l * BLOCK + i] = m->literals[l]->literal;
    }
    for (int64_t at = begin; at < end; at += BLOCK) {
        const int64_t n = end - at < BLOCK ? end - at : BLOCK;
        for (int i = 0; i < m->operand_count; i++)
            operand_load(m, &m->operands[i], at, n, slots + m->operands[i].slot * BLOCK);
        for (int i = 0; i < m->step_count; i++) {
            const step *s = &m->steps[i];
            float *out = slots + s->out * BLOCK;
            const float *in[FSC__OP_MAX_INPUTS];
            for (int slot = 0; slot < s->inputs; slot++)
                in[slot] = slots + s->in[slot] * BLOCK;
            s->op(in, s->attr, out, n);
            if (s->rounds)
                loops->round(m->storage, out, n);
        }
        loops->store(m->out->type, slots + m->result * BLOCK, n, m->out->data, at);
    }
    fsc__free(slots);
    return FSC_OK;
}

/* Marks the nodes of the group that target needs and that are not in run->values. wanted: per graph
   value, all false. */
static void mark_needed(const map *m, const fsc__group *group, int target, bool *wanted,
                        bool *needed)
{
    wanted[target] = true;
    for (int p = group->node_count - 1; p >= 0; p--) {
        const fsc__node *node = &m->run->plan->graph->nodes[group->nodes[p]];
        needed[p] = wanted[node->out] && !m->run->values[node->out].data;
        for (int i = 0; needed[p] && i < node->op->inputs; i++)
            wanted[node->in[i]] = true;
    }
}

static void add_literal(map *m, int value)
{
    const fsc__value *v = &m->run->plan->graph->values[value];
    if (v->kind != FSC__VALUE_LITERAL || m->slot_of[value] >= 0)
        return;
    m->literals[m->literal_count++] = v;
    m->slot_of[value] = m->slot_count++;
}

static void add_operand(map *m, int value)
{
    if (m->slot_of[value] >= 0 || !m->run->values[value].data)
        return;
    operand_init(&m->operands[m->operand_count++], &m->run->values[value], &m->out->shape,
                 m->slot_count);
    m->slot_of[value] = m->slot_count++;
}

static fsc_status add_step(map *m, const fsc__group *group, int position, fsc_error *why)
{
    const fsc__plan *plan = m->run->plan;
    const fsc__node *node = &plan->graph->nodes[group->nodes[position]];
    if (node->op->kind != FSC__OP_POINTWISE)
        FSC_FAIL(why, FSC_ERR_INTERNAL, "%s within a chain of pointwise ops", node->op->name);
    const fsc__op *op = fsc__op_implementation(node->op, &plan->mode);
    step *s = &m->steps[m->step_count++];
    *s = (step){
        .op = m->run->loops->ops[fsc__op_index(op)],
        .inputs = op->inputs,
        .out = m->slot_count,
        .rounds = fsc__plan_rounds(plan, group, position),
    };
    memcpy(s->attr, node->attr, sizeof s->attr);
    for (int i = 0; i < op->inputs; i++) {
        s->in[i] = m->slot_of[node->in[i]];
        if (s->in[i] < 0)
            FSC_FAIL(why, FSC_ERR_INTERNAL, "an operand of %s is neither stored nor in its group",
                     op->name);
    }
    m->slot_of[node->out] = m->slot_count++;
    return FSC_OK;
}

/* Literals take the first slots, then operands in memory, then nodes. */
static fsc_status map_build(map *m, const fsc__group *group, const bool *needed, int target,
                            fsc_error *why)
{
    const fsc_graph *graph = m->run->plan->graph;
    void (*const adds[])(map *, int) = {add_literal, add_operand};
    for (int pass = 0; pass < 2; pass++) {
        for (int p = 0; p < group->node_count; p++) {
            const fsc__node *node = &graph->nodes[group->nodes[p]];
            for (int i = 0; needed[p] && i < node->op->inputs; i++)
                adds[pass](m, node->in[i]);
        }
        adds[pass](m, target);
    }
    for (int p = 0; p < group->node_count; p++) {
        if (needed[p])
            FSC_TRY(add_step(m, group, p, why));
    }
    m->result = m->slot_of[target];
    if (m->result < 0)
        FSC_FAIL(why, FSC_ERR_INTERNAL, "the group does not make its output");
    return FSC_OK;
}

fsc_status fsc__predict_map(const fsc__predict_run *run, const fsc__group *group, int target,
                            fsc_dtype type, fsc_tensor *out, fsc_error *why)
{
    const fsc_graph *graph = run->plan->graph;
    const size_t nodes = (size_t)group->node_count, values = (size_t)graph->value_count;
    fsc_tensor made = {0};
    fsc_status status = FSC_OK;
    map m = {
        .run = run,
        .storage = run->plan->mode.storage,
        .operands = fsc__alloc(values, sizeof *m.operands),
        .steps = fsc__alloc(nodes, sizeof *m.steps),
        .literals = fsc__alloc(values, sizeof *m.literals),
        .slot_of = fsc__alloc(values, sizeof *m.slot_of),
        .out = &made,
    };
    bool *needed = fsc__calloc(nodes, sizeof *needed),
         *wanted = fsc__calloc(values, sizeof *wanted);
    if (!m.operands || !m.steps || !m.literals || !m.slot_of || !needed || !wanted)
        FSC_GO(fsc__fail(why, FSC_ERR_MEMORY, "out of memory on the host"));
    for (size_t i = 0; i < values; i++)
        m.slot_of[i] = -1;
    FSC_GO(fsc__tensor_init(&made, type, &graph->values[target].shape, why));
    mark_needed(&m, group, target, wanted, needed);
    FSC_GO(map_build(&m, group, needed, target, why));
    FSC_GO(fsc__threads_run(fsc__shape_elems(&made.shape), 8 * BLOCK, map_blocks, &m, why));
    *out = made;
    made = (fsc_tensor){0};
done:
    fsc__tensor_deinit(&made);
    fsc__free(needed);
    fsc__free(wanted);
    fsc__free(m.operands);
    fsc__free(m.steps);
    fsc__free(m.literals);
    fsc__free(m.slot_of);
    return status;
}
