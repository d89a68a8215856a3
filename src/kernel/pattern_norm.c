/* norm: one row per work-item, in as many passes as the variance needs. */
#include "base/alloc.h"
#include "kernel/emission.h"

/* How a row is summed; a sequential sum, or a chunk's, is that of one lane. */
typedef struct row_sums {
    fsc__order order;
    int lanes, width;
} row_sums;

static int count_sums(const fsc__emission *emission, bool centred)
{
    static const int sums[] = {
        [FSC__VARIANCE_CORRECTED] = 3,
        [FSC__VARIANCE_TWO_PASS] = 2,
        [FSC__VARIANCE_ONE_PASS] = 2,
        [FSC__VARIANCE_WELFORD] = 1,
    };
    return centred ? sums[emission->plan->mode.variance] : 1;
}

/* Of one work-item: each sum and the pass that stores. */
static double iterations(const fsc__emission *emission, const row_sums *sums,
                         const fsc__norm_dims *dims)
{
    const double vectors = (double)dims->cols / sums->width + 1.0;
    const double runs =
        sums->order.kind == FSC__ORDER_CHUNK ? (double)dims->cols / sums->order.n + 1.0 : 0.0;
    const double tree = sums->lanes + 2.0 * sums->lanes / sums->width + 32.0;
    return count_sums(emission, dims->centred) * (vectors + 6.0 * runs + tree) + vectors;
}

/* Where the device limits loops, vectors are made as wide as the lanes allow: the same bits. */
static fsc_status choose_sums(const fsc__emission *emission, const fsc__norm_dims *dims,
                              row_sums *sums, fsc_error *why)
{
    const int width = emission->options->tile.width;
    sums->order = fsc__plan_order(emission->plan, emission->group);
    sums->lanes = sums->order.kind == FSC__ORDER_LANES ? sums->order.n : 1;
    sums->width = width < sums->lanes ? width : sums->lanes;
    while (!fsc__loops_fit(emission->caps, iterations(emission, sums, dims)) && sums->width < 16 &&
           sums->width < sums->lanes)
        sums->width *= 2;
    if (!fsc__loops_fit(emission->caps, iterations(emission, sums, dims)))
        return fsc__loops_refuse(emission->caps, "a norm's sum", dims->cols, why);
    return FSC_OK;
}

static void write_sums(fsc__writer *writer, const row_sums *sums, bool centred)
{
    static const char *const moments[] = {
        [FSC__VARIANCE_CORRECTED] = "corrected",
        [FSC__VARIANCE_TWO_PASS] = "two_pass",
        [FSC__VARIANCE_ONE_PASS] = "one_pass",
        [FSC__VARIANCE_WELFORD] = "welford",
    };
    const bool chunk = sums->order.kind == FSC__ORDER_CHUNK;
    fsc__writer_contraction(writer);
    fsc__text_add(&writer->constants, "#define LANES %d\n", sums->lanes);
    if (chunk)
        fsc__text_add(&writer->constants, "#define CHUNK %d\n", sums->order.n);
    const fsc__variance variance = writer->emission->plan->mode.variance;
    const bool welford = centred && variance == FSC__VARIANCE_WELFORD;
    fsc__text_add(&writer->defines, "#define MOMENTS moments_%s\n#define %s %s_%s\n",
                  centred ? moments[variance] : "about_zero", welford ? "ROW_WELFORD" : "ROW_SUM",
                  welford ? "row_welford" : "row_sum", chunk ? "chunk" : "lanes");
}

/* (x * gamma) + beta, each rounded; without beta for rmsnorm. */
static fsc_status write_affine(fsc__writer *writer, const fsc__norm_dims *dims, fsc_error *why)
{
    fsc__text *text = &writer->functions;
    fsc__text_add(
        text, "\nreal affine(real x, int r, int c, int i, int n PARAMS)\n{\n    return MUL(x, ");
    FSC_TRY(fsc__writer_load(writer, dims->gamma, text, why));
    if (dims->beta >= 0) {
        fsc__text_add(text, ") + ");
        FSC_TRY(fsc__writer_load(writer, dims->beta, text, why));
    }
    fsc__text_add(text, "%s;\n}\n", dims->beta < 0 ? ")" : "");
    return FSC_OK;
}

fsc_status fsc__emit_norm(fsc__emission *emission, fsc_error *why)
{
    fsc_status status = FSC_OK;
    const fsc_graph *graph = emission->plan->graph;
    const fsc__group *group = emission->group;
    const fsc__node *node = &graph->nodes[group->nodes[group->main]];
    const fsc__norm_dims dims = fsc__graph_norm(graph, node);
    row_sums sums;
    fsc__args fixed = {0};
    fsc__writer writer = {.emission = emission,
                          .view = fsc__view_of(&graph->values[node->in[0]].shape, dims.cols)};
    if (dims.cols > 1 << 30)
        FSC_FAIL(why, FSC_UNSUPPORTED, "rows of %lld elements; the norm sums 1073741824 at most",
                 (long long)dims.cols);
    FSC_TRY(choose_sums(emission, &dims, &sums, why));
    write_sums(&writer, &sums, dims.centred);
    fsc__writer_store(&writer);
    const fsc__function prologue = {"prologue", node->in[0], -1, 0, group->main};
    const fsc__function epilogue = {"epilogue", group->output, node->out, group->main,
                                    group->node_count};
    FSC_GO(fsc__writer_function(&writer, &prologue, why));
    FSC_GO(write_affine(&writer, &dims, why));
    FSC_GO(fsc__writer_function(&writer, &epilogue, why));

    fsc__args_buffer(&fixed, "out", FSC__ARG_VALUE, group->output);
    fsc__args_int(&fixed, "rows", dims.rows);
    fsc__args_int(&fixed, "cols", dims.cols);
    fsc__args_float(&fixed, "eps", dims.eps);
    fsc__step step = {.work = (double)dims.rows * (double)dims.cols *
                              (double)(4 * group->main + group->node_count + 4)};
    fsc__step_launch(&step, (const int64_t[3]){dims.rows, 1, 1}, (const int64_t[3]){1, 1, 1});
    FSC_GO(fsc__writer_finish(&writer, "norm", sums.width, step, &fixed, why));
done:
    fsc__args_deinit(&fixed);
    fsc__writer_deinit(&writer);
    return status;
}
