/* Growing lists of arguments, steps, scratch buffers and taps. */
#include "kernel/args.h"

#include <stdio.h>

#include "base/alloc.h"

static void add(fsc__args *args, const char *name, fsc__arg arg)
{
    if (args->count == args->capacity && !args->failed) {
        const int capacity = 2 * args->capacity + 8;
        fsc__arg *at = fsc__realloc(args->at, (size_t)capacity, sizeof *at);
        args->failed = !at;
        args->at = at ? at : args->at;
        args->capacity = at ? capacity : args->capacity;
    }
    if (args->failed)
        return;
    snprintf(arg.name, sizeof arg.name, "%s", name);
    args->at[args->count++] = arg;
}

void fsc__args_buffer(fsc__args *args, const char *name, fsc__arg_kind kind, int index)
{
    add(args, name, (fsc__arg){.kind = kind, .index = index});
}

void fsc__args_int(fsc__args *args, const char *name, int64_t value)
{
    add(args, name, (fsc__arg){.kind = FSC__ARG_INT, .integer = (int32_t)value});
}

void fsc__args_float(fsc__args *args, const char *name, float value)
{
    add(args, name, (fsc__arg){.kind = FSC__ARG_FLOAT, .number = value});
}

void fsc__args_append(fsc__args *args, const fsc__args *more)
{
    for (int i = 0; i < more->count; i++)
        add(args, more->at[i].name, more->at[i]);
    args->failed |= more->failed;
}

void fsc__args_deinit(fsc__args *args)
{
    fsc__free(args->at);
    *args = (fsc__args){0};
}

fsc_status fsc__kernels_add_step(fsc__kernels *kernels, const fsc__step *step, fsc_error *why)
{
    fsc__step *steps = fsc__realloc(kernels->steps, (size_t)kernels->step_count + 1, sizeof *steps);
    if (!steps)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory for the steps of a kernel");
    kernels->steps = steps;
    steps[kernels->step_count++] = *step;
    return FSC_OK;
}

fsc_status fsc__kernels_add_scratch(fsc__kernels *kernels, int64_t elems, int *index,
                                    fsc_error *why)
{
    size_t *bytes =
        fsc__realloc(kernels->scratch_bytes, (size_t)kernels->scratch_count + 1, sizeof *bytes);
    if (!bytes)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory for the buffers of a kernel");
    kernels->scratch_bytes = bytes;
    bytes[kernels->scratch_count] = (size_t)elems * sizeof(float);
    *index = kernels->scratch_count++;
    return FSC_OK;
}

fsc_status fsc__kernels_add_tap(fsc__kernels *kernels, int node, int *index, fsc_error *why)
{
    int *taps = fsc__realloc(kernels->taps, (size_t)kernels->tap_count + 1, sizeof *taps);
    if (!taps)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory for the taps of a kernel");
    kernels->taps = taps;
    taps[kernels->tap_count] = node;
    *index = kernels->tap_count++;
    return FSC_OK;
}
