/* A chain planned as one group and emitted for a made device. */
#ifndef FSC_TESTS_EMIT_FIXTURE_H
#define FSC_TESTS_EMIT_FIXTURE_H

#include "harness.h"

#include <string.h>

#include "kernel/emit.h"

typedef struct emitted {
    fsc_graph *graph;
    fsc_mode mode;
    fsc__plan *plan;
    fsc__caps caps;
    fsc__emit_options options;
    fsc__kernels kernels; /* of the first group */
    fsc_error why;
} emitted;

/* A faultless CPU with vectors of 8 and a tile of 3 rows by 2 vectors of 8. */
static inline void emitted_open(emitted *e, const char *chain, const char *shape, const char *mode)
{
    const fsc__plan_options options = {0};
    memset(e, 0, sizeof *e);
    e->caps = (fsc__caps){.keeps_subnormals = true,
                          .converts_half = true,
                          .native_width = 8,
                          .kernel_group = 64,
                          .buffer_bytes = (uint64_t)1 << 32,
                          .max_arguments = 64};
    e->options.tile = (fsc__tile){8, 3, 2};
    ck_status_ok(fsc__graph_parse(chain, shape, &e->graph, &e->why), &e->why);
    ck_status_ok(fsc__mode_parse(mode, &e->mode, &e->why), &e->why);
    ck_status_ok(fsc__plan_create(e->graph, &e->mode, &options, &e->plan, &e->why), &e->why);
    ck_assert_int_eq(e->plan->group_count, 1);
}

static inline fsc_status emitted_emit(emitted *e)
{
    fsc__kernels_deinit(&e->kernels);
    return fsc__emit(e->plan, &e->plan->groups[0], &e->caps, &e->options, &e->kernels, &e->why);
}

static inline void emitted_make(emitted *e, const char *chain, const char *shape, const char *mode)
{
    emitted_open(e, chain, shape, mode);
    ck_status_ok(emitted_emit(e), &e->why);
}

static inline const fsc__step *emitted_last(const emitted *e)
{
    return &e->kernels.steps[e->kernels.step_count - 1];
}

static inline void emitted_close(emitted *e)
{
    fsc__kernels_deinit(&e->kernels);
    fsc__plan_free(e->plan);
    fsc__graph_free(e->graph);
}

#endif
