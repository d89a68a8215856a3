/* Runs one case of verify: both tiles, twice each, rows alone, against one prediction and the
   truth. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "case/verify.h"
#include "engine/executor.h"
#include "numeric/ulp.h"
#include "reference/predict.h"
#include "reference/truth.h"

/* Everything about a case that does not depend on the device's answer. */
typedef struct made_case {
    const fsc__verify_case *made;
    fsc_device *device;
    fsc_graph *graph;
    fsc__plan *plan;
    fsc_mode mode;
    fsc_tensor *in;
    fsc_tensor predicted, truth, bound;
    fsc__text *report;
    int64_t differ;
    unsigned char *seen; /* outputs already counted as differing */
} made_case;

static void free_inputs(fsc_tensor *in, const fsc_graph *graph)
{
    for (int i = 0; in && i < graph->input_count; i++)
        fsc__tensor_deinit(&in[i]);
    fsc__free(in);
}

static fsc_status fill_inputs(const fsc__verify_case *made, const fsc_graph *graph,
                              const fsc_mode *mode, fsc_tensor *in, fsc_error *why)
{
    for (int i = 0; i < graph->input_count; i++) {
        const fsc__value *value = &graph->values[i];
        const fsc_dtype type = fsc__graph_input_type(value, mode);
        FSC_TRY(fsc__tensor_init(&in[i], type, &value->shape, why));
        const fsc__fill_request request = {.input = {.family = made->family},
                                           .seed = made->seed,
                                           .name = value->name,
                                           .role = value->role,
                                           .type = type,
                                           .storage = mode->storage,
                                           .fan_in = value->fan_in,
                                           .elems = fsc__shape_elems(&value->shape)};
        fsc__fill(&request, in[i].data);
    }
    return FSC_OK;
}

/* "1.5 (0x3fc00000)": the code tells NaNs and zeros apart. */
static void add_code(fsc__text *report, fsc_dtype type, const void *data, int64_t index)
{
    uint32_t code = 0;
    const size_t bytes = fsc__dtype_bytes(type);
    memcpy(&code, (const unsigned char *)data + (size_t)index * bytes, bytes);
    fsc__text_add(report, "%.9g (0x%0*" PRIx32 ")", fsc__dtype_load(type, data, index),
                  (int)(2 * bytes), code);
}

static void describe(const made_case *c, const char *what, const fsc__tile *tile, int64_t index,
                     const void *got, fsc__text *report)
{
    const fsc_dtype type = c->predicted.type;
    const int64_t cols =
        c->predicted.shape.rank ? c->predicted.shape.dims[c->predicted.shape.rank - 1] : 1;
    fsc__text_add(report, "%s: output [%" PRId64 ",%" PRId64 "] is ", what, index / cols,
                  index % cols);
    add_code(report, type, got, index);
    fsc__text_add(report, ", predicted ");
    add_code(report, type, c->predicted.data, index);
    fsc__text_add(report, ", true %.17g\n", fsc__dtype_load(FSC_F64, c->truth.data, index));
    const fsc__device_info *info = fsc__device_about(c->device);
    fsc__text_add(report,
                  "repro: fusescope case '%s' --shape %s --mode %s --input %s --seed %" PRIu64
                  " --tile %dx%dx%d --device %d.%d\n",
                  c->made->chain, c->made->shape, c->made->mode, fsc__family_name(c->made->family),
                  c->made->seed, tile->rows, tile->vectors, tile->width, info->platform,
                  info->device);
}

/* Counts the outputs of got that are not the predicted codes. Both sides store one canonical NaN,
   so codes are compared, and a poison that was never overwritten shows too. map (may be NULL) gives
   the place in the whole output of element 0. */
static void check(made_case *c, const char *what, const fsc__tile *tile, const fsc_tensor *got,
                  int64_t first)
{
    const size_t bytes = fsc__dtype_bytes(got->type);
    const int64_t elems = fsc__shape_elems(&got->shape);
    const unsigned char *want = (const unsigned char *)c->predicted.data + (size_t)first * bytes;
    if (memcmp(got->data, want, (size_t)elems * bytes) == 0)
        return;
    int64_t here = 0;
    for (int64_t i = 0; i < elems; i++) {
        const size_t at = (size_t)i * bytes;
        if (memcmp((const unsigned char *)got->data + at, want + at, bytes) == 0)
            continue;
        if (here++ == 0 && c->report)
            describe(c, what, tile, first + i,
                     (const unsigned char *)got->data - (size_t)first * bytes, c->report);
        if (!c->seen[first + i])
            c->differ++;
        c->seen[first + i] = 1;
    }
}

static fsc_status run_tile(made_case *c, const fsc__tile *tile, fsc_error *why)
{
    fsc_status status = FSC_OK;
    fsc__executable *executable = NULL;
    const fsc__emit_options options = {.tile = *tile};
    FSC_GO(fsc__executable_create(c->device, c->plan, &options, &executable, NULL, why));
    for (int run = 0; run < 2; run++) {
        fsc_tensor out = {0};
        FSC_GO(fsc__executable_run(executable, c->in, &out, NULL, NULL, why));
        check(c, run ? "second run" : "first run", tile, &out, 0);
        fsc__tensor_deinit(&out);
    }
done:
    fsc__executable_free(executable);
    return status;
}

/* The part of a batch that belongs to one row: the axis on which the shapes differ is cut. */
static fsc_status cut_row(const fsc_tensor *whole, const fsc__shape *shape, int64_t row,
                          fsc_tensor *part, fsc_error *why)
{
    FSC_TRY(fsc__tensor_init(part, whole->type, shape, why));
    int axis = -1;
    for (int i = 0; i < shape->rank; i++)
        if (shape->dims[i] != whole->shape.dims[i])
            axis = i;
    const size_t bytes = fsc__dtype_bytes(whole->type);
    int64_t outer = 1, inner = 1;
    for (int i = 0; i < shape->rank; i++) {
        if (i < axis)
            outer *= shape->dims[i];
        if (i > axis)
            inner *= shape->dims[i];
    }
    const int64_t length = axis < 0 ? 1 : whole->shape.dims[axis];
    const int64_t start = axis < 0 ? 0 : row;
    for (int64_t o = 0; o < outer; o++)
        memcpy((unsigned char *)part->data + (size_t)(o * inner) * bytes,
               (const unsigned char *)whole->data + (size_t)((o * length + start) * inner) * bytes,
               (size_t)inner * bytes);
    return FSC_OK;
}

/* The shape text with its row count, the one number 37, replaced by 1. */
static void one_row_shape(const char *shape, char *text, size_t bytes)
{
    const char *rows = strstr(shape, "37");
    snprintf(text, bytes, "%.*s1%s", (int)(rows - shape), shape, rows + 2);
}

static fsc_status run_row(made_case *c, const fsc_graph *graph, fsc__executable *executable,
                          int64_t row, fsc_error *why)
{
    fsc_status status = FSC_OK;
    fsc_tensor out = {0};
    fsc_tensor *in = fsc__calloc((size_t)graph->input_count, sizeof *in);
    if (!in)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory");
    for (int i = 0; i < graph->input_count; i++)
        FSC_GO(cut_row(&c->in[i], &graph->values[i].shape, row, &in[i], why));
    FSC_GO(fsc__executable_run(executable, in, &out, NULL, NULL, why));
    check(c, "row alone", &c->made->tiles[0], &out, row * fsc__shape_elems(&out.shape));
done:
    fsc__tensor_deinit(&out);
    free_inputs(in, graph);
    return status;
}

static fsc_status run_rows_alone(made_case *c, fsc_error *why)
{
    fsc_status status = FSC_OK;
    fsc_graph *graph = NULL;
    fsc__plan *plan = NULL;
    fsc__executable *executable = NULL;
    char shape[sizeof c->made->shape];
    one_row_shape(c->made->shape, shape, sizeof shape);
    const fsc__plan_options plan_options = {0};
    const fsc__emit_options options = {.tile = c->made->tiles[0]};
    FSC_GO(fsc__graph_parse(c->made->chain, shape, &graph, why));
    FSC_GO(fsc__plan_create(graph, &c->mode, &plan_options, &plan, why));
    FSC_GO(fsc__executable_create(c->device, plan, &options, &executable, NULL, why));
    const int64_t rows = fsc__shape_elems(&c->predicted.shape) /
                         fsc__shape_elems(&graph->values[graph->outputs[0]].shape);
    for (int64_t row = 0; row < rows; row++)
        FSC_GO(run_row(c, graph, executable, row, why));
done:
    fsc__executable_free(executable);
    fsc__plan_free(plan);
    fsc__graph_free(graph);
    return status;
}

/* The prediction itself must lie near the truth: 4 spacings of the storage type at the largest
   output beyond the certain bound of correct arithmetic. */
static int64_t count_beyond(const made_case *c)
{
    const int64_t elems = fsc__shape_elems(&c->truth.shape);
    const double *truth = c->truth.data, *bound = c->bound.data;
    double largest = 0;
    for (int64_t i = 0; i < elems; i++)
        if (isfinite(truth[i]) && fabs(truth[i]) > largest)
            largest = fabs(truth[i]);
    const double slack = 4 * fsc__ulp_spacing(c->mode.storage, largest);
    int64_t beyond = 0;
    for (int64_t i = 0; i < elems; i++) {
        if (!isfinite(bound[i]) || !isfinite(truth[i]))
            continue;
        const double got = fsc__dtype_load(c->predicted.type, c->predicted.data, i);
        if (fabs(got - truth[i]) <= bound[i] + slack)
            continue;
        if (beyond++ == 0 && c->report)
            describe(c, "too far from the truth", &c->made->tiles[0], i, c->predicted.data,
                     c->report);
    }
    return beyond;
}

static fsc_status prepare(made_case *c, int64_t *flushed, fsc_error *why)
{
    const fsc__verify_case *made = c->made;
    const fsc__plan_options options = {0};
    FSC_TRY(fsc__graph_parse(made->chain, made->shape, &c->graph, why));
    FSC_TRY(fsc__mode_parse(made->mode, &c->mode, why));
    FSC_TRY(fsc__plan_create(c->graph, &c->mode, &options, &c->plan, why));
    c->in = fsc__calloc((size_t)c->graph->input_count, sizeof *c->in);
    if (!c->in)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory");
    FSC_TRY(fill_inputs(made, c->graph, &c->mode, c->in, why));
    const fsc__fma fma = fsc__device_caps(c->device)->fma;
    FSC_TRY(fsc__predict(c->plan, fma, c->in, &c->predicted, flushed, why));
    FSC_TRY(fsc__truth(c->graph, &c->mode, c->in, &c->truth, &c->bound, why));
    c->seen = fsc__calloc((size_t)fsc__shape_elems(&c->predicted.shape), 1);
    if (!c->seen)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory");
    return FSC_OK;
}

fsc_status fsc__verify_run(fsc_device *device, const fsc__verify_case *made,
                           fsc__verify_totals *totals, fsc__text *report, fsc_error *why)
{
    fsc_status status = FSC_OK;
    made_case c = {.made = made, .device = device, .report = report};
    int64_t flushed = 0;
    FSC_GO(prepare(&c, &flushed, why));
    for (int t = 0; t < 2; t++)
        FSC_GO(run_tile(&c, &made->tiles[t], why));
    if (made->alone)
        FSC_GO(run_rows_alone(&c, why));
    const int64_t outputs = fsc__shape_elems(&c.predicted.shape);
    totals->cases++;
    totals->outputs += outputs;
    totals->differ += c.differ;
    totals->flushed += flushed;
    totals->beyond += count_beyond(&c);
    if (outputs > totals->largest_case)
        totals->largest_case = outputs;
done:
    if (status != FSC_OK)
        fsc__error_prefix(why, "%s %s %s %s: ", made->chain, made->shape, made->mode,
                          fsc__family_name(made->family));
    fsc__free(c.seen);
    fsc__tensor_deinit(&c.bound);
    fsc__tensor_deinit(&c.truth);
    fsc__tensor_deinit(&c.predicted);
    free_inputs(c.in, c.graph);
    fsc__plan_free(c.plan);
    fsc__graph_free(c.graph);
    return status;
}
