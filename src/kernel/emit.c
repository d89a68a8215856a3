/* Emission of a group: checks, then the pattern's own emitter. */
#include "kernel/emit.h"

#include <stdio.h>

#include "base/alloc.h"
#include "kernel/emission.h"

fsc__tile fsc__tile_default(const fsc__caps *caps)
{
    static const struct {
        int native_width;
        fsc__tile tile;
    } tiles[] = {
        {16, {.width = 16, .rows = 8, .vectors = 2}}, {8, {.width = 8, .rows = 6, .vectors = 2}},
        {4, {.width = 4, .rows = 4, .vectors = 2}},   {2, {.width = 2, .rows = 4, .vectors = 2}},
        {0, {.width = 1, .rows = 4, .vectors = 4}},
    };
    int row = 0;
    while (caps->native_width < tiles[row].native_width)
        row++;
    return tiles[row].tile;
}

fsc_status fsc__tile_check(const fsc__tile *tile, fsc_error *why)
{
    if (!fsc__prelude_width_valid(tile->width) || tile->rows < 1 || tile->rows > 16 ||
        tile->vectors < 1 || tile->vectors > 4)
        FSC_FAIL(why, FSC_ERR_INPUT,
                 "a tile of %d rows and %d vectors of %d: rows are 1 to 16, vectors 1 to 4, of 1, "
                 "2, 4, 8 or 16 floats",
                 tile->rows, tile->vectors, tile->width);
    return FSC_OK;
}

fsc_status fsc__tile_parse(const char *text, fsc__tile *tile, fsc_error *why)
{
    fsc__tile parsed;
    int end = 0;
    if (sscanf(text, "%2dx%1dx%2d%n", &parsed.rows, &parsed.vectors, &parsed.width, &end) != 3 ||
        text[end] != '\0')
        FSC_FAIL(why, FSC_ERR_INPUT, "\"%.32s\" is no tile; ROWSxVECTORSxWIDTH, for example 8x2x16",
                 text);
    FSC_TRY(fsc__tile_check(&parsed, why));
    *tile = parsed;
    return FSC_OK;
}

static fsc_status check_mode(const fsc_mode *mode, const fsc__caps *caps, fsc_error *why)
{
    if (caps->refused[0])
        FSC_FAIL(why, FSC_UNSUPPORTED, "%s", caps->refused);
    const bool half = mode->storage == FSC_F16 || mode->params == FSC_F16;
    if (half && !caps->converts_half)
        FSC_FAIL(why, FSC_UNSUPPORTED,
                 "f16 storage: this device does not convert between half and float exactly");
    return FSC_OK;
}

/* Element indices are 32-bit in the kernels, with room for a group of vectors past the end. */
static fsc_status check_sizes(const fsc__plan *plan, const fsc__group *group, fsc_error *why)
{
    const int64_t most = INT32_MAX - (1 << 20);
    for (int i = 0; i <= group->input_count; i++) {
        const int index = i < group->input_count ? group->inputs[i] : group->output;
        const fsc__value *value = &plan->graph->values[index];
        if (fsc__shape_elems(&value->shape) > most)
            FSC_FAIL(why, FSC_UNSUPPORTED, "%s has %lld elements; kernels index %lld at most",
                     value->name, (long long)fsc__shape_elems(&value->shape), (long long)most);
    }
    return FSC_OK;
}

fsc_status fsc__emit(const fsc__plan *plan, const fsc__group *group, const fsc__caps *caps,
                     const fsc__emit_options *options, fsc__kernels *kernels, fsc_error *why)
{
    static fsc__emit_pattern *const patterns[FSC__PATTERN_COUNT] = {
        [FSC__PATTERN_MAP] = fsc__emit_map,
        [FSC__PATTERN_MATMUL] = fsc__emit_matmul,
        [FSC__PATTERN_NORM] = fsc__emit_norm,
    };
    fsc__kernels made = {0};
    fsc__emission emission = {plan, group, caps, options, &made};
    if (!patterns[group->pattern])
        FSC_FAIL(why, FSC_UNSUPPORTED, "%s has no kernel yet",
                 fsc__pattern_at(group->pattern)->name);
    FSC_TRY(fsc__tile_check(&options->tile, why));
    FSC_TRY(check_mode(&plan->mode, caps, why));
    FSC_TRY(check_sizes(plan, group, why));
    const fsc_status status = patterns[group->pattern](&emission, why);
    if (status == FSC_OK)
        *kernels = made;
    else
        fsc__kernels_deinit(&made);
    return status;
}

void fsc__kernels_deinit(fsc__kernels *kernels)
{
    for (int i = 0; i < kernels->step_count; i++) {
        fsc__free(kernels->steps[i].text);
        fsc__free(kernels->steps[i].args);
    }
    fsc__free(kernels->steps);
    fsc__free(kernels->scratch_bytes);
    fsc__free(kernels->taps);
    *kernels = (fsc__kernels){0};
}
