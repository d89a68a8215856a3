/* Which cases verify runs: modes, chains and awkward shapes for each pattern. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "case/verify.h"
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
static const char *const matmul_modes[] = {"f32",
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

/* conv2d has no kernel yet. */
static const char *const conv2d_modes[] = {NULL};
static const char *const conv2d_chains[] = {NULL};

static const char *const *const modes_of[FSC__PATTERN_COUNT] = {
    [FSC__PATTERN_MAP] = map_modes,
    [FSC__PATTERN_MATMUL] = matmul_modes,
    [FSC__PATTERN_CONV2D] = conv2d_modes,
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

enum { FULL_CASES = 30, ALONE_ROWS = 37 };

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

/* A small deterministic stream for shapes; the tensors have their own generator. */
typedef struct stream {
    uint64_t state;
} stream;

static int64_t draw(stream *s, int64_t count)
{
    s->state++;
    return (int64_t)(fsc__hash(&s->state, sizeof s->state, 0) % (uint64_t)count);
}

static int64_t pick(stream *s, const int64_t *values, size_t count)
{
    return values[draw(s, (int64_t)count)];
}
#define PICK(s, values) pick((s), (values), sizeof(values) / sizeof *(values))

/* Sizes around a tile edge, primes, and the smallest. */
static int64_t awkward(stream *s, int64_t edge)
{
    const int64_t sizes[] = {1, 2, 3, 7, edge - 1, edge, edge + 1, 13, 29, 61, 2 * edge + 1};
    const int64_t size = PICK(s, sizes);
    return size < 1 ? 1 : size;
}

/* role of a case within its cell: a long reduction, 37 rows, a large one, or any awkward shape. */
typedef enum case_size {
    SIZE_AWKWARD,
    SIZE_LONG,
    SIZE_ROWS,
    SIZE_LARGE,
    SIZE_MEDIUM,
    SIZE_TINY
} case_size;

static void map_shape(stream *s, case_size size, char *text, size_t bytes)
{
    static const int64_t large[] = {8192, 10007, 16411};
    if (size == SIZE_ROWS)
        snprintf(text, bytes, "%dx%" PRId64, ALONE_ROWS, awkward(s, 16));
    else if (size == SIZE_LARGE)
        snprintf(text, bytes, "3x%" PRId64, PICK(s, large));
    else if (size == SIZE_TINY)
        snprintf(text, bytes, "%" PRId64 "x%" PRId64, 1 + draw(s, 4), 1 + draw(s, 41));
    else if (size == SIZE_MEDIUM)
        snprintf(text, bytes, "%" PRId64 "x%" PRId64, 20 + draw(s, 20), 61 + draw(s, 70));
    else if (draw(s, 3) == 0)
        snprintf(text, bytes, "%" PRId64 "x%" PRId64 "x%" PRId64, 1 + draw(s, 3), awkward(s, 8),
                 awkward(s, 16));
    else
        snprintf(text, bytes, "%" PRId64 "x%" PRId64, awkward(s, 16), awkward(s, 64));
}

static void norm_shape(stream *s, case_size size, char *text, size_t bytes)
{
    static const int64_t lengths[] = {1, 2, 3, 7, 63, 64, 65, 255, 256, 257, 509, 768, 1021};
    static const int64_t longest[] = {4099, 32768, 32769, 65536, 65537};
    if (size == SIZE_LONG)
        snprintf(text, bytes, "1x%" PRId64, PICK(s, longest));
    else if (size == SIZE_ROWS)
        snprintf(text, bytes, "%dx%" PRId64, ALONE_ROWS, PICK(s, lengths));
    else if (size == SIZE_LARGE)
        snprintf(text, bytes, "%" PRId64 "x%" PRId64, 16 + draw(s, 16), PICK(s, lengths) + 512);
    else if (size == SIZE_TINY)
        snprintf(text, bytes, "%" PRId64 "x%" PRId64, 1 + draw(s, 3), 1 + draw(s, 83));
    else if (size == SIZE_MEDIUM)
        snprintf(text, bytes, "%" PRId64 "x%" PRId64, 5 + draw(s, 5), PICK(s, lengths) + 257);
    else
        snprintf(text, bytes, "%" PRId64 "x%" PRId64, 1 + draw(s, 7), PICK(s, lengths));
}

static void matmul_shape(stream *s, const fsc__verify_case *made, case_size size, char *text,
                         size_t bytes)
{
    static const int64_t depths[] = {1, 2, 3, 7, 16, 31, 64, 97, 100, 101, 257};
    static const int64_t longest[] = {4099, 32769, 65536, 65537};
    const fsc__tile *tile = &made->tiles[0];
    int64_t batch = draw(s, 4) == 0 ? 1 + draw(s, 3) : 0; /* 0: no batch axis */
    int64_t m = awkward(s, tile->rows);
    int64_t n = awkward(s, (int64_t)tile->vectors * tile->width);
    int64_t k = PICK(s, depths);
    if (size == SIZE_LONG) {
        m = 1 + draw(s, 3);
        n = 1 + draw(s, 5);
        k = PICK(s, longest);
    } else if (size == SIZE_ROWS) {
        m = ALONE_ROWS;
        batch = 0;
    } else if (size == SIZE_LARGE) {
        m = 120 + draw(s, 20);
        n = 150 + draw(s, 40);
    } else if (size == SIZE_TINY) {
        m = 1 + draw(s, 7);
        n = 1 + draw(s, 15);
        k = 1 + draw(s, 19);
    } else if (size == SIZE_MEDIUM) {
        m = 40 + draw(s, 10);
        n = 50 + draw(s, 30);
    }
    const bool trans_a = strstr(made->chain, "transA=1") != NULL;
    const bool trans_b = strstr(made->chain, "transB=1") != NULL;
    char head[24] = "", shared[24] = "";
    if (batch > 0) {
        snprintf(head, sizeof head, "%" PRId64 "x", batch);
        if (draw(s, 2) == 0)
            snprintf(shared, sizeof shared, "%s", head);
    }
    snprintf(text, bytes, "%s%" PRId64 "x%" PRId64 ":%s%" PRId64 "x%" PRId64, head, trans_a ? k : m,
             trans_a ? m : k, shared, trans_b ? n : k, trans_b ? k : n);
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

static void make_shape(stream *s, case_size size, fsc__verify_case *made)
{
    if (made->pattern == FSC__PATTERN_MATMUL)
        matmul_shape(s, made, size, made->shape, sizeof made->shape);
    else if (made->pattern == FSC__PATTERN_NORM)
        norm_shape(s, size, made->shape, sizeof made->shape);
    else
        map_shape(s, size, made->shape, sizeof made->shape);
}

static case_size size_of(const fsc__verify_options *options, int family, int index)
{
    if (options->small)
        return SIZE_TINY;
    if (!options->full)
        return family % 2 == 0 ? SIZE_MEDIUM : SIZE_AWKWARD;
    switch (index % FULL_CASES) {
    case 0:
        return SIZE_LARGE;
    case 1:
        return SIZE_ROWS;
    case 2:
        return SIZE_LONG;
    case 3:
        return SIZE_LARGE;
    default:
        return SIZE_AWKWARD;
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
    stream s = {fsc__hash(cell->mode, strlen(cell->mode), options->seed) +
                (uint64_t)cell->pattern * 7919 + (uint64_t)family * 104729 +
                (uint64_t)index * 1299709};
    const case_size size = size_of(options, family, index);
    *made = (fsc__verify_case){.pattern = cell->pattern,
                               .mode = cell->mode,
                               .family = cell->family,
                               .seed = (uint64_t)draw(&s, 1000000),
                               .alone = size == SIZE_ROWS};
    const fsc__tile *pair = tile_pairs[options->full     ? PAIR_FULL + index % 2
                                       : options->narrow ? PAIR_NARROW
                                                         : PAIR_QUICK];
    made->tiles[0] = pair[0];
    made->tiles[1] = pair[1];
    for (int i = 0; i < chain_count; i++) {
        made->chain = chains[(first + i) % chain_count];
        make_shape(&s, size, made);
        if (chain_fits(made->chain, made->shape, made->mode))
            return true;
    }
    return false;
}
