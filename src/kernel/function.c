/* Chains of pointwise ops as device functions, one line per op, and the functions of the ops. */
#include "kernel/emission.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "kernel/fault.h"

enum { NAME = FSC__NAME_BYTES };

/* A chain being written. Arrays have one entry per position of the group or per graph value. */
typedef struct chain {
    fsc__writer *writer;
    const fsc__function *function;
    const fsc_graph *graph;
    const fsc__group *group;
    bool *needed; /* the node at this position is part of the chain */
    int *uses;    /* how often the chain reads this value */
    bool *loaded; /* the value has been put into a local variable */
    fsc__text lines;
} chain;

static const fsc__node *node_at(const chain *c, int position)
{
    return &c->graph->nodes[c->group->nodes[position]];
}

/* Position in the group of the node that makes the value, or -1 where it is read from memory. */
static int position_of(const chain *c, int value)
{
    for (int i = 0; i < c->group->node_count; i++)
        if (node_at(c, i)->out == value)
            return i;
    return -1;
}

static fsc_status count_uses(chain *c, int value, fsc_error *why)
{
    const int position = value == c->function->given ? -1 : position_of(c, value);
    c->uses[value]++;
    if (position < 0 || c->needed[position])
        return FSC_OK;
    const fsc__node *node = node_at(c, position);
    if (node->op->kind != FSC__OP_POINTWISE)
        FSC_FAIL(why, FSC_ERR_INTERNAL, "%s is needed before %s has run", node->op->name,
                 node->op->name);
    c->needed[position] = true;
    for (int i = 0; i < node->op->inputs; i++)
        FSC_TRY(count_uses(c, node->in[i], why));
    return FSC_OK;
}

static fsc_status write_value(chain *c, int value, fsc__text *text, fsc_error *why)
{
    const fsc__value *known = &c->graph->values[value];
    const int position = position_of(c, value);
    char name[NAME];
    if (value == c->function->given) {
        fsc__text_add(text, "x");
    } else if (position >= 0) {
        fsc__text_add(text, "t%d", position);
    } else if (known->kind == FSC__VALUE_LITERAL) {
        snprintf(name, sizeof name, "literal_%d", value);
        fsc__writer_float(c->writer, name, known->literal);
        fsc__text_add(text, "CONST(%s)", name);
    } else if (c->loaded[value]) {
        fsc__text_add(text, "v%d", value);
    } else {
        return fsc__writer_load(c->writer, value, text, why);
    }
    return FSC_OK;
}

/* Puts what is read from memory more than once into a variable. */
static fsc_status load_shared(chain *c, int value, fsc_error *why)
{
    const bool memory = value != c->function->given && position_of(c, value) < 0 &&
                        c->graph->values[value].kind != FSC__VALUE_LITERAL;
    if (!memory || c->uses[value] < 2 || c->loaded[value])
        return FSC_OK;
    fsc__text_add(&c->lines, "    const real v%d = ", value);
    FSC_TRY(fsc__writer_load(c->writer, value, &c->lines, why));
    fsc__text_add(&c->lines, "; /* %s */\n", c->graph->values[value].name);
    c->loaded[value] = true;
    return FSC_OK;
}

/* real op_relu(real a) { return ...; }, once per kernel. */
static void write_op(fsc__writer *writer, const fsc__op *op)
{
    char head[NAME + 16];
    snprintf(head, sizeof head, "real op_%s(", op->name);
    if (writer->ops.data && strstr(writer->ops.data, head))
        return;
    fsc__text_add(&writer->ops, "\n%sreal a", head);
    for (int i = 1; i < op->inputs; i++)
        fsc__text_add(&writer->ops, ", real %c", "abcde"[i]);
    for (int i = 0; op->attr[i].name; i++)
        fsc__text_add(&writer->ops, ", float p%d", i);
    fsc__text_add(&writer->ops, ")\n{\n    return %s;\n}\n", op->expression);
}

static const fsc__op *implementation(const chain *c, const fsc__op *op)
{
    if (FSC__FAULT_IS(FSC__FAULT_TANH_GELU) && strcmp(op->name, "gelu") == 0)
        return fsc__op_find("gelu_tanh");
    return fsc__op_implementation(op, &c->writer->emission->plan->mode);
}

/* Where the fault asks for it and the node adds to a product of this chain: one fma. */
static fsc_status write_contracted(chain *c, const fsc__node *node, bool *written, fsc_error *why)
{
    const int position = node->in[0] == c->function->given ? -1 : position_of(c, node->in[0]);
    *written = FSC__FAULT_IS(FSC__FAULT_CONTRACT) && strcmp(node->op->name, "add") == 0 &&
               position >= 0 && strcmp(node_at(c, position)->op->name, "mul") == 0;
    if (!*written)
        return FSC_OK;
    const fsc__node *product = node_at(c, position);
    fsc__text_add(&c->lines, "FMA(");
    FSC_TRY(write_value(c, product->in[0], &c->lines, why));
    fsc__text_add(&c->lines, ", ");
    FSC_TRY(write_value(c, product->in[1], &c->lines, why));
    fsc__text_add(&c->lines, ", ");
    FSC_TRY(write_value(c, node->in[1], &c->lines, why));
    fsc__text_add(&c->lines, ")");
    return FSC_OK;
}

static fsc_status write_call(chain *c, int position, fsc_error *why)
{
    const fsc__node *node = node_at(c, position);
    const fsc__op *op = implementation(c, node->op);
    bool contracted = false;
    FSC_TRY(write_contracted(c, node, &contracted, why));
    if (contracted)
        return FSC_OK;
    write_op(c->writer, op);
    fsc__text_add(&c->lines, "op_%s(", op->name);
    for (int i = 0; i < op->inputs; i++) {
        fsc__text_add(&c->lines, i > 0 ? ", " : "");
        FSC_TRY(write_value(c, node->in[i], &c->lines, why));
    }
    for (int i = 0; op->attr[i].name; i++) {
        char name[NAME];
        snprintf(name, sizeof name, "%.15s_%d", op->attr[i].name, c->group->nodes[position]);
        fsc__writer_float(c->writer, name, node->attr[i]);
        fsc__text_add(&c->lines, ", %s", name);
    }
    fsc__text_add(&c->lines, ")");
    return FSC_OK;
}

/* round_f16( where the mode rounds this boundary to a storage type that needs it, else "". */
static const char *rounding(const chain *c, int position)
{
    const fsc__plan *plan = c->writer->emission->plan;
    if (!fsc__plan_rounds(plan, c->group, position))
        return "";
    return plan->mode.storage == FSC_F16    ? "round_f16("
           : plan->mode.storage == FSC_BF16 ? "round_bf16("
                                            : "";
}

static fsc_status write_tap(chain *c, int position, const char *variable, fsc_error *why)
{
    const fsc__function *f = c->function;
    char name[NAME];
    if (!c->writer->emission->options->taps || position < f->tap_begin || position >= f->tap_end ||
        position == c->group->node_count - 1)
        return FSC_OK;
    FSC_TRY(fsc__writer_tap(c->writer, c->group->nodes[position], name, why));
    fsc__text_add(&c->lines, "    store_f32(%s, i, n, %s);\n", name, variable);
    return FSC_OK;
}

static fsc_status write_node(chain *c, int position, fsc_error *why)
{
    const fsc__node *node = node_at(c, position);
    const char *round = rounding(c, position);
    char variable[NAME];
    for (int i = 0; i < node->op->inputs; i++)
        FSC_TRY(load_shared(c, node->in[i], why));
    snprintf(variable, sizeof variable, "t%d", position);
    fsc__text_add(&c->lines, "    const real %s = %s", variable, round);
    FSC_TRY(write_call(c, position, why));
    fsc__text_add(&c->lines, "%s; /* %s */\n", *round ? ")" : "", c->graph->values[node->out].name);
    return write_tap(c, position, variable, why);
}

/* The value that the pattern's main op has made crosses a boundary like any other. */
static fsc_status write_given(chain *c, fsc_error *why)
{
    const int position = c->function->given >= 0 ? position_of(c, c->function->given) : -1;
    if (position < 0)
        return FSC_OK;
    const char *round = rounding(c, position);
    if (*round)
        fsc__text_add(&c->lines, "    x = %sx); /* %s */\n", round,
                      c->graph->values[c->function->given].name);
    return write_tap(c, position, "x", why);
}

static fsc_status write_lines(chain *c, fsc_error *why)
{
    FSC_TRY(count_uses(c, c->function->value, why));
    FSC_TRY(write_given(c, why));
    for (int i = 0; i < c->group->node_count; i++)
        if (c->needed[i])
            FSC_TRY(write_node(c, i, why));
    fsc__text_add(&c->lines, "    return ");
    FSC_TRY(write_value(c, c->function->value, &c->lines, why));
    fsc__text_add(&c->lines, ";\n");
    return FSC_OK;
}

fsc_status fsc__writer_function(fsc__writer *writer, const fsc__function *function, fsc_error *why)
{
    fsc_status status = FSC_OK;
    const fsc__emission *emission = writer->emission;
    const size_t values = (size_t)emission->plan->graph->value_count;
    chain c = {.writer = writer,
               .function = function,
               .graph = emission->plan->graph,
               .group = emission->group,
               .needed = fsc__calloc((size_t)emission->group->node_count, sizeof *c.needed),
               .uses = fsc__calloc(values, sizeof *c.uses),
               .loaded = fsc__calloc(values, sizeof *c.loaded)};
    if (!c.needed || !c.uses || !c.loaded) {
        status = fsc__fail(why, FSC_ERR_MEMORY, "out of memory for a chain of ops");
        goto done;
    }
    FSC_GO(write_lines(&c, why));
    fsc__text_add(&writer->functions, "\nreal %s(%sint r, int c, int i, int n PARAMS)\n{\n%s}\n",
                  function->name, function->given >= 0 ? "real x, " : "",
                  c.lines.data ? c.lines.data : "");
    writer->functions.failed |= c.lines.failed;
done:
    fsc__text_deinit(&c.lines);
    fsc__free(c.needed);
    fsc__free(c.uses);
    fsc__free(c.loaded);
    return status;
}
