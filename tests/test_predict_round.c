/* boundary=round gives the unfused bits on every chain; every instruction set gives the same bits;
   and what the fma quirk changes is counted. */
#include "reference_fixture.h"

#include <stdio.h>

const int fsc__test_forks = 1;

static const struct {
    const char *text, *shape;
} heads[] = {
    {"", "13x45"},
    {"matmul+", "13x37:37x21"},
    {"matmul+bias+", "13x37:37x21"},
    {"conv2d(pads=1)+bias+", "2x5x6x7:4x5x3x3"},
    {"silu+conv2d(stride=2,layout=nhwc)+", "1x9x11x6:5x6x2x3"},
    {"layernorm+", "13x45"},
    {"add+layernorm+", "13x45"},
    {"rmsnorm+", "13x45"},
    {"mul+rmsnorm+", "13x45"},
};
static const char *const items[] = {"add",  "sub",  "mul",       "div",      "bias",    "scale",
                                    "neg",  "abs",  "relu",      "exp",      "sigmoid", "tanh",
                                    "silu", "gelu", "gelu_tanh", "add(0.3)", "mul(x)"};
enum {
    HEAD_COUNT = sizeof heads / sizeof heads[0],
    ITEM_COUNT = sizeof items / sizeof items[0],
    CHAINS = 60
};

static uint32_t lcg(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* A chain of up to 8 items; mul(x) only where x has the shape of the output. */
static void random_chain(uint32_t seed, char *chain, size_t bytes, const char **shape)
{
    uint32_t state = seed * 2654435761u + 1;
    const uint32_t head = lcg(&state) % HEAD_COUNT;
    *shape = heads[head].shape;
    const bool product = strchr(*shape, ':') != NULL;
    size_t used = (size_t)snprintf(chain, bytes, "%s", heads[head].text);
    const uint32_t count = 2 + lcg(&state) % 7;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t item = lcg(&state) % (uint32_t)(product ? ITEM_COUNT - 1 : ITEM_COUNT);
        used += (size_t)snprintf(chain + used, bytes - used, "%s%s", i ? "+" : "", items[item]);
    }
}

static const char *const families[] = {"normal", "special", "small", "large", "uniform:-8:8"};

static void check_round(const char *chain, const char *shape, const char *mode, uint64_t seed)
{
    setup s;
    char what[300];
    setup_init(&s, chain, shape, mode);
    for (int f = 0; f < 5; f++) {
        setup_fill(&s, families[f], seed);
        fsc_tensor fused = setup_predict(&s, s.fused), unfused = setup_predict(&s, s.unfused);
        snprintf(what, sizeof what, "%s %s %s", chain, mode, families[f]);
        ck_same_bits(&fused, &unfused, what);
        fsc__tensor_deinit(&fused);
        fsc__tensor_deinit(&unfused);
    }
    setup_deinit(&s);
}

START_TEST(rounded_is_unfused)
{
    const char *const modes[] = {
        "f16,boundary=round",
        "bf16,boundary=round",
        "bf16,boundary=round,contract=off,params=storage",
        "f16,boundary=round,order=chunk:5",
    };
    char chain[300];
    const char *shape;
    random_chain((uint32_t)_i, chain, sizeof chain, &shape);
    for (int m = 0; m < 3; m++) {
        const bool sums = strchr(shape, ':') || strstr(chain, "norm");
        check_round(chain, shape, sums ? modes[m == 2 ? 3 : m] : modes[m % 2], (uint64_t)_i);
    }
}
END_TEST

/* f32 rounds nothing at a boundary. */
START_TEST(f32_fused_is_unfused)
{
    char chain[300];
    const char *shape;
    random_chain((uint32_t)_i + 1000, chain, sizeof chain, &shape);
    check_round(chain, shape, "f32", (uint64_t)_i);
}
END_TEST

static void predict_with(setup *s, const char *isa, fsc__fma fma, fsc_tensor *out, int64_t *flushed)
{
    ck_assert(fsc__predict_force_isa(isa));
    ck_status_ok(fsc__predict(s->fused, fma, s->in, out, flushed, &s->why), &s->why);
    ck_assert(fsc__predict_force_isa(NULL));
}

START_TEST(same_bits_from_every_isa)
{
    const char *const isas[] = {"avx2", "avx512"};
    const char *const modes[] = {"f32", "f16", "bf16"};
    char chain[300];
    const char *shape;
    random_chain((uint32_t)_i + 2000, chain, sizeof chain, &shape);
    setup s;
    setup_init(&s, chain, shape, modes[_i % 3]);
    for (int f = 0; f < 5; f++) {
        setup_fill(&s, families[f], 99);
        for (int v = 0; v < 4; v++) {
            const fsc__fma fma = v / 2 ? FSC__FMA_FLUSHES : FSC__FMA_EXACT;
            fsc_tensor first, other;
            int64_t flushed[2];
            if (!fsc__predict_force_isa(isas[v % 2]))
                continue;
            predict_with(&s, "generic", fma, &first, &flushed[0]);
            predict_with(&s, isas[v % 2], fma, &other, &flushed[1]);
            ck_assert_int_eq(flushed[0], flushed[1]);
            const size_t bytes =
                (size_t)fsc__shape_elems(&first.shape) * fsc__dtype_bytes(first.type);
            ck_assert_msg(memcmp(first.data, other.data, bytes) == 0, "%s %s on %s", chain,
                          families[f], isas[v % 2]);
            fsc__tensor_deinit(&first);
            fsc__tensor_deinit(&other);
        }
    }
    setup_deinit(&s);
}
END_TEST

/* 2^-130 * 1 + 2^-130 * 1: the fma that flushes takes subnormal operands for zeros. */
START_TEST(flushed_outputs_are_counted)
{
    setup s;
    fsc_tensor out;
    int64_t flushed = -1;
    setup_init(&s, "matmul", "3x2:2x2", "f32");
    setup_all(&s, "w", 1.0);
    setup_set(&s, "x", (double[]){1.0, 2.0, 0x1p-130, 0x1p-130, 3.0, 4.0}, 6);
    predict_with(&s, NULL, FSC__FMA_FLUSHES, &out, &flushed);
    ck_assert_int_eq(flushed, 2);
    ck_assert_double_eq(element(&out, 0), 3.0);
    ck_assert_double_eq(element(&out, 2), 0.0);
    fsc__tensor_deinit(&out);
    predict_with(&s, NULL, FSC__FMA_EXACT, &out, &flushed);
    ck_assert_int_eq(flushed, 0);
    ck_assert_double_eq(element(&out, 2), 0x1p-129);
    fsc__tensor_deinit(&out);
    setup_deinit(&s);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("predict_round");
    TCase *tc = tcase_create("round");
    tcase_add_loop_test(tc, rounded_is_unfused, 0, CHAINS);
    tcase_add_loop_test(tc, f32_fused_is_unfused, 0, CHAINS / 2);
    tcase_add_loop_test(tc, same_bits_from_every_isa, 0, CHAINS / 2);
    tcase_add_test(tc, flushed_outputs_are_counted);
    tcase_set_timeout(tc, 60);
    suite_add_tcase(suite, tc);
    return suite;
}
