/* Running, predicting and computing the truth of one plan. */
#include "case/side.h"

#include <time.h>

#include "base/alloc.h"
#include "reference/predict.h"
#include "reference/truth.h"

static uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static bool same_types(const fsc__spec *spec, const fsc__side *a, const fsc__side *b)
{
    for (int i = 0; i < spec->graph->input_count; i++) {
        const fsc__value *value = &spec->graph->values[i];
        if (fsc__graph_input_type(value, a->mode) != fsc__graph_input_type(value, b->mode))
            return false;
    }
    return a->mode->storage == b->mode->storage;
}

fsc_status fsc__side_inputs(fsc__side *side, const fsc__spec *spec, const fsc__side *other,
                            fsc_error *why)
{
    if (other != NULL && same_types(spec, side, other)) {
        side->twin = other;
        return FSC_OK;
    }
    const int count = spec->graph->input_count;
    side->in = fsc__calloc((size_t)count, sizeof *side->in);
    if (side->in == NULL)
        FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for %d tensors", count);
    side->input_count = count;
    for (int i = 0; i < count; i++)
        FSC_TRY(fsc__spec_tensor(spec, i, side->mode, &side->in[i], why));
    return FSC_OK;
}

const fsc_tensor *fsc__side_in(const fsc__side *side)
{
    return side->twin != NULL ? side->twin->in : side->in;
}

const fsc_tensor *fsc__side_truth(const fsc__side *side)
{
    return side->twin != NULL ? &side->twin->truth : &side->truth;
}

static fsc_status name_kernels(fsc__side *side, const fsc__executable *executable, fsc_error *why)
{
    bool ok = (side->kernels = cJSON_CreateArray()) != NULL;
    for (int g = 0; ok && g < side->plan->group_count; g++) {
        const fsc__kernels *kernels = fsc__executable_kernels(executable, g);
        for (int s = 0; ok && s < kernels->step_count; s++) {
            cJSON *name = cJSON_CreateString(kernels->steps[s].name);
            ok = name != NULL && cJSON_AddItemToArray(side->kernels, name);
        }
    }
    if (!ok)
        FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for the names of the kernels");
    return FSC_OK;
}

fsc_status fsc__side_run(fsc__side *side, fsc_device *device, const fsc__tile *tile, fsc__text *log,
                         fsc_error *why)
{
    const fsc__emit_options options = {.tile = *tile};
    fsc__executable *executable = NULL;
    fsc_status status;
    FSC_GO(fsc__executable_create(device, side->plan, &options, &executable, log, why));
    FSC_GO(name_kernels(side, executable, why));
    FSC_GO(
        fsc__executable_run(executable, fsc__side_in(side), &side->got, NULL, &side->times, why));
done:
    fsc__executable_free(executable);
    return status;
}

fsc_status fsc__side_refer(fsc__side *side, fsc__fma fma, fsc_error *why)
{
    const uint64_t start = now_ns();
    FSC_TRY(
        fsc__predict(side->plan, fma, fsc__side_in(side), &side->predicted, &side->flushed, why));
    const uint64_t between = now_ns();
    side->predict_ns = between - start;
    if (side->twin != NULL)
        return FSC_OK;
    FSC_TRY(fsc__truth(side->plan->graph, side->mode, side->in, &side->truth, NULL, why));
    side->truth_ns = now_ns() - between;
    return FSC_OK;
}

void fsc__side_deinit(fsc__side *side)
{
    for (int i = 0; i < side->input_count; i++)
        fsc__tensor_deinit(&side->in[i]);
    fsc__free(side->in);
    fsc__tensor_deinit(&side->got);
    fsc__tensor_deinit(&side->predicted);
    fsc__tensor_deinit(&side->truth);
    cJSON_Delete(side->kernels);
    fsc__plan_free(side->plan);
    *side = (fsc__side){0};
}
