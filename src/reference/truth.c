/* The truth of a graph: its nodes in order, in double. */
#include "reference/truth.h"

#include "base/alloc.h"
#include "reference/threads.h"
#include "reference/truth_run.h"

double *fsc__truth_data(const fsc_tensor *tensor)
{
    return tensor->data;
}

typedef struct load_job {
    const fsc_tensor *from;
    double *to;
} load_job;

static fsc_status load_elements(void *context, int64_t begin, int64_t end)
{
    const load_job *job = context;
    for (int64_t i = begin; i < end; i++)
        job->to[i] = fsc__dtype_load(job->from->type, job->from->data, i);
    return FSC_OK;
}

static void value_deinit(fsc__truth_value *value)
{
    fsc__tensor_deinit(&value->value);
    fsc__tensor_deinit(&value->error);
}

/* Inputs and literals; results later. */
static fsc_status load_values(fsc__truth_run *run, const fsc_tensor in[], fsc_error *why)
{
    const fsc_graph *graph = run->graph;
    for (int i = 0; i < graph->value_count; i++) {
        const fsc__value *value = &graph->values[i];
        fsc_tensor *to = &run->values[i].value;
        if (value->kind == FSC__VALUE_RESULT)
            continue;
        if (value->kind == FSC__VALUE_INPUT && !fsc__shape_equal(&in[i].shape, &value->shape))
            FSC_FAIL(why, FSC_ERR_INPUT, "input %s has another shape than the graph", value->name);
        FSC_TRY(fsc__tensor_init(to, FSC_F64, &value->shape, why));
        load_job job = {.to = fsc__truth_data(to)};
        if (value->kind == FSC__VALUE_LITERAL) {
            job.to[0] = (double)value->literal;
            continue;
        }
        job.from = &in[i];
        FSC_TRY(
            fsc__threads_run(fsc__shape_elems(&value->shape), 1 << 14, load_elements, &job, why));
    }
    return FSC_OK;
}

static bool read_later(const fsc_graph *graph, int node, int value)
{
    for (int o = 0; o < graph->output_count; o++) {
        if (graph->outputs[o] == value)
            return true;
    }
    for (int n = node + 1; n < graph->node_count; n++) {
        for (int i = 0; i < graph->nodes[n].op->inputs; i++) {
            if (graph->nodes[n].in[i] == value)
                return true;
        }
    }
    return false;
}

static fsc__truth_node *const node_functions[] = {
    [FSC__OP_POINTWISE] = fsc__truth_pointwise,
    [FSC__OP_MATMUL] = fsc__truth_matmul,
    [FSC__OP_CONV2D] = fsc__truth_conv2d,
    [FSC__OP_NORM] = fsc__truth_norm,
};

static fsc_status run_node(fsc__truth_run *run, int index, fsc_error *why)
{
    const fsc__node *node = &run->graph->nodes[index];
    const fsc__shape *shape = &run->graph->values[node->out].shape;
    fsc__truth_value *out = &run->values[node->out];
    FSC_TRY(fsc__tensor_init(&out->value, FSC_F64, shape, why));
    if (run->bounds)
        FSC_TRY(fsc__tensor_init(&out->error, FSC_F64, shape, why));
    FSC_TRY(node_functions[node->op->kind](run, node, out, why));
    for (int i = 0; i < node->op->inputs; i++) {
        if (!read_later(run->graph, index, node->in[i]))
            value_deinit(&run->values[node->in[i]]);
    }
    return FSC_OK;
}

fsc_status fsc__truth(const fsc_graph *graph, const fsc_mode *mode, const fsc_tensor in[],
                      fsc_tensor out[], fsc_tensor bound[], fsc_error *why)
{
    fsc_status status = FSC_OK;
    fsc__truth_run run = {
        .graph = graph,
        .mode = mode,
        .bounds = bound != NULL,
        .values = fsc__calloc((size_t)graph->value_count, sizeof *run.values),
    };
    if (!run.values)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory on the host");
    FSC_GO(load_values(&run, in, why));
    for (int n = 0; n < graph->node_count; n++)
        FSC_GO(run_node(&run, n, why));
    for (int i = 0; i < graph->output_count; i++) {
        fsc__truth_value *value = &run.values[graph->outputs[i]];
        out[i] = value->value;
        if (bound)
            bound[i] = value->error;
        *value = (fsc__truth_value){0};
    }
done:
    for (int i = 0; i < graph->value_count; i++)
        value_deinit(&run.values[i]);
    fsc__free(run.values);
    return status;
}
