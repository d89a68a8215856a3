/* What a graph says of itself: finding inputs, the views of matmul and norm, types. */
#include "graph/graph.h"

#include <string.h>

#include "base/alloc.h"

void fsc__graph_free(fsc_graph *graph)
{
    if (!graph)
        return;
    fsc__free(graph->values);
    fsc__free(graph->nodes);
    fsc__free(graph->outputs);
    fsc__free(graph->text);
    fsc__free(graph);
}

/* Product of all axes but the last `inner`. */
static int64_t outer_elems(const fsc__shape *shape, int inner)
{
    int64_t elems = 1;
    for (int axis = 0; axis < shape->rank - inner; axis++)
        elems *= shape->dims[axis];
    return elems;
}

fsc__matmul_dims fsc__graph_matmul(const fsc_graph *graph, const fsc__node *node)
{
    const fsc__shape *a = &graph->values[node->in[0]].shape;
    const fsc__shape *b = &graph->values[node->in[1]].shape;
    const bool trans_a = node->attr[0] != 0, trans_b = node->attr[1] != 0;
    const int64_t *end_a = a->dims + a->rank - 2, *end_b = b->dims + b->rank - 2;
    return (fsc__matmul_dims){
        .batch = outer_elems(a, 2),
        .m = end_a[trans_a],
        .n = end_b[!trans_b],
        .k = end_a[!trans_a],
        .trans_a = trans_a,
        .trans_b = trans_b,
        .shared_b = b->rank == 2,
    };
}

fsc__norm_dims fsc__graph_norm(const fsc_graph *graph, const fsc__node *node)
{
    const fsc__shape *shape = &graph->values[node->in[0]].shape;
    const bool centred = node->op->inputs == 3;
    return (fsc__norm_dims){
        .rows = outer_elems(shape, 1),
        .cols = shape->dims[shape->rank - 1],
        .centred = centred,
        .eps = node->attr[0],
        .gamma = node->in[1],
        .beta = centred ? node->in[2] : -1,
    };
}

int fsc__graph_input(const fsc_graph *graph, const char *name)
{
    for (int i = 0; i < graph->input_count; i++)
        if (strcmp(graph->values[i].name, name) == 0)
            return i;
    return -1;
}

fsc_dtype fsc__graph_input_type(const fsc__value *value, const fsc_mode *mode)
{
    const bool data = value->role == FSC__ROLE_DATA || value->role == FSC__ROLE_WEIGHT;
    return data ? mode->storage : mode->params;
}
