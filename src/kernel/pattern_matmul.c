/* matmul: both operands are packed into panels, then each work-item makes a register tile. */
#include "base/alloc.h"
#include "kernel/emission.h"

/* One operand on its way into panels. */
typedef struct operand {
    const char *role; /* in messages */
    int value;
    int64_t batch, members, k; /* members: rows of A, columns of B */
    bool k_along_cols;         /* stored [batch][members][k], else [batch][k][members] */
    int panel;                 /* members of a panel: MR or NR */
    int scratch;
} operand;

static int64_t panels_of(const operand *o)
{
    return (o->members + o->panel - 1) / o->panel;
}

/* Element indices are ints in the kernels, with room for one vector and one group past the end. */
static fsc_status check_size(const operand *o, const fsc__caps *caps, fsc_error *why)
{
    const double elems = (double)o->batch * (double)panels_of(o) * (double)o->panel * (double)o->k;
    if (elems > (double)(1 << 30) || elems * sizeof(float) > (double)caps->buffer_bytes)
        FSC_FAIL(why, FSC_UNSUPPORTED,
                 "%s of the matmul takes %.0f elements when packed in panels of %d; this device "
                 "allows %.0f and this version 1073741824",
                 o->role, elems, o->panel, (double)caps->buffer_bytes / sizeof(float));
    return FSC_OK;
}

/* The widest vector that divides the panel. */
static int pack_width(const operand *o, int width)
{
    while (!o->k_along_cols && o->panel % width != 0)
        width /= 2;
    return width;
}

static void pack_launch(const operand *o, const fsc__emission *emission, int width, fsc__step *step)
{
    const int64_t items = o->k_along_cols ? o->k : panels_of(o) * o->panel;
    const int64_t vectors = (items + width - 1) / width;
    step->work = (double)o->batch * (double)panels_of(o) * o->panel * (double)o->k *
                 (1.0 + emission->group->main);
    fsc__step_launch_vectors(step, emission->caps, vectors, o->k_along_cols ? panels_of(o) : o->k,
                             o->batch);
}

static fsc_status emit_pack(fsc__emission *emission, operand *o, fsc_error *why)
{
    fsc_status status = FSC_OK;
    const fsc__shape *shape = &emission->plan->graph->values[o->value].shape;
    const int width = pack_width(o, emission->options->tile.width);
    const int64_t rows = o->k_along_cols ? o->members : o->k;
    const int64_t cols = o->k_along_cols ? o->k : o->members;
    fsc__args fixed = {0};
    fsc__step step = {0};
    fsc__writer writer = {.emission = emission, .view = fsc__view_of(shape, cols)};
    FSC_TRY(check_size(o, emission->caps, why));
    FSC_TRY(fsc__kernels_add_scratch(emission->kernels, o->batch * panels_of(o) * o->panel * o->k,
                                     &o->scratch, why));
    const fsc__function prologue = {"prologue", o->value, -1, 0, emission->group->main};
    FSC_GO(fsc__writer_function(&writer, &prologue, why));
    fsc__text_add(&writer.constants, "#define PANEL %d\n", o->panel);
    fsc__text_add(&writer.defines, "#define PACK %s\n",
                  o->k_along_cols ? "pack_rows" : "pack_cols");

    fsc__args_buffer(&fixed, "packed", FSC__ARG_SCRATCH, o->scratch);
    fsc__args_int(&fixed, "rows", rows);
    fsc__args_int(&fixed, "cols", cols);
    fsc__args_int(&fixed, "panels", panels_of(o));
    pack_launch(o, emission, width, &step);
    FSC_GO(fsc__writer_finish(&writer, "pack_panel", width, step, &fixed, why));
done:
    fsc__args_deinit(&fixed);
    fsc__writer_deinit(&writer);
    return status;
}

static int log2_of(int n)
{
    int log = 0;
    while (n >> log > 1)
        log++;
    return log;
}

/* How the tiles are made. */
typedef struct schedule {
    fsc__tile tile;
    bool narrow; /* one vector, eight products in an iteration */
} schedule;

/* Loop iterations of one work-item where no loop over a tile is unrolled. */
static double iterations(fsc__order order, int64_t k, const schedule *how)
{
    const double row = how->tile.vectors + 1.0;
    const double tile = how->tile.rows * (row + 1.0) + 1.0;
    const double product = how->narrow ? 0.125 : 1.0 + row + tile;
    const double rest = how->narrow ? 8.0 : 1.0;
    double runs = 1.0, run = tile + rest;
    if (order.kind == FSC__ORDER_CHUNK) {
        runs = (double)k / order.n + 1.0;
        run = 2.0 * tile + rest + 1.0;
    } else if (order.kind == FSC__ORDER_LANES) {
        runs = order.n;
        run = 3.0 * tile + rest + 2.0 * log2_of(order.n) + 3.0;
    }
    return runs * run + (double)k * product;
}

/* Where the device limits loops and K is long, a narrow tile: the same bits. */
static fsc_status choose_schedule(const fsc__emission *emission, int64_t k, schedule *how,
                                  fsc_error *why)
{
    const fsc__order order = fsc__plan_order(emission->plan, emission->group);
    const fsc__tile *tile = &emission->options->tile;
    *how = (schedule){*tile, false};
    if (fsc__loops_fit(emission->caps, iterations(order, k, how)))
        return FSC_OK;
    *how = (schedule){{.width = tile->width, .rows = 1, .vectors = 1}, true};
    if (!fsc__loops_fit(emission->caps, iterations(order, k, how)))
        return fsc__loops_refuse(emission->caps, "a matmul's sum", k, why);
    return FSC_OK;
}

static void write_order(fsc__writer *writer, bool narrow)
{
    const fsc__order order = fsc__plan_order(writer->emission->plan, writer->emission->group);
    const char *sum = "sum_sequential";
    fsc__writer_contraction(writer);
    if (order.kind == FSC__ORDER_CHUNK) {
        fsc__text_add(&writer->constants, "#define CHUNK %d\n", order.n);
        sum = "sum_chunk";
    } else if (order.kind == FSC__ORDER_LANES && order.n > 1) {
        fsc__text_add(&writer->constants, "#define LANES %d\n#define LEVELS %d\n", order.n,
                      log2_of(order.n));
        sum = "sum_lanes";
    }
    fsc__text_add(&writer->constants, "#define TILE_RUN %s\n",
                  narrow ? "tile_run_narrow" : "tile_run");
    fsc__text_add(&writer->defines, "#define SUM %s\n", sum);
}

static fsc_status emit_tiles(fsc__emission *emission, const fsc__matmul_dims *dims,
                             const schedule *how, const operand *a, const operand *b,
                             fsc_error *why)
{
    fsc_status status = FSC_OK;
    const fsc_graph *graph = emission->plan->graph;
    const fsc__group *group = emission->group;
    const fsc__tile *tile = &how->tile;
    const int made = graph->nodes[group->nodes[group->main]].out;
    fsc__args fixed = {0};
    fsc__step step = {.work = (double)dims->batch * (double)dims->m * (double)dims->n *
                              (double)dims->k};
    fsc__writer writer = {.emission = emission,
                          .view = fsc__view_of(&graph->values[made].shape, dims->n)};
    fsc__text_add(&writer.constants, "#define MR %d\n#define NV %d\n#define NR %d\n", a->panel,
                  tile->vectors, b->panel);
    write_order(&writer, how->narrow);
    fsc__writer_store(&writer);
    const fsc__function epilogue = {"epilogue", group->output, made, group->main,
                                    group->node_count};
    FSC_GO(fsc__writer_function(&writer, &epilogue, why));

    fsc__args_buffer(&fixed, "out", FSC__ARG_VALUE, group->output);
    fsc__args_buffer(&fixed, "a", FSC__ARG_SCRATCH, a->scratch);
    fsc__args_buffer(&fixed, "b", FSC__ARG_SCRATCH, b->scratch);
    fsc__args_int(&fixed, "M", dims->m);
    fsc__args_int(&fixed, "N", dims->n);
    fsc__args_int(&fixed, "K", dims->k);
    fsc__args_int(&fixed, "b_batches", b->batch);
    fsc__step_launch(&step, (const int64_t[3]){panels_of(a), panels_of(b), dims->batch},
                     (const int64_t[3]){1, 1, 1});
    FSC_GO(fsc__writer_finish(&writer, "matmul_panel", tile->width, step, &fixed, why));
done:
    fsc__args_deinit(&fixed);
    fsc__writer_deinit(&writer);
    return status;
}

fsc_status fsc__emit_matmul(fsc__emission *emission, fsc_error *why)
{
    const fsc_graph *graph = emission->plan->graph;
    const fsc__node *node = &graph->nodes[emission->group->nodes[emission->group->main]];
    const fsc__matmul_dims dims = fsc__graph_matmul(graph, node);
    schedule how;
    FSC_TRY(choose_schedule(emission, dims.k, &how, why));
    const fsc__tile *tile = &how.tile;
    operand a = {"A", node->in[0], dims.batch, dims.m, dims.k, !dims.trans_a, tile->rows, 0};
    operand b = {"B",    node->in[1],  dims.shared_b ? 1 : dims.batch, dims.n,
                 dims.k, dims.trans_b, tile->vectors * tile->width,    0};
    FSC_TRY(emit_pack(emission, &a, why));
    FSC_TRY(emit_pack(emission, &b, why));
    return emit_tiles(emission, &dims, &how, &a, &b, why);
}
