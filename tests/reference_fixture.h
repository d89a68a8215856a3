/* A graph, a mode, its fused and unfused plan and made inputs, for tests of prediction and truth.
 */
#ifndef FSC_TESTS_REFERENCE_FIXTURE_H
#define FSC_TESTS_REFERENCE_FIXTURE_H

#include "harness.h"

#include <math.h>
#include <string.h>

#include "reference/predict.h"
#include "reference/truth.h"

enum { MOST_INPUTS = 32 };

typedef struct setup {
    fsc_graph *graph;
    fsc_mode mode;
    fsc__plan *fused, *unfused;
    fsc_tensor in[MOST_INPUTS]; /* in the types of the mode */
    fsc_error why;
} setup;

static inline void setup_mode(setup *s, const char *mode)
{
    ck_status_ok(fsc__mode_parse(mode, &s->mode, &s->why), &s->why);
    const fsc__plan_options fused = {0}, unfused = {.unfused = true};
    fsc__plan_free(s->fused);
    fsc__plan_free(s->unfused);
    s->fused = s->unfused = NULL;
    ck_status_ok(fsc__plan_create(s->graph, &s->mode, &fused, &s->fused, &s->why), &s->why);
    ck_status_ok(fsc__plan_create(s->graph, &s->mode, &unfused, &s->unfused, &s->why), &s->why);
}

/* Inputs of zeros. */
static inline void setup_init(setup *s, const char *chain, const char *shape, const char *mode)
{
    memset(s, 0, sizeof *s);
    ck_status_ok(fsc__graph_parse(chain, shape, &s->graph, &s->why), &s->why);
    setup_mode(s, mode);
    ck_assert_int_le(s->graph->input_count, MOST_INPUTS);
    for (int i = 0; i < s->graph->input_count; i++) {
        const fsc__value *value = &s->graph->values[i];
        ck_status_ok(fsc__tensor_init(&s->in[i], fsc__graph_input_type(value, &s->mode),
                                      &value->shape, &s->why),
                     &s->why);
    }
}

static inline void setup_fill(setup *s, const char *family, uint64_t seed)
{
    fsc__fill_request request = {.seed = seed, .storage = s->mode.storage};
    ck_status_ok(fsc__input_parse(family, &request.input, &s->why), &s->why);
    for (int i = 0; i < s->graph->input_count; i++) {
        const fsc__value *value = &s->graph->values[i];
        request.name = value->name;
        request.role = value->role;
        request.type = s->in[i].type;
        request.fan_in = value->fan_in;
        request.elems = fsc__shape_elems(&value->shape);
        fsc__fill(&request, s->in[i].data);
    }
}

static inline fsc_tensor *setup_input(setup *s, const char *name)
{
    const int index = fsc__graph_input(s->graph, name);
    ck_assert_msg(index >= 0, "no input %s", name);
    return &s->in[index];
}

/* Element i becomes values[i % count]. */
static inline void setup_set(setup *s, const char *name, const double *values, int count)
{
    fsc_tensor *tensor = setup_input(s, name);
    for (int64_t i = 0; i < fsc__shape_elems(&tensor->shape); i++)
        fsc__dtype_store(tensor->type, tensor->data, i, values[i % count]);
}

static inline void setup_all(setup *s, const char *name, double value)
{
    setup_set(s, name, &value, 1);
}

/* The first output, freed by the caller. */
static inline fsc_tensor setup_predict(setup *s, const fsc__plan *plan)
{
    fsc_tensor out[4];
    ck_assert_int_eq(s->graph->output_count, 1);
    ck_status_ok(fsc__predict(plan, FSC__FMA_EXACT, s->in, out, NULL, &s->why), &s->why);
    return out[0];
}

/* *bound may be NULL. */
static inline fsc_tensor setup_truth(setup *s, fsc_tensor *bound)
{
    fsc_tensor out[4];
    ck_assert_int_eq(s->graph->output_count, 1);
    ck_status_ok(fsc__truth(s->graph, &s->mode, s->in, out, bound, &s->why), &s->why);
    return out[0];
}

static inline double element(const fsc_tensor *tensor, int64_t index)
{
    return fsc__dtype_load(tensor->type, tensor->data, index);
}

/* Element `index` of the fused prediction. */
static inline double setup_element(setup *s, int64_t index)
{
    fsc_tensor out = setup_predict(s, s->fused);
    const double value = element(&out, index);
    fsc__tensor_deinit(&out);
    return value;
}

/* Asserts that two tensors have the same bits, any two NaN being equal. */
static inline void ck_same_bits(const fsc_tensor *got, const fsc_tensor *want, const char *what)
{
    ck_assert_int_eq(got->type, want->type);
    ck_assert(fsc__shape_equal(&got->shape, &want->shape));
    const size_t bytes = fsc__dtype_bytes(got->type);
    const char *left = got->data, *right = want->data;
    for (int64_t i = 0; i < fsc__shape_elems(&got->shape); i++) {
        const double g = element(got, i), w = element(want, i);
        if (isnan(g) && isnan(w))
            continue;
        if (memcmp(left + (size_t)i * bytes, right + (size_t)i * bytes, bytes) != 0)
            ck_abort_msg("%s: element %lld is %a, not %a", what, (long long)i, g, w);
    }
}

static inline void setup_deinit(setup *s)
{
    for (int i = 0; i < s->graph->input_count; i++)
        fsc__tensor_deinit(&s->in[i]);
    fsc__plan_free(s->fused);
    fsc__plan_free(s->unfused);
    fsc__graph_free(s->graph);
}

#endif
