/* Rows of a norm, one after the other on each thread. */
#include "reference/predict_run.h"

#include "base/alloc.h"
#include "reference/threads.h"

typedef struct job {
    const fsc__predict_loops *loops;
    fsc__predict_norm norm;
    const float *rows;
    float *out;
} job;

static fsc_status norm_rows(void *context, int64_t begin, int64_t end)
{
    const job *j = context;
    const int64_t cols = j->norm.cols;
    fsc__predict_scratch *scratch = fsc__alloc(1, sizeof *scratch);
    float *deviation = fsc__alloc((size_t)cols, sizeof *deviation);
    if (scratch && deviation) {
        scratch->deviation = deviation;
        for (int64_t row = begin; row < end; row++)
            j->loops->norm(&j->norm, j->rows + row * cols, j->out + row * cols, scratch);
    }
    const fsc_status status = scratch && deviation ? FSC_OK : FSC_ERR_MEMORY;
    fsc__free(deviation);
    fsc__free(scratch);
    return status;
}

fsc_status fsc__predict_norm_rows(const fsc__predict_run *run, const fsc__group *group,
                                  fsc_tensor *out, fsc_error *why)
{
    const fsc_graph *graph = run->plan->graph;
    const fsc_mode *mode = &run->plan->mode;
    const fsc__node *node = &graph->nodes[group->nodes[group->main]];
    const fsc__norm_dims dims = fsc__graph_norm(graph, node);
    fsc_tensor made = {0};
    float *row_owned = NULL, *gamma_owned = NULL, *beta_owned = NULL;
    fsc_status status = FSC_OK;
    job j = {
        .loops = run->loops,
        .norm = {.cols = dims.cols,
                 .centred = dims.centred,
                 .eps = dims.eps,
                 .order = fsc__plan_order(run->plan, group),
                 .variance = mode->variance,
                 .contract = mode->contract},
    };
    FSC_GO(fsc__predict_f32(run, &run->values[node->in[0]], &j.rows, &row_owned, why));
    FSC_GO(fsc__predict_f32(run, &run->values[dims.gamma], &j.norm.gamma, &gamma_owned, why));
    if (dims.centred)
        FSC_GO(fsc__predict_f32(run, &run->values[dims.beta], &j.norm.beta, &beta_owned, why));
    FSC_GO(fsc__tensor_init(&made, FSC_F32, &graph->values[node->out].shape, why));
    j.out = made.data;
    FSC_GO(fsc__threads_run(dims.rows, 1 + 4096 / dims.cols, norm_rows, &j, why));
    *out = made;
    made = (fsc_tensor){0};
done:
    fsc__tensor_deinit(&made);
    fsc__free(row_owned);
    fsc__free(gamma_owned);
    fsc__free(beta_owned);
    return status;
}
