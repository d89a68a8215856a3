/* map: a chain over rows x cols, one vector per work-item. */
#include "base/alloc.h"
#include "kernel/emission.h"

/* The widest view of the output that reaches every operand. */
static fsc_status choose_view(const fsc__emission *emission, fsc__view *view, fsc_error *why)
{
    const fsc_graph *graph = emission->plan->graph;
    const fsc__group *group = emission->group;
    const fsc__shape *out = &graph->values[group->output].shape;
    const fsc__shape **operands = fsc__alloc((size_t)group->input_count, sizeof *operands);
    if (!operands)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory for the operands of a map");
    for (int i = 0; i < group->input_count; i++)
        operands[i] = &graph->values[group->inputs[i]].shape;
    *view = fsc__view_of(out, fsc__access_view(out, operands, group->input_count));
    fsc__free(operands);
    return FSC_OK;
}

fsc_status fsc__emit_map(fsc__emission *emission, fsc_error *why)
{
    fsc_status status = FSC_OK;
    const int width = emission->options->tile.width;
    const fsc__group *group = emission->group;
    fsc__args fixed = {0};
    fsc__writer writer = {.emission = emission};
    FSC_GO(choose_view(emission, &writer.view, why));
    fsc__writer_store(&writer);
    const fsc__function chain = {"chain", group->output, -1, 0, group->node_count};
    FSC_GO(fsc__writer_function(&writer, &chain, why));

    fsc__args_buffer(&fixed, "out", FSC__ARG_VALUE, group->output);
    fsc__args_int(&fixed, "rows", writer.view.rows);
    fsc__args_int(&fixed, "cols", writer.view.cols);
    const int64_t vectors = (writer.view.cols + width - 1) / width;
    fsc__step step = {.work = (double)writer.view.rows * (double)writer.view.cols *
                              (double)(group->node_count + group->input_count)};
    fsc__step_launch_vectors(&step, emission->caps, vectors, writer.view.rows, 1);
    FSC_GO(fsc__writer_finish(&writer, "map", width, step, &fixed, why));
done:
    fsc__args_deinit(&fixed);
    fsc__writer_deinit(&writer);
    return status;
}
