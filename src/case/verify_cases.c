/* Which cases verify runs: modes and chains for each pattern, their sizes and inputs. */
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "case/verify_shape.h"
#include "fusion/plan.h"

/* The modes of a pattern: each value of each field that means something to it, with the others
   varied so that pairs that share code meet. */
static const char *const map_modes[] = {"f32",
                                        "f32,gelu=tanh",
                                        "f32,gelu=erf",
                                        "f16",
                                        "bf16",
                                        "f16,boundary=round",
                                        "bf16,boundary=round",
                                        "f16,params=storage",
                                        "bf16,params=storage,boundary=round",
                                        NULL};
static const char *const product_modes[] = {"f32",
                                            "f32,contract=off",
                                            "f32,order=lanes:64",
                                            "f32,order=lanes:8,contract=off",
                                            "f32,order=chunk:100",
                                            "f32,gelu=tanh",
                                            "f16",
                                            "f16,boundary=round",
                                            "f16,order=lanes:16,params=storage",
                                            "bf16",
                                            "bf16,boundary=round,contract=off",
                                            "bf16,order=chunk:256",
                                            NULL};
static const char *const norm_modes[] = {"f32",
                                         "f32,variance=two_pass",
                                         "f32,variance=one_pass",
                                         "f32,variance=welford",
                                         "f32,order=sequential,variance=welford",
                                         "f32,order=chunk:64",
                                         "f32,order=chunk:7,variance=welford",
                                         "f32,order=lanes:4,contract=off",
                                         "f32,contract=off,variance=one_pass",
                                         "f16",
                                         "f16,boundary=round",
                                         "f16,order=sequential,variance=two_pass",
                                         "bf16",
                                         "bf16,boundary=round,params=storage",
                                         "bf16,order=lanes:64,variance=welford",
                                         NULL};

/* Chains in which each op occurs; a chain that a mode means nothing to is passed over. */
static const char *const map_chains[] = {"add+relu",
                                         "bias+gelu",
                                         "mul+add+sigmoid+mul+add+tanh+mul+add",
                                         "scale(by=row)+bias(by=scalar)+silu",
                                         "bias(by=channel)+gelu+scale",
                                         "sub+abs+neg+exp",
                                         "bias+div+gelu_tanh",
                                         "sigmoid+mul(x)",
                                         "mul(3)+add(-0.5)+gelu+bias",
                                         NULL};
static const char *const matmul_chains[] = {"matmul+bias+relu",
                                            "matmul(transB=1)+bias+gelu",
                                            "matmul",
                                            "relu+matmul(transA=1)+add+tanh",
                                            "mul+matmul(transA=1,transB=1)+scale(by=row)+silu",
                                            "matmul+bias+gelu+mul",
                                            "matmul+bias+add+sigmoid",
                                            NULL};
static const char *const norm_chains[] = {"layernorm+relu",
                                          "add+layernorm(eps=1e-12)",
                                          "layernorm+gelu",
                                          "rmsnorm+silu",
                                          "bias+relu+layernorm+mul(0.5)",
                                          "add+rmsnorm(eps=1e-5)+scale+tanh",
                                          NULL};

/* Both layouts, and each attribute with two values where it can have them. */
static const char *const conv2d_chains[] = {
    "conv2d(pads=1)+bias+relu",
    "conv2d(layout=nhwc,stride=2,pads=0:0:1:1)+bias+gelu",
    "conv2d",
    "relu+conv2d(groups=3,stride=1:2,pads=2:1:0:1)+add+tanh",
    "mul+conv2d(layout=nhwc,groups=8,pads=1)+scale+silu",
    "conv2d(dilation=2:3,pads=3)+bias+gelu+mul",
    "conv2d(groups=8,stride=2,pads=1)+bias+add+sigmoid",
    "bias+relu+conv2d(layout=nhwc,dilation=2,stride=3:1,pads=1:2:3:0)",
    NULL};

static const char *const no_modes[] = {NULL};

static const char *const *const modes_of[FSC__PATTERN_COUNT] = {
    [FSC__PATTERN_MAP] = map_modes,
    [FSC__PATTERN_MATMUL] = product_modes,
    [FSC__PATTERN_CONV2D] = no_modes, /* product_modes once it has a kernel */
    [FSC__PATTERN_NORM] = norm_modes,
};
static const char *const *const chains_of[FSC__PATTERN_COUNT] = {
    [FSC__PATTERN_MAP] = map_chains,
    [FSC__PATTERN_MATMUL] = matmul_chains,
    [FSC__PATTERN_CONV2D] = conv2d_chains,
    [FSC__PATTERN_NORM] = norm_chains,
};

/* Two tiles for each case: in quick runs where fma is software, in other quick runs, in full ones.
 */
enum { PAIR_NARROW, PAIR_QUICK, PAIR_FULL };
static const fsc__tile tile_pairs[][2] = {
    {{2, 4, 1}, {1, 3, 2}},
    {{8, 4, 1}, {1, 3, 2}},
    {{16, 8, 2}, {8, 4, 1}},
    {{16, 8, 2}, {1, 3, 2}},
};

enum { FULL_CASES = 30 };

static int list_length(const char *const *list)
{
    int length = 0;
    while (list[length])
        length++;
    return length;
}

fsc_status fsc__verify_cells(fsc__verify_cell **cells, int *count, fsc_error *why)
{
    int total = 0;
    for (int p = 0; p < FSC__PATTERN_COUNT; p++)
        total += list_length(modes_of[p]) * FSC__FAMILY_COUNT;
    fsc__verify_cell *made = fsc__calloc((size_t)total, sizeof *made);
    if (!made)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory for %d cells", total);
    int next = 0;
    for (int p = 0; p < FSC__PATTERN_COUNT; p++)
        for (int m = 0; modes_of[p][m]; m++)
            for (int f = 0; f < FSC__FAMILY_COUNT; f++)
                made[next++] = (fsc__verify_cell){.pattern = (fsc__pattern_id)p,
                                                  .mode = modes_of[p][m],
                                                  .family = (fsc__family)f};
    *cells = made;
    *count = total;
    return FSC_OK;
}

/* Whether the chain is one group of the pattern that the mode has a meaning for. */
static bool chain_fits(const char *chain, const char *shape, const char *mode_text)
{
    fsc_graph *graph = NULL;
    fsc__plan *plan = NULL;
    fsc_mode mode;
    const fsc__plan_options options = {0};
    const bool fits = fsc__graph_parse(chain, shape, &graph, NULL) == FSC_OK &&
                      fsc__mode_parse(mode_text, &mode, NULL) == FSC_OK &&
                      fsc__plan_create(graph, &mode, &options, &plan, NULL) == FSC_OK;
    fsc__plan_free(plan);
    fsc__graph_free(graph);
    return fits;
}

static fsc__verify_size size_of(const fsc__verify_options *options, int family, int index)
{
    if (options->small)
        return FSC__VERIFY_TINY;
    if (!options->full)
        return family % 2 == 0 ? FSC__VERIFY_MEDIUM : FSC__VERIFY_AWKWARD;
    switch (index % FULL_CASES) {
    case 0:
        return FSC__VERIFY_LARGE;
    case 1:
        return FSC__VERIFY_ROWS;
    case 2:
        return FSC__VERIFY_LONG;
    case 3:
        return FSC__VERIFY_LARGE;
    default:
        return FSC__VERIFY_AWKWARD;
    }
}

bool fsc__verify_make(const fsc__verify_options *options, const fsc__verify_cell *cell, int index,
                      fsc__verify_case *made)
{
    if (index >= (options->full ? FULL_CASES : 1))
        return false;
    const char *const *chains = chains_of[cell->pattern];
    const int chain_count = list_length(chains);
    /* Kernels take seconds to build on one driver: a quick run has two chains for each mode. */
    const int family = (int)cell->family;
    const int of_mode = (int)(fsc__hash(cell->mode, strlen(cell->mode), 0) % (uint64_t)chain_count);
    const int first = options->full ? index + family : of_mode + family % 2;
    fsc__verify_stream s = {fsc__hash(cell->mode, strlen(cell->mode), options->seed) +
                            (uint64_t)cell->pattern * 7919 + (uint64_t)family * 104729 +
                            (uint64_t)index * 1299709};
    const fsc__verify_size size = size_of(options, family, index);
    *made = (fsc__verify_case){.pattern = cell->pattern,
                               .mode = cell->mode,
                               .family = cell->family,
                               .seed = (uint64_t)fsc__verify_draw(&s, 1000000),
                               .alone = size == FSC__VERIFY_ROWS};
    const fsc__tile *pair = tile_pairs[options->full     ? PAIR_FULL + index % 2
                                       : options->narrow ? PAIR_NARROW
                                                         : PAIR_QUICK];
    made->tiles[0] = pair[0];
    made->tiles[1] = pair[1];
    for (int i = 0; i < chain_count; i++) {
        made->chain = chains[(first + i) % chain_count];
        fsc__verify_shape(&s, size, made);
        if (chain_fits(made->chain, made->shape, made->mode))
            return true;
    }
    return false;
}
