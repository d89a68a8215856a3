/* A case read from its JSON: everything that needs no device, parsed and checked once. */
#ifndef FSC_CASE_SPEC_H
#define FSC_CASE_SPEC_H

#include "base/json.h"
#include "case/limit.h"
#include "fusion/plan.h"
#include "kernel/emit.h"

/* Seeds that a JSON number holds exactly. */
#define FSC__SEED_MAX ((int64_t)1 << 53)

typedef struct fsc__spec {
    fsc_graph *graph;
    fsc_mode fused, unfused;
    fsc__input input;
    uint64_t seed;
    const char **off; /* rules switched off; texts borrowed from the JSON */
    int off_count;
    const char **files;   /* per graph input: its .npy file or NULL; borrowed */
    const char *save;     /* borrowed, or NULL */
    fsc__tile tile;       /* width 0: the device's default */
    int64_t max_elements; /* INT64_MAX: no limit */
    fsc__limit limit;
} fsc__spec;

/* json is borrowed until deinit. Errors carry `name: /pointer: ...`. */
fsc_status fsc__spec_parse(const char *name, const cJSON *json, fsc__spec *spec, fsc_error *why);
void fsc__spec_deinit(fsc__spec *spec); /* accepts a zeroed one */

/* The plan of one side. max_inputs as in fsc__plan_options. */
fsc_status fsc__spec_plan(const fsc__spec *spec, bool unfused, int max_inputs, fsc__plan **plan,
                          fsc_error *why);

/* The graph of a chain on a shape, each at its place in a document. */
fsc_status fsc__spec_graph(const fsc__json *graph_at, const fsc__json *shape_at, fsc_graph **graph,
                           fsc_error *why);

/* Each of the rules in the array `at` exists. */
fsc_status fsc__spec_check_rules(const fsc__json *at, fsc_error *why);

/* Each key of the object `at` is an input of the graph and each value a text. */
fsc_status fsc__spec_check_tensors(const fsc__json *at, const fsc_graph *graph, fsc_error *why);

/* The tensor for one input of the graph as a mode stores it: from file (may be NULL), rounded once,
   else filled. */
fsc_status fsc__spec_tensor(const fsc__spec *spec, int input, const fsc_mode *mode,
                            fsc_tensor *tensor, fsc_error *why);

/* Reads file and checks that it has the shape of the graph's input. */
fsc_status fsc__spec_read(const fsc_graph *graph, int input, const char *file, fsc_tensor *tensor,
                          fsc_error *why);

#endif
