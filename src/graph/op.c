/* The table of ops: rows of cl/ops.def, then those with a loop structure. */
#include "graph/op.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "graph/tensor.h"

enum { ATTR_NAME_BYTES = 16 };

/* What the operands of a pointwise op after the first are called in a chain, by the role word of
   ops.def. */
#define OPERANDS_NONE
#define OPERANDS_DATA {"x", FSC__ROLE_DATA},
#define OPERANDS_BIAS {"bias", FSC__ROLE_BIAS},
#define OPERANDS_SCALE {"scale", FSC__ROLE_SCALE},
#define OPERANDS_SLOPE {"slope", FSC__ROLE_SLOPE},
#define OPERANDS_STATISTICS                                                         \
    {"gamma", FSC__ROLE_GAMMA}, {"beta", FSC__ROLE_BETA}, {"mean", FSC__ROLE_MEAN}, \
        {"var", FSC__ROLE_VAR},

#define FSC_OP(op_name, op_inputs, role, attributes, text, op_ulp, op_note) \
    {.name = #op_name,                                                      \
     .kind = FSC__OP_POINTWISE,                                             \
     .inputs = op_inputs,                                                   \
     .input = {{"x", FSC__ROLE_DATA}, OPERANDS_##role},                     \
     .expression = #text,                                                   \
     .ulp = op_ulp,                                                         \
     .note = op_note},

/* The attributes of pointwise ops are text in ops.def and are filled in once, by fill_attrs, as are
   the places of all attributes' numbers. */
static fsc__op ops[] = {
#include "ops.def"
    {.name = "matmul",
     .kind = FSC__OP_MATMUL,
     .inputs = 2,
     .input = {{"x", FSC__ROLE_DATA}, {"w", FSC__ROLE_WEIGHT}},
     .attr = {{.name = "transA", .low = 0, .high = 1, .whole = true},
              {.name = "transB", .low = 0, .high = 1, .whole = true}},
     .note = "x w over the last two axes, leading ones are a batch; sums start at +0"},
    {.name = "conv2d",
     .kind = FSC__OP_CONV2D,
     .inputs = 2,
     .input = {{"x", FSC__ROLE_DATA}, {"w", FSC__ROLE_WEIGHT}},
     .attr =
         {{.name = "stride", .count = 2, .initial = 1, .low = 1, .high = 65535, .whole = true},
          {.name = "pads", .count = 4, .initial = 0, .low = 0, .high = 65535, .whole = true},
          {.name = "dilation", .count = 2, .initial = 1, .low = 1, .high = 65535, .whole = true},
          {.name = "groups", .initial = 1, .low = 1, .high = 1 << 24, .whole = true},
          {.name = "layout", .words = fsc__layout_names}},
     .note =
         "sums over (ic, kh, kw), kw fastest, that start at +0; pads are +0 and are multiplied"},
    {.name = "layernorm",
     .kind = FSC__OP_NORM,
     .inputs = 3,
     .input = {{"x", FSC__ROLE_DATA}, {"gamma", FSC__ROLE_GAMMA}, {"beta", FSC__ROLE_BETA}},
     .attr = {{.name = "eps", .initial = 1e-5, .low = 0, .high = 1}},
     .note = "(x-mean)/sqrt(var+eps)*gamma+beta over the last axis, var the mean square of x-mean"},
    {.name = "rmsnorm",
     .kind = FSC__OP_NORM,
     .inputs = 2,
     .input = {{"x", FSC__ROLE_DATA}, {"gamma", FSC__ROLE_GAMMA}},
     .attr = {{.name = "eps", .initial = 1e-6, .low = 0, .high = 1}},
     .note = "x/sqrt(mean(x*x)+eps)*gamma over the last axis"},
};
#undef FSC_OP

#define FSC_OP(name, inputs, role, attributes, text, ulp, note) attributes,
static const char *const attribute_texts[] = {
#include "ops.def"
};
#undef FSC_OP

enum {
    OP_COUNT = sizeof ops / sizeof ops[0],
    POINTWISE_COUNT = sizeof attribute_texts / sizeof attribute_texts[0]
};

static char attr_names[POINTWISE_COUNT][FSC__OP_MAX_ATTRS * ATTR_NAME_BYTES];
static pthread_once_t filled = PTHREAD_ONCE_INIT;

bool fsc__op_attrs_parse(const char *text, fsc__op_attr attr[FSC__OP_MAX_ATTRS], char *names,
                         size_t names_bytes)
{
    size_t used = 0;
    for (int i = 0; *text; i++) {
        const size_t length = strcspn(text, "=");
        if (i == FSC__OP_MAX_POINTWISE_ATTRS || length == 0 || !text[length] ||
            used + length + 1 > names_bytes)
            return false;
        char *name = names + used;
        memcpy(name, text, length);
        name[length] = '\0';
        used += length + 1;
        text += length + 1;
        double number[3]; /* default, low, high */
        for (int j = 0; j < 3; j++) {
            char *end = NULL;
            number[j] = strtod(text, &end);
            if (end == text || (j < 2 && *end != ':'))
                return false;
            text = j < 2 ? end + 1 : end;
        }
        attr[i] =
            (fsc__op_attr){.name = name, .initial = number[0], .low = number[1], .high = number[2]};
        if (*text == ',' && text[1])
            text++;
        else if (*text)
            return false;
    }
    return true;
}

/* Each attribute's numbers after those of the one before. */
static void place_numbers(fsc__op *op)
{
    int used = 0;
    for (int i = 0; op->attr[i].name; i++) {
        fsc__op_attr *attr = &op->attr[i];
        attr->count = attr->count > 0 ? attr->count : 1;
        attr->at = used;
        used += attr->count;
    }
    assert(used <= FSC__OP_MAX_NUMBERS);
}

static void fill_attrs(void)
{
    for (int i = 0; i < POINTWISE_COUNT; i++) {
        const bool fine = fsc__op_attrs_parse(attribute_texts[i], ops[i].attr, attr_names[i],
                                              sizeof attr_names[i]);
        assert(fine && "a row of cl/ops.def has malformed attributes");
        (void)fine;
    }
    for (size_t i = 0; i < OP_COUNT; i++)
        place_numbers(&ops[i]);
}

void fsc__op_initial(const fsc__op *op, float numbers[FSC__OP_MAX_NUMBERS])
{
    memset(numbers, 0, FSC__OP_MAX_NUMBERS * sizeof *numbers);
    for (int i = 0; op->attr[i].name; i++)
        for (int j = 0; j < op->attr[i].count; j++)
            numbers[op->attr[i].at + j] = (float)op->attr[i].initial;
}

size_t fsc__op_count(void)
{
    return OP_COUNT;
}

const fsc__op *fsc__op_at(size_t index)
{
    pthread_once(&filled, fill_attrs);
    return &ops[index];
}

const fsc__op *fsc__op_find(const char *name)
{
    for (size_t i = 0; i < OP_COUNT; i++)
        if (strcmp(ops[i].name, name) == 0)
            return fsc__op_at(i);
    return NULL;
}

int fsc__op_index(const fsc__op *op)
{
    return op->kind == FSC__OP_POINTWISE ? (int)(op - ops) : -1;
}

const fsc__op *fsc__op_implementation(const fsc__op *op, const fsc_mode *mode)
{
    if (mode->gelu == FSC__GELU_TANH && strcmp(op->name, "gelu") == 0)
        return fsc__op_find("gelu_tanh");
    return op;
}
