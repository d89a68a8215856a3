/* The prediction of a plan: its groups in order on host tensors. */
#include "reference/predict.h"

#include <string.h>

#include "base/alloc.h"
#include "numeric/fpenv.h"
#include "reference/predict_run.h"
#include "reference/threads.h"

typedef struct load_job {
    const fsc__predict_loops *loops;
    const fsc_tensor *tensor;
    float *values;
} load_job;

static fsc_status load_elements(void *context, int64_t begin, int64_t end)
{
    const load_job *job = context;
    job->loops->load(job->tensor->type, job->tensor->data, begin, end - begin, job->values + begin);
    return FSC_OK;
}

fsc_status fsc__predict_f32(const fsc__predict_run *run, const fsc_tensor *tensor,
                            const float **values, float **owned, fsc_error *why)
{
    if (!tensor->data)
        FSC_FAIL(why, FSC_ERR_INTERNAL, "an operand of a group is neither stored nor made in it");
    if (tensor->type == FSC_F32) {
        *values = tensor->data;
        *owned = NULL;
        return FSC_OK;
    }
    const int64_t elems = fsc__shape_elems(&tensor->shape);
    load_job job = {.loops = run->loops, .tensor = tensor};
    job.values = fsc__alloc((size_t)elems, sizeof *job.values);
    if (!job.values)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory on the host");
    *owned = job.values;
    *values = job.values;
    return fsc__threads_run(elems, 1 << 16, load_elements, &job, why);
}

typedef struct round_job {
    const fsc__predict_loops *loops;
    fsc_dtype type;
    float *values;
} round_job;

static fsc_status round_elements(void *context, int64_t begin, int64_t end)
{
    const round_job *job = context;
    job->loops->round(job->type, job->values + begin, end - begin);
    return FSC_OK;
}

typedef fsc_status main_function(const fsc__predict_run *run, const fsc__group *group,
                                 fsc_tensor *out, fsc_error *why);

static main_function *const main_functions[FSC__PATTERN_COUNT] = {
    [FSC__PATTERN_MATMUL] = fsc__predict_matmul,
    [FSC__PATTERN_CONV2D] = fsc__predict_conv2d,
    [FSC__PATTERN_NORM] = fsc__predict_norm_rows,
};

/* The group's main node, its prologue included; f32, rounded where the group rounds it. */
static fsc_status run_main(fsc__predict_run *run, const fsc__group *group, fsc_tensor *out,
                           fsc_error *why)
{
    const int operand = run->plan->graph->nodes[group->nodes[group->main]].in[0];
    fsc_tensor *prologue = run->values[operand].data ? NULL : &run->values[operand];
    if (prologue)
        FSC_TRY(fsc__predict_map(run, group, operand, FSC_F32, prologue, why));
    fsc_status status = main_functions[group->pattern](run, group, out, why);
    if (prologue)
        fsc__tensor_deinit(prologue);
    if (status == FSC_OK && fsc__plan_rounds(run->plan, group, group->main)) {
        round_job job = {run->loops, run->plan->mode.storage, out->data};
        status =
            fsc__threads_run(fsc__shape_elems(&out->shape), 1 << 16, round_elements, &job, why);
    }
    return status;
}

static fsc_status run_group(fsc__predict_run *run, const fsc__group *group, fsc_error *why)
{
    const fsc_dtype storage = run->plan->mode.storage;
    fsc_tensor *main_value = NULL;
    if (group->main >= 0) {
        main_value = &run->values[run->plan->graph->nodes[group->nodes[group->main]].out];
        FSC_TRY(run_main(run, group, main_value, why));
    }
    fsc_tensor stored;
    FSC_TRY(fsc__predict_map(run, group, group->output, storage, &stored, why));
    if (main_value)
        fsc__tensor_deinit(main_value);
    run->values[group->output] = stored;
    return FSC_OK;
}

static bool read_later(const fsc__plan *plan, int group, int value)
{
    for (int o = 0; o < plan->graph->output_count; o++) {
        if (plan->graph->outputs[o] == value)
            return true;
    }
    for (int g = group + 1; g < plan->group_count; g++) {
        for (int i = 0; i < plan->groups[g].input_count; i++) {
            if (plan->groups[g].inputs[i] == value)
                return true;
        }
    }
    return false;
}

/* Frees what no later group reads: an unfused chain on large tensors stores much. */
static void free_read(fsc__predict_run *run, int group)
{
    const fsc__group *g = &run->plan->groups[group];
    for (int i = 0; i < g->input_count; i++) {
        const int value = g->inputs[i];
        if (value >= run->plan->graph->input_count && !read_later(run->plan, group, value))
            fsc__tensor_deinit(&run->values[value]);
    }
}

static fsc_status check_inputs(const fsc__plan *plan, const fsc_tensor in[], fsc_error *why)
{
    for (int i = 0; i < plan->graph->input_count; i++) {
        const fsc__value *value = &plan->graph->values[i];
        const fsc_dtype type = fsc__graph_input_type(value, &plan->mode);
        if (in[i].type != type || !fsc__shape_equal(&in[i].shape, &value->shape)) {
            char want[128], got[128];
            fsc__shape_write(&value->shape, want, sizeof want);
            fsc__shape_write(&in[i].shape, got, sizeof got);
            FSC_FAIL(why, FSC_ERR_INPUT, "input %s is %s %s, not %s %s", value->name,
                     fsc__dtype_name(in[i].type), got, fsc__dtype_name(type), want);
        }
    }
    return FSC_OK;
}

/* out: initialised here. */
static fsc_status predict_with(const fsc__plan *plan, fsc__fma fma, const fsc_tensor in[],
                               fsc_tensor out[], fsc_error *why)
{
    const fsc_graph *graph = plan->graph;
    fsc_status status = FSC_OK;
    fsc__predict_run run = {
        .plan = plan,
        .loops = fsc__predict_loops_of(fma),
        .values = fsc__calloc((size_t)graph->value_count, sizeof *run.values),
    };
    if (!run.values)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory on the host");
    for (int i = 0; i < graph->input_count; i++)
        run.values[i] = in[i];
    for (int g = 0; g < plan->group_count; g++) {
        FSC_GO(run_group(&run, &plan->groups[g], why));
        free_read(&run, g);
    }
    for (int i = 0; i < graph->output_count; i++) {
        if (!run.values[graph->outputs[i]].data)
            FSC_GO(fsc__fail(why, FSC_ERR_INTERNAL, "the plan does not store an output"));
    }
    for (int i = 0; i < graph->output_count; i++) {
        out[i] = run.values[graph->outputs[i]];
        run.values[graph->outputs[i]] = (fsc_tensor){0};
    }
done:
    for (int i = graph->input_count; i < graph->value_count; i++)
        fsc__tensor_deinit(&run.values[i]);
    fsc__free(run.values);
    return status;
}

static int64_t elements_that_differ(const fsc_tensor *a, const fsc_tensor *b)
{
    const size_t bytes = fsc__dtype_bytes(a->type);
    const int64_t elems = fsc__shape_elems(&a->shape);
    const char *left = a->data, *right = b->data;
    int64_t count = 0;
    for (int64_t i = 0; i < elems; i++)
        count += memcmp(left + (size_t)i * bytes, right + (size_t)i * bytes, bytes) != 0;
    return count;
}

/* Against the prediction with an exact fma. */
static fsc_status count_flushed(const fsc__plan *plan, const fsc_tensor in[],
                                const fsc_tensor out[], int64_t *flushed, fsc_error *why)
{
    const int outputs = plan->graph->output_count;
    fsc_tensor *exact = fsc__calloc((size_t)outputs, sizeof *exact);
    if (!exact)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory on the host");
    const fsc_status status = predict_with(plan, FSC__FMA_EXACT, in, exact, why);
    int64_t count = 0;
    for (int i = 0; i < outputs; i++) {
        if (status == FSC_OK)
            count += elements_that_differ(&out[i], &exact[i]);
        fsc__tensor_deinit(&exact[i]);
    }
    fsc__free(exact);
    if (status == FSC_OK)
        *flushed = count;
    return status;
}

fsc_status fsc__predict(const fsc__plan *plan, fsc__fma fma, const fsc_tensor in[],
                        fsc_tensor out[], int64_t *flushed, fsc_error *why)
{
    if (fma != FSC__FMA_EXACT && fma != FSC__FMA_FLUSHES)
        FSC_FAIL(why, FSC_UNSUPPORTED, "the device's fma follows no known rule");
    FSC_TRY(check_inputs(plan, in, why));
    const int outputs = plan->graph->output_count;
    fsc_tensor *made = fsc__calloc((size_t)outputs, sizeof *made);
    if (!made)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory on the host");
    int64_t count = 0;
    fsc_status status = predict_with(plan, fma, in, made, why);
    if (status == FSC_OK && flushed && fma == FSC__FMA_FLUSHES)
        status = count_flushed(plan, in, made, &count, why);
    for (int i = 0; i < outputs; i++) {
        if (status == FSC_OK)
            out[i] = made[i];
        else
            fsc__tensor_deinit(&made[i]);
    }
    fsc__free(made);
    if (status == FSC_OK && flushed)
        *flushed = count;
    return status;
}

void fsc__predict_op(const fsc__op *op, fsc__fma fma, const float *const in[], const float *attr,
                     float *out, int64_t n)
{
    float initial[FSC__OP_MAX_NUMBERS];
    fsc__op_initial(op, initial);
    fsc__fpenv env;
    fsc__fpenv_enter(&env);
    fsc__predict_loops_of(fma)->ops[fsc__op_index(op)](in, attr ? attr : initial, out, n);
    fsc__fpenv_leave(&env);
}
