/* Pointwise ops in double, and how far a correct f32 result may be from them. */
#include "reference/truth_run.h"

#include <math.h>
#include <string.h>

#include "reference/threads.h"

#define NOWHERE ((double)NAN)

/* 1/(1+e^-x), precise in both tails. */
static double logistic(double x)
{
    return x >= 0.0 ? 1.0 / (1.0 + exp(-x)) : exp(x) / (1.0 + exp(x));
}

#define FSC_TRUTH_FUNCTION(name, expression)                                \
    static double name(const double in[], const float *attr)                \
    {                                                                       \
        const double a = in[0], b = in[1], c = in[2], d = in[3], e = in[4]; \
        const double p0 = (double)attr[0], p1 = (double)attr[1];            \
        const double p2 = (double)attr[2], p3 = (double)attr[3];            \
        (void)a, (void)b, (void)c, (void)d, (void)e;                        \
        (void)p0, (void)p1, (void)p2, (void)p3;                             \
        return expression;                                                  \
    }
#define FSC_TRUTH(name, expression, turn)        \
    FSC_TRUTH_FUNCTION(value_##name, expression) \
    FSC_TRUTH_FUNCTION(turn_##name, turn)
#include "reference/truth_ops.def"
#undef FSC_TRUTH

/* in has FSC__OP_MAX_INPUTS entries; those that the op lacks are not looked at. */
typedef double function(const double in[], const float *attr);

/* In ops.def order: an op without a truth does not compile. */
static const struct {
    function *value, *turn;
} truths[] = {
#define FSC_OP(name, inputs, role, attributes, expression, ulp, note) {value_##name, turn_##name},
#include "ops.def"
#undef FSC_OP
};

double fsc__truth_op(const fsc__op *op, const double in[], const float *attr)
{
    float initial[FSC__OP_MAX_NUMBERS];
    double operands[FSC__OP_MAX_INPUTS] = {0};
    fsc__op_initial(op, initial);
    memcpy(operands, in, (size_t)op->inputs * sizeof *operands);
    return truths[fsc__op_index(op)].value(operands, attr ? attr : initial);
}

/* The spacing of the type's values at a magnitude up to its largest; fsc__ulp_spacing without its
   calls, once per element and node. */
static double spacing(fsc_dtype type, double magnitude)
{
    const int lowest = fsc__dtype_lowest_exponent(type);
    uint64_t code;
    memcpy(&code, &magnitude, sizeof code);
    const int exponent = (int)(code >> 52) - 1023;
    const int last = (exponent < lowest ? lowest : exponent) - fsc__dtype_fraction_bits(type);
    code = (uint64_t)(last + 1023) << 52;
    memcpy(&magnitude, &code, sizeof code);
    return magnitude;
}

double fsc__truth_stored(const fsc__truth_run *run, double value, double error)
{
    const fsc_dtype storage = run->mode->storage;
    const double reach = fabs(value) + error;
    if (!(reach <= fsc__dtype_max(storage)))
        return INFINITY;
    return storage == FSC_F32 ? error : error + 0.5 * spacing(storage, reach);
}

/* An operand as the node's shape sees it: strides 0 along axes that repeat. */
typedef struct view {
    const double *value, *error;
    int64_t strides[FSC_MAX_RANK];
} view;

static view view_of(const fsc__truth_value *operand, const fsc__shape *shape)
{
    view v = {.value = fsc__truth_data(&operand->value), .error = fsc__truth_data(&operand->error)};
    const fsc__shape *own = &operand->value.shape;
    int64_t stride = 1;
    for (int axis = own->rank - 1; axis >= 0; axis--) {
        v.strides[axis + shape->rank - own->rank] = own->dims[axis] == 1 ? 0 : stride;
        stride *= own->dims[axis];
    }
    return v;
}

static int64_t view_at(const view *v, const fsc__shape *shape, int64_t row)
{
    int64_t at = 0;
    for (int axis = shape->rank - 2; axis >= 0; axis--) {
        at += row % shape->dims[axis] * v->strides[axis];
        row /= shape->dims[axis];
    }
    return at;
}

typedef struct pointwise {
    const fsc__truth_run *run;
    const float *attr;
    function *value;     /* of the op */
    function *run_value; /* of the op whose arithmetic runs instead: gelu=tanh */
    function *run_turn;
    double ulp; /* of that op */
    int inputs;
    fsc__shape shape;
    int64_t cols;
    view in[FSC__OP_MAX_INPUTS];
    double *out, *error;
} pointwise;

/* The operands of one element. */
typedef struct operands {
    double value[FSC__OP_MAX_INPUTS], error[FSC__OP_MAX_INPUTS];
} operands;

/* What the function may be evaluated at for an operand within error of value: at its ends, at zero
   and at its turn where they lie inside. */
static int places(double value, double error, double turn, double place[4])
{
    int count = 0;
    place[count++] = value - error;
    if (error == 0.0)
        return count;
    place[count++] = value + error;
    if (fabs(value) <= error)
        place[count++] = 0.0;
    if (fabs(value - turn) <= error)
        place[count++] = turn;
    return count;
}

/* The largest change of the op's value when its operands move within their errors; infinity where
   it may leave the finite numbers. */
static double moved(const pointwise *p, const operands *at, double value)
{
    double place[FSC__OP_MAX_INPUTS][4], tried[FSC__OP_MAX_INPUTS] = {0};
    int count[FSC__OP_MAX_INPUTS], chosen[FSC__OP_MAX_INPUTS] = {0};
    for (int i = 0; i < p->inputs; i++) {
        const double turn = i == 0 ? p->run_turn(at->value, p->attr) : NOWHERE;
        count[i] = places(at->value[i], at->error[i], turn, place[i]);
    }
    double most = 0.0;
    for (int carry = 0; carry < p->inputs;) {
        for (int i = 0; i < p->inputs; i++)
            tried[i] = place[i][chosen[i]];
        const double other = p->run_value(tried, p->attr);
        if (!isfinite(other))
            return INFINITY;
        most = fmax(most, fabs(other - value));
        /* The next choice of places, counted like the digits of a number. */
        for (carry = 0; carry < p->inputs && ++chosen[carry] == count[carry]; carry++)
            chosen[carry] = 0;
    }
    return most;
}

static double pointwise_error(const pointwise *p, const operands *at, double value)
{
    if (!isfinite(value))
        return INFINITY;
    for (int i = 0; i < p->inputs; i++)
        if (!isfinite(at->error[i]))
            return INFINITY;
    double error = moved(p, at, value);
    if (!isfinite(error))
        return INFINITY;
    if (error > 0.0)
        error += fabs(value) * 0x1p-48; /* what double itself loses */
    if (p->ulp > 0.0)
        error += (p->ulp + 0.5) * spacing(FSC_F32, fabs(value) + error);
    if (p->ulp > 0.5)
        error += 2.0 * FSC__TRUTH_TINY;
    return fsc__truth_stored(p->run, value, error);
}

static fsc_status pointwise_rows(void *context, int64_t begin, int64_t end)
{
    const pointwise *p = context;
    const int last = p->shape.rank - 1;
    for (int64_t row = begin; row < end; row++) {
        int64_t from[FSC__OP_MAX_INPUTS], step[FSC__OP_MAX_INPUTS];
        for (int i = 0; i < p->inputs; i++) {
            from[i] = view_at(&p->in[i], &p->shape, row);
            step[i] = last < 0 ? 0 : p->in[i].strides[last];
        }
        for (int64_t at = row * p->cols; at < (row + 1) * p->cols; at++) {
            operands element = {0};
            for (int i = 0; i < p->inputs; i++) {
                element.value[i] = p->in[i].value[from[i]];
                element.error[i] = p->in[i].error ? p->in[i].error[from[i]] : 0.0;
                from[i] += step[i];
            }
            p->out[at] = p->value(element.value, p->attr);
            if (p->error)
                p->error[at] = pointwise_error(p, &element, p->out[at]);
        }
    }
    return FSC_OK;
}

fsc_status fsc__truth_pointwise(const fsc__truth_run *run, const fsc__node *node,
                                const fsc__truth_value *out, fsc_error *why)
{
    const fsc__op *running = fsc__op_implementation(node->op, run->mode);
    const int index = fsc__op_index(node->op), running_index = fsc__op_index(running);
    pointwise p = {
        .run = run,
        .attr = node->attr,
        .value = truths[index].value,
        .run_value = truths[running_index].value,
        .run_turn = truths[running_index].turn,
        .ulp = running->ulp,
        .inputs = node->op->inputs,
        .shape = out->value.shape,
        .out = fsc__truth_data(&out->value),
        .error = fsc__truth_data(&out->error),
    };
    for (int i = 0; i < p.inputs; i++)
        p.in[i] = view_of(&run->values[node->in[i]], &p.shape);
    p.cols = p.shape.rank == 0 ? 1 : p.shape.dims[p.shape.rank - 1];
    return fsc__threads_run(fsc__shape_elems(&p.shape) / p.cols, 1 + 1024 / p.cols, pointwise_rows,
                            &p, why);
}
