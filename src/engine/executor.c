/* A plan on a device: kernels, programs and buffers made once, then runs. */
#include "engine/executor.h"

#include <string.h>
#include <time.h>

#include "base/alloc.h"

/* A program and the text it was built from; steps with the same text and name share one. */
typedef struct built {
    const fsc__step *step;
    fsc__program *program;
} built;

struct fsc__executable {
    fsc_device *device;
    const fsc__plan *plan;
    fsc__kernels *kernels; /* by group */
    built *programs;
    int program_count, cached;
    int *program_of;       /* by step, in the order of groups and their steps */
    fsc__buffer **values;  /* by graph value, NULL where not in memory */
    fsc__buffer **scratch; /* shared by the groups, which run one after the other */
    int scratch_count;
    fsc__buffer **taps; /* those of the first group, then of the next */
    int tap_count;
    uint64_t build_ns;
};

static uint64_t wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static fsc_status out_of_memory(fsc_error *why)
{
    FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory for an executable");
}

static fsc_status emit_groups(fsc__executable *e, const fsc__emit_options *options, fsc_error *why)
{
    const fsc__plan *plan = e->plan;
    const fsc__caps *caps = fsc__device_caps(e->device);
    fsc__emit_options chosen = options ? *options : (fsc__emit_options){0};
    if (chosen.tile.width == 0)
        chosen.tile = fsc__tile_default(caps);
    int steps = 0;
    e->kernels = fsc__calloc((size_t)plan->group_count, sizeof *e->kernels);
    if (!e->kernels)
        return out_of_memory(why);
    for (int g = 0; g < plan->group_count; ++g) {
        fsc__kernels *kernels = &e->kernels[g];
        FSC_TRY(fsc__emit(plan, &plan->groups[g], caps, &chosen, kernels, why));
        steps += kernels->step_count;
        e->tap_count += kernels->tap_count;
        if (kernels->scratch_count > e->scratch_count)
            e->scratch_count = kernels->scratch_count;
    }
    e->programs = fsc__calloc((size_t)steps, sizeof *e->programs);
    e->program_of = fsc__calloc((size_t)steps, sizeof *e->program_of);
    e->values = fsc__calloc((size_t)plan->graph->value_count, sizeof *e->values);
    e->scratch = fsc__calloc((size_t)e->scratch_count, sizeof(fsc__buffer *));
    e->taps = fsc__calloc((size_t)e->tap_count, sizeof(fsc__buffer *));
    if (!e->programs || !e->program_of || !e->values || !e->scratch || !e->taps)
        return out_of_memory(why);
    return FSC_OK;
}

/* The program of a step: one that is there, or a new one. */
static fsc_status find_program(fsc__executable *e, const fsc__step *step, int *index,
                               fsc__text *log, fsc_error *why)
{
    for (int i = 0; i < e->program_count; ++i)
        if (strcmp(e->programs[i].step->name, step->name) == 0 &&
            strcmp(e->programs[i].step->text, step->text) == 0) {
            *index = i;
            return FSC_OK;
        }
    bool cached = false;
    built *made = &e->programs[e->program_count];
    FSC_TRY(fsc__program_create(e->device, step, &made->program, &cached, log, why));
    made->step = step;
    *index = e->program_count++;
    e->cached += cached;
    return FSC_OK;
}

static fsc_status build_programs(fsc__executable *e, fsc__text *log, fsc_error *why)
{
    int n = 0;
    for (int g = 0; g < e->plan->group_count; ++g)
        for (int s = 0; s < e->kernels[g].step_count; ++s)
            FSC_TRY(find_program(e, &e->kernels[g].steps[s], &e->program_of[n++], log, why));
    return FSC_OK;
}

static fsc_dtype value_type(const fsc__plan *plan, int index)
{
    const fsc__value *value = &plan->graph->values[index];
    return value->kind == FSC__VALUE_INPUT ? fsc__graph_input_type(value, &plan->mode)
                                           : plan->mode.storage;
}

static size_t value_bytes(const fsc__plan *plan, int index)
{
    return (size_t)fsc__shape_elems(&plan->graph->values[index].shape) *
           fsc__dtype_bytes(value_type(plan, index));
}

static fsc_status make_value(fsc__executable *e, int index, fsc_error *why)
{
    if (e->values[index])
        return FSC_OK;
    const fsc_status status =
        fsc__buffer_create(e->device, value_bytes(e->plan, index), &e->values[index], why);
    if (status != FSC_OK)
        fsc__error_prefix(why, "%s: ", e->plan->graph->values[index].name);
    return status;
}

/* The largest that any group wants of a scratch buffer. */
static size_t scratch_bytes(const fsc__executable *e, int index)
{
    size_t most = 1;
    for (int g = 0; g < e->plan->group_count; ++g)
        if (index < e->kernels[g].scratch_count && e->kernels[g].scratch_bytes[index] > most)
            most = e->kernels[g].scratch_bytes[index];
    return most;
}

static const fsc__shape *tap_shape(const fsc__executable *e, int group, int tap)
{
    const fsc_graph *graph = e->plan->graph;
    return &graph->values[graph->nodes[e->kernels[group].taps[tap]].out].shape;
}

static fsc_status make_buffers(fsc__executable *e, fsc_error *why)
{
    const fsc__plan *plan = e->plan;
    for (int i = 0; i < plan->graph->input_count; ++i)
        FSC_TRY(make_value(e, i, why));
    for (int g = 0; g < plan->group_count; ++g)
        FSC_TRY(make_value(e, plan->groups[g].output, why));
    for (int i = 0; i < e->scratch_count; ++i)
        FSC_TRY(fsc__buffer_create(e->device, scratch_bytes(e, i), &e->scratch[i], why));
    for (int g = 0, n = 0; g < plan->group_count; ++g)
        for (int t = 0; t < e->kernels[g].tap_count; ++t, ++n)
            FSC_TRY(fsc__buffer_create(e->device,
                                       (size_t)fsc__shape_elems(tap_shape(e, g, t)) * sizeof(float),
                                       &e->taps[n], why));
    return FSC_OK;
}

fsc_status fsc__executable_create(fsc_device *device, const fsc__plan *plan,
                                  const fsc__emit_options *options, fsc__executable **executable,
                                  fsc__text *log, fsc_error *why)
{
    fsc_status status = FSC_OK;
    const uint64_t start = wall_ns();
    fsc__executable *e = fsc__calloc(1, sizeof *e);
    if (!e)
        return out_of_memory(why);
    e->device = device;
    e->plan = plan;
    FSC_GO(emit_groups(e, options, why));
    FSC_GO(build_programs(e, log, why));
    e->build_ns = wall_ns() - start;
    FSC_GO(make_buffers(e, why));
    *executable = e;
    return FSC_OK;
done:
    fsc__executable_free(e);
    return status;
}

static void free_buffers(fsc__buffer **buffers, int count)
{
    for (int i = 0; buffers && i < count; ++i)
        fsc__buffer_free(buffers[i]);
    fsc__free(buffers);
}

void fsc__executable_free(fsc__executable *e)
{
    if (!e)
        return;
    free_buffers(e->values, e->plan->graph->value_count);
    free_buffers(e->scratch, e->scratch_count);
    free_buffers(e->taps, e->tap_count);
    for (int i = 0; i < e->program_count; ++i)
        fsc__program_free(e->programs[i].program);
    fsc__free(e->programs);
    fsc__free(e->program_of);
    for (int g = 0; e->kernels && g < e->plan->group_count; ++g)
        fsc__kernels_deinit(&e->kernels[g]);
    fsc__free(e->kernels);
    fsc__free(e);
}

/* Checks each input against the graph and sends it to the device. */
static fsc_status upload(fsc__executable *e, const fsc_tensor in[], fsc_error *why)
{
    const fsc_graph *graph = e->plan->graph;
    for (int i = 0; i < graph->input_count; ++i) {
        const fsc__value *value = &graph->values[i];
        const fsc_dtype type = value_type(e->plan, i);
        if (in[i].type != type || !fsc__shape_equal(&in[i].shape, &value->shape)) {
            char is[128], wanted[128];
            fsc__shape_write(&in[i].shape, is, sizeof is);
            fsc__shape_write(&value->shape, wanted, sizeof wanted);
            FSC_FAIL(why, FSC_ERR_INPUT, "%s is %s %s; %s %s is wanted", value->name,
                     fsc__dtype_name(in[i].type), is, fsc__dtype_name(type), wanted);
        }
        FSC_TRY(fsc__buffer_write(e->values[i], in[i].data, value_bytes(e->plan, i), why));
    }
    return FSC_OK;
}

/* Poisons what a group writes, then launches its steps. */
static fsc_status run_group(fsc__executable *e, int group, fsc__buffer **taps,
                            const int *program_of, fsc__times *times, fsc_error *why)
{
    const fsc__kernels *kernels = &e->kernels[group];
    const fsc__bindings bindings = {.values = e->values, .scratch = e->scratch, .taps = taps};
    FSC_TRY(fsc__buffer_poison(e->values[e->plan->groups[group].output], FSC__POISON, why));
    for (int i = 0; i < kernels->scratch_count; ++i)
        FSC_TRY(fsc__buffer_poison(e->scratch[i], FSC__POISON, why));
    for (int i = 0; i < kernels->tap_count; ++i)
        FSC_TRY(fsc__buffer_poison(taps[i], FSC__POISON, why));
    for (int s = 0; s < kernels->step_count; ++s) {
        const fsc__step *step = &kernels->steps[s];
        uint64_t ns = 0;
        FSC_TRY(fsc__step_run(e->device, e->programs[program_of[s]].program, step, &bindings, &ns,
                              why));
        const bool packs = strncmp(step->name, "pack_", 5) == 0;
        *(packs ? &times->pack_ns : &times->kernel_ns) += ns;
        ++times->kernels;
    }
    return FSC_OK;
}

static fsc_status run_groups(fsc__executable *e, fsc__times *times, fsc_error *why)
{
    int step = 0, tap = 0;
    for (int g = 0; g < e->plan->group_count; ++g) {
        FSC_TRY(run_group(e, g, e->taps + tap, e->program_of + step, times, why));
        step += e->kernels[g].step_count;
        tap += e->kernels[g].tap_count;
    }
    return FSC_OK;
}

static fsc_status read_tensor(const fsc__buffer *buffer, fsc_dtype type, const fsc__shape *shape,
                              fsc_tensor *out, fsc_error *why)
{
    fsc_tensor made = {0};
    FSC_TRY(fsc__tensor_init(&made, type, shape, why));
    const fsc_status status = fsc__buffer_read(
        buffer, made.data, (size_t)fsc__shape_elems(shape) * fsc__dtype_bytes(type), why);
    if (status != FSC_OK)
        fsc__tensor_deinit(&made);
    else
        *out = made;
    return status;
}

static fsc_status read_outputs(const fsc__executable *e, fsc_tensor *out, int *made, fsc_error *why)
{
    const fsc_graph *graph = e->plan->graph;
    for (*made = 0; *made < graph->output_count; ++*made) {
        const int index = graph->outputs[*made];
        if (!e->values[index])
            FSC_FAIL(why, FSC_ERR_INTERNAL, "output %s is stored by no kernel",
                     graph->values[index].name);
        FSC_TRY(read_tensor(e->values[index], value_type(e->plan, index),
                            &graph->values[index].shape, &out[*made], why));
    }
    return FSC_OK;
}

static fsc_status read_taps(const fsc__executable *e, fsc_tensor *taps, int *made, fsc_error *why)
{
    *made = 0;
    for (int g = 0; taps && g < e->plan->group_count; ++g)
        for (int t = 0; t < e->kernels[g].tap_count; ++t, ++*made)
            FSC_TRY(read_tensor(e->taps[*made], FSC_F32, tap_shape(e, g, t), &taps[*made], why));
    return FSC_OK;
}

static void deinit_tensors(fsc_tensor *tensors, int count)
{
    for (int i = 0; i < count; ++i)
        fsc__tensor_deinit(&tensors[i]);
}

fsc_status fsc__executable_run(fsc__executable *e, const fsc_tensor in[], fsc_tensor out[],
                               fsc_tensor taps[], fsc__times *times, fsc_error *why)
{
    fsc__times spent = {.build_ns = e->build_ns, .cached = e->cached};
    int outs_made = 0, taps_made = 0;
    uint64_t start = wall_ns();
    FSC_TRY(upload(e, in, why));
    spent.transfer_ns = wall_ns() - start;
    FSC_TRY(run_groups(e, &spent, why));
    start = wall_ns();
    fsc_status status = read_outputs(e, out, &outs_made, why);
    if (status == FSC_OK)
        status = read_taps(e, taps, &taps_made, why);
    if (status != FSC_OK) {
        deinit_tensors(out, outs_made);
        deinit_tensors(taps, taps_made);
        return status;
    }
    spent.transfer_ns += wall_ns() - start;
    if (times)
        *times = spent;
    return FSC_OK;
}

int fsc__executable_tap_count(const fsc__executable *executable)
{
    return executable->tap_count;
}

const fsc__kernels *fsc__executable_kernels(const fsc__executable *executable, int group)
{
    return &executable->kernels[group];
}
