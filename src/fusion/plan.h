/* A plan: a graph cut into groups, one kernel (with its packing) each, and why. */
#ifndef FSC_FUSION_PLAN_H
#define FSC_FUSION_PLAN_H

#include "base/text.h"
#include "fusion/pattern.h"

/* Nodes run in this order: nodes[0 .. main) is the prologue, nodes[main] the matmul or norm,
   the rest the epilogue. In a map main is -1 and all nodes are the chain. The prologue of a matmul
   works on its A. */
typedef struct fsc__group {
    fsc__pattern_id pattern;
    int *nodes; /* graph node indices */
    int node_count;
    int main;
    int *inputs; /* value indices read from memory, each once, in order of first use */
    int input_count;
    int output; /* value index stored */
} fsc__group;

/* One rule at one place: whether it fired and why, in words for the user. */
typedef struct fsc__decision {
    const char *rule;
    int before, after; /* node indices of the boundary it would remove */
    bool fired;
    char reason[160];
} fsc__decision;

typedef struct fsc__plan {
    const fsc_graph *graph; /* borrowed */
    fsc_mode mode;          /* order may be DEFAULT: see fsc__plan_order */
    fsc__group *groups;     /* in execution order */
    int group_count;
    fsc__decision *decisions;
    int decision_count;
} fsc__plan;

typedef struct fsc__plan_options {
    bool unfused;           /* one op per group, every intermediate stored */
    const char *const *off; /* names of rules switched off; unknown names are refused */
    int off_count;
    int max_inputs; /* buffers a kernel may read; 0: no limit */
} fsc__plan_options;

/* Refuses a mode field that was named and means nothing to any op of the graph. graph must outlive
   the plan. */
fsc_status fsc__plan_create(const fsc_graph *graph, const fsc_mode *mode,
                            const fsc__plan_options *options, fsc__plan **plan, fsc_error *why);
void fsc__plan_free(fsc__plan *plan);

/* The order of the sums of a group: the mode's, or the pattern's default. */
fsc__order fsc__plan_order(const fsc__plan *plan, const fsc__group *group);

/* Whether the value behind a node of the group is rounded to storage inside the kernel: the mode
   says round and the node is not the group's last (whose store rounds). */
bool fsc__plan_rounds(const fsc__plan *plan, const fsc__group *group, int position);

/* "[matmul bias gelu] [layernorm]" */
void fsc__plan_write(const fsc__plan *plan, fsc__text *text);

#endif
