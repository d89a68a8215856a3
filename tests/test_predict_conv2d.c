/* The prediction of conv2d against a plain loop per output, for each order, contraction, layout and
   random sizes; the halo; exact sums; images alone and in a batch. */
#include "conv2d_fixture.h"
#include "sums_fixture.h"

const int fsc__test_forks = 1;

enum { RANDOM_COUNT = 40 };

static const char *const modes[] = {
    "f32",
    "f32,contract=off",
    "f16,order=sequential",
    "f32,order=lanes:1",
    "bf16,order=lanes:8",
    "f32,order=lanes:256,contract=off",
    "f32,order=lanes:1024",
    "f32,order=chunk:1",
    "f16,order=chunk:7",
    "f32,order=chunk:256,contract=off",
};
enum { MODE_COUNT = sizeof modes / sizeof modes[0] };

/* An output of a convolution. */
typedef struct output {
    const setup *s;
    fsc__conv2d_dims dims;
    place at;
} output;

static void term(const void *context, int64_t t, float *a, float *b)
{
    const output *o = context;
    double weight, x;
    conv_term(&o->dims, &o->s->in[0], &o->s->in[1], o->at, t, &weight, &x);
    *a = (float)weight;
    *b = (float)x;
}

/* The prediction of a graph that is one conv2d, compared with plain loops. */
static void check(setup *s, const char *what)
{
    for (fsc__fma fma = FSC__FMA_EXACT; fma <= FSC__FMA_FLUSHES; fma++) {
        fsc_tensor out, want;
        ck_status_ok(fsc__predict(s->fused, fma, s->in, &out, NULL, &s->why), &s->why);
        ck_status_ok(fsc__tensor_init(&want, out.type, &out.shape, &s->why), &s->why);
        output o = {.s = s, .dims = fsc__graph_conv2d(s->graph, &s->graph->nodes[0])};
        for (int64_t i = 0; i < fsc__shape_elems(&out.shape); i++) {
            o.at = place_of(&out.shape, o.dims.layout, i);
            const float sum = sum_in_order(s, fma, o.dims.terms, term, &o);
            fsc__dtype_store(want.type, want.data, i, (double)sum);
        }
        ck_same_bits(&out, &want, what);
        fsc__tensor_deinit(&out);
        fsc__tensor_deinit(&want);
    }
}

static void check_text(const char *chain, const char *shape, const char *mode, const char *family)
{
    char what[400];
    setup s;
    setup_init(&s, chain, shape, mode);
    setup_fill(&s, family, 7);
    snprintf(what, sizeof what, "%s %s %s %s", chain, shape, mode, family);
    check(&s, what);
    setup_deinit(&s);
}

static void check_sizes(const conv_sizes *c, const char *layout, const char *mode,
                        const char *family)
{
    char chain[CONV_TEXT], shape[CONV_TEXT];
    conv_write(c, layout, chain, shape);
    check_text(chain, shape, mode, family);
}

static const char *const layouts[] = {"nchw", "nhwc"};
static const char *const families[] = {"normal", "special", "small", "large", "integers"};

START_TEST(random_sizes)
{
    const conv_sizes c = conv_random((uint64_t)_i);
    for (int m = 0; m < 3; m++)
        check_sizes(&c, layouts[(_i + m) % 2], modes[(_i + m * 3) % MODE_COUNT],
                    families[(_i + m) % 5]);
}
END_TEST

/* More output channels, terms and pixels than a tile has, with ends of tiles that are not whole. */
START_TEST(beyond_a_tile)
{
    const struct {
        const char *chain, *nchw, *nhwc;
    } cases[] = {
        {"conv2d(pads=1,layout=%s)", "1x29x17x16:67x29x3x3", "1x17x16x29:67x29x3x3"},
        {"conv2d(stride=2:1,pads=0:0:1:2,groups=2,layout=%s)", "3x6x15x14:34x3x2x5",
         "3x15x14x6:34x3x2x5"},
        {"conv2d(pads=3,groups=5,layout=%s)", "2x5x19x23:5x1x7x7", "2x19x23x5:5x1x7x7"},
        {"conv2d(layout=%s)", "2x70x9x16:65x70x1x1", "2x9x16x70:65x70x1x1"},
        {"conv2d(layout=%s)", "7x300x1x1:3x300x1x1", "7x1x1x300:3x300x1x1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char chain[CONV_TEXT];
        const bool last = (i + (size_t)_i) % 2;
        snprintf(chain, sizeof chain, cases[i].chain, layouts[last]);
        check_text(chain, last ? cases[i].nhwc : cases[i].nchw, modes[_i], "normal");
    }
}
END_TEST

/* Sums so long that a block of inputs has fewer pixels than a tile. */
START_TEST(long_sums)
{
    check_text("conv2d(pads=0:3:0:0)", "1x1x300x321:1x1x300x300", modes[_i * 4], "normal");
}
END_TEST

/* The same bits wherever the channels are, whatever the prologue and the epilogue. */
START_TEST(layouts_agree)
{
    const conv_sizes c = conv_random((uint64_t)_i + 500);
    char chain[CONV_TEXT], shape[CONV_TEXT], longer[2 * CONV_TEXT];
    setup s[2];
    fsc_tensor out[2];
    for (int i = 0; i < 2; i++) {
        conv_write(&c, layouts[i], chain, shape);
        snprintf(longer, sizeof longer, "silu+%s+gelu+mul(3)", chain);
        setup_init(&s[i], longer, shape, modes[_i % MODE_COUNT]);
        setup_fill(&s[i], families[_i % 5], 3);
    }
    fsc__tensor_deinit(&s[1].in[0]);
    s[1].in[0] = conv_turned(&s[0].in[0], FSC__LAYOUT_NCHW);
    for (int i = 0; i < 2; i++)
        out[i] = setup_predict(&s[i], s[i].fused);
    fsc_tensor turned = conv_turned(&out[1], FSC__LAYOUT_NHWC);
    ck_same_bits(&turned, &out[0], longer);
    fsc__tensor_deinit(&turned);
    for (int i = 0; i < 2; i++) {
        fsc__tensor_deinit(&out[i]);
        setup_deinit(&s[i]);
    }
}
END_TEST

/* Sums of integers that f32 holds are the true ones in every order (K24). */
START_TEST(exact_sums)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        const conv_sizes c = conv_random(seed + 700);
        char chain[CONV_TEXT], shape[CONV_TEXT];
        conv_write(&c, layouts[seed % 2], chain, shape);
        setup s;
        setup_init(&s, chain, shape, modes[_i]);
        setup_fill(&s, "integers", seed);
        fsc_tensor truth = setup_truth(&s, NULL), out = setup_predict(&s, s.fused);
        for (int64_t i = 0; i < fsc__shape_elems(&out.shape); i++) {
            const float exact = (float)element(&truth, i);
            ck_assert_float_eq((float)element(&out, i), fsc__dtype_round(s.mode.storage, exact));
        }
        fsc__tensor_deinit(&truth);
        fsc__tensor_deinit(&out);
        setup_deinit(&s);
    }
}
END_TEST

/* Infinite weights meet the halo: NaN there, and there alone. With a prologue that makes 7 of 0 the
   halo is +0 as before. */
START_TEST(halo)
{
    setup s;
    setup_init(&s, "add(7)+conv2d(pads=1:1:0:2)", "1x1x3x4:1x1x2x2", modes[_i]);
    setup_all(&s, "x", 1.0);
    setup_set(&s, "w", (double[]){1.0, 2.0, 4.0, 16.0}, 4);
    fsc_tensor out = setup_predict(&s, s.fused);
    const double sums[3][6] = {{128.0, 160.0, 160.0, 160.0, 32.0, 0.0},
                               {144.0, 184.0, 184.0, 184.0, 40.0, 0.0},
                               {144.0, 184.0, 184.0, 184.0, 40.0, 0.0}};
    for (int64_t i = 0; i < 18; i++) {
        ck_assert_double_eq(element(&out, i), sums[i / 6][i % 6]);
        ck_assert(!signbit(element(&out, i)));
    }
    fsc__tensor_deinit(&out);
    setup_set(&s, "w", (double[]){-INFINITY, 2.0, 4.0, 16.0}, 4);
    out = setup_predict(&s, s.fused);
    for (int64_t i = 0; i < 18; i++) {
        const bool inside = i >= 6 && i % 6 >= 1 && i % 6 <= 4;
        if (inside)
            ck_assert_double_eq(element(&out, i), -INFINITY);
        else
            ck_assert_double_nan(element(&out, i));
    }
    fsc__tensor_deinit(&out);
    setup_deinit(&s);
}
END_TEST

/* A negative weight times the halo is -0, which no sum that began at +0 keeps. */
START_TEST(no_negative_zero)
{
    setup s;
    setup_init(&s, "conv2d(pads=2)", "1x1x2x2:2x1x2x2", modes[_i]);
    setup_all(&s, "x", -0.0);
    setup_all(&s, "w", -1.0);
    fsc_tensor out = setup_predict(&s, s.fused);
    for (int64_t i = 0; i < fsc__shape_elems(&out.shape); i++) {
        ck_assert_double_eq(element(&out, i), 0.0);
        ck_assert(!signbit(element(&out, i)));
    }
    fsc__tensor_deinit(&out);
    setup_deinit(&s);
}
END_TEST

/* A NaN with any payload makes one canonical NaN of each output that sees it, and of no other. */
START_TEST(nan_payloads)
{
    const uint32_t codes[] = {0x7f800001u, 0xffc12345u, 0xff800001u, 0x7fffffffu};
    setup s;
    setup_init(&s, "conv2d(pads=1)", "1x2x5x6:3x2x3x3", _i % 2 ? "f32,contract=off" : "f32");
    setup_fill(&s, "normal", 1);
    memcpy((float *)s.in[0].data + 2 * 6 + 3, &codes[_i / 2], sizeof codes[0]);
    fsc_tensor out = setup_predict(&s, s.fused);
    for (int64_t i = 0; i < fsc__shape_elems(&out.shape); i++) {
        const int64_t y = i / 6 % 5, x = i % 6;
        uint32_t code;
        memcpy(&code, (float *)out.data + i, sizeof code);
        if (y >= 1 && y <= 3 && x >= 2 && x <= 4)
            ck_assert_uint_eq(code, 0x7fc00000u);
        else
            ck_assert(isfinite(element(&out, i)));
    }
    fsc__tensor_deinit(&out);
    setup_deinit(&s);
}
END_TEST

/* Each image alone and in a batch. */
START_TEST(images_alone)
{
    setup all, one;
    const char *chain = "relu+conv2d(pads=1)+bias+gelu";
    setup_init(&all, chain, "5x7x6x11:9x7x3x3", modes[_i]);
    setup_init(&one, chain, "1x7x6x11:9x7x3x3", modes[_i]);
    setup_fill(&all, "normal", 3);
    fsc_tensor whole = setup_predict(&all, all.fused);
    const size_t bytes = fsc__dtype_bytes(all.mode.storage);
    const size_t in_bytes = 7 * 6 * 11 * bytes, out_bytes = 9 * 6 * 11 * bytes;
    for (int i = 1; i < all.graph->input_count; i++)
        memcpy(one.in[i].data, all.in[i].data,
               (size_t)fsc__shape_elems(&all.in[i].shape) * fsc__dtype_bytes(all.in[i].type));
    for (size_t n = 0; n < 5; n++) {
        memcpy(one.in[0].data, (char *)all.in[0].data + n * in_bytes, in_bytes);
        fsc_tensor alone = setup_predict(&one, one.fused);
        ck_assert_mem_eq(alone.data, (char *)whole.data + n * out_bytes, out_bytes);
        fsc__tensor_deinit(&alone);
    }
    fsc__tensor_deinit(&whole);
    setup_deinit(&all);
    setup_deinit(&one);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("predict_conv2d");
    TCase *tc = tcase_create("conv2d");
    tcase_add_loop_test(tc, random_sizes, 0, RANDOM_COUNT);
    tcase_add_loop_test(tc, beyond_a_tile, 0, MODE_COUNT);
    tcase_add_loop_test(tc, long_sums, 0, 2);
    tcase_add_loop_test(tc, layouts_agree, 0, RANDOM_COUNT);
    tcase_add_loop_test(tc, exact_sums, 0, MODE_COUNT);
    tcase_add_loop_test(tc, halo, 0, MODE_COUNT);
    tcase_add_loop_test(tc, no_negative_zero, 0, MODE_COUNT);
    tcase_add_loop_test(tc, nan_payloads, 0, 8);
    tcase_add_loop_test(tc, images_alone, 0, MODE_COUNT);
    tcase_set_timeout(tc, 120);
    suite_add_tcase(suite, tc);
    return suite;
}
