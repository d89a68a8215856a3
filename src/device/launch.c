/* Running a step: arguments, slices, time. */
#include "device/launch_private.h"

#include <assert.h>
#include <time.h>

/* No slice should take longer than display watchdogs and a person's patience allow: half a second.
   The aim is below it because rates vary. Until a rate was measured, one is assumed that the
   slowest devices reach. */
static const double SLICE_NS = 0.25e9;
static const double ASSUMED_PER_NS = 0.01;
static const uint64_t TELLING_NS = 1000000; /* in shorter slices overheads hide the rate */

static uint64_t wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static fsc_status set_argument(const fsc__program *program, cl_uint position, const fsc__arg *arg,
                               const fsc__bindings *bindings, fsc_error *why)
{
    const fsc__buffer *buffer = NULL;
    switch (arg->kind) {
    case FSC__ARG_INT:
        return CL_CALL(clSetKernelArg(program->kernel, position, sizeof(cl_int), &arg->integer),
                       why);
    case FSC__ARG_FLOAT:
        return CL_CALL(clSetKernelArg(program->kernel, position, sizeof(cl_float), &arg->number),
                       why);
    case FSC__ARG_VALUE:
        buffer = bindings->values[arg->index];
        break;
    case FSC__ARG_SCRATCH:
        buffer = bindings->scratch[arg->index];
        break;
    case FSC__ARG_TAP:
        buffer = bindings->taps[arg->index];
        break;
    }
    if (!buffer)
        FSC_FAIL(why, FSC_ERR_INTERNAL, "argument %s has no buffer", arg->name);
    return CL_CALL(
        clSetKernelArg(program->kernel, position, sizeof buffer->memory, &buffer->memory), why);
}

/* Shrinks the work-group to what this kernel can have; each size still divides its global size. */
static void clamp_local(const fsc__program *program, const fsc__step *step, size_t local[3])
{
    for (int axis = 0; axis < 3; ++axis)
        local[axis] = step->local[axis];
    while (local[0] * local[1] * local[2] > program->group) {
        int longest = 0;
        for (int axis = 1; axis < 3; ++axis)
            if (local[axis] > local[longest])
                longest = axis;
        size_t shorter = local[longest] / 2;
        while (local[longest] % shorter != 0)
            --shorter;
        local[longest] = shorter;
    }
}

/* Launches one slice and waits. */
static fsc_status run_slice(const fsc__program *program, const size_t offset[3],
                            const size_t global[3], const size_t local[3], uint64_t *ns,
                            fsc_error *why)
{
    const fsc_device *device = program->device;
    cl_event event = NULL;
    cl_ulong start = 0, end = 0;
    fsc_status status = FSC_OK;
    const uint64_t before = wall_ns();
    FSC_GO(fsc__cl_made(CL_CALL(clEnqueueNDRangeKernel(device->queue, program->kernel, 3, offset,
                                                       global, local, 0, NULL, &event),
                                why)));
    FSC_GO(CL_CALL(clFinish(device->queue), why));
    if (device->caps.timer) {
        FSC_GO(CL_CALL(
            clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL),
            why));
        FSC_GO(CL_CALL(
            clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), why));
    } else {
        start = before;
        end = wall_ns();
    }
    *ns = end - start;
done:
    fsc__cl_release_event(&event);
    return status;
}

static double rate_of(const fsc__program *program)
{
    return program->per_ns > 0 ? program->per_ns : ASSUMED_PER_NS;
}

static void learn_rate(fsc__program *program, double work, uint64_t ns)
{
    const double measured = work / ((double)ns + 1);
    if (ns >= TELLING_NS || measured > rate_of(program))
        program->per_ns = measured;
}

/* How many work-groups along the slice axis fit into one slice at the rate known so far. */
static size_t slice_groups(const fsc__program *program, double work_per_group, size_t left)
{
    const double most = rate_of(program) * SLICE_NS;
    const double fit = work_per_group > 0 ? most / work_per_group : (double)left;
    if (fit >= (double)left)
        return left;
    return fit < 1 ? 1 : (size_t)fit;
}

fsc_status fsc__step_run(fsc_device *device, fsc__program *program, const fsc__step *step,
                         const fsc__bindings *bindings, uint64_t *ns, fsc_error *why)
{
    size_t local[3];
    for (int i = 0; i < 3; ++i)
        assert(step->local[i] > 0 && step->global[i] > 0 && step->global[i] % step->local[i] == 0);
    clamp_local(program, step, local);
    for (int i = 0; i < step->arg_count; ++i)
        FSC_TRY(fsc__cl_at(set_argument(program, (cl_uint)i, &step->args[i], bindings, why), why,
                           "argument %s of %s on %s", step->args[i].name, step->name,
                           fsc__device_alias(&device->info)));
    const int axis = step->slice_axis;
    const size_t groups = step->global[axis] / local[axis];
    const double work_per_group = step->work / (double)groups;
    uint64_t total = 0;
    for (size_t done = 0; done < groups;) {
        const size_t take = slice_groups(program, work_per_group, groups - done);
        size_t offset[3] = {0, 0, 0};
        size_t global[3] = {step->global[0], step->global[1], step->global[2]};
        offset[axis] = done * local[axis];
        global[axis] = take * local[axis];
        uint64_t slice_ns = 0;
        FSC_TRY(fsc__cl_at(run_slice(program, offset, global, local, &slice_ns, why), why,
                           "%s on %s", step->name, fsc__device_alias(&device->info)));
        learn_rate(program, work_per_group * (double)take, slice_ns);
        total += slice_ns;
        done += take;
    }
    if (ns)
        *ns = total;
    return FSC_OK;
}
