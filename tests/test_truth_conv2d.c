/* The truth of conv2d: random sizes against a plain sum per output, both layouts, the halo, and
   bounds that hold for a plain f32 loop and are tight. */
#include "conv2d_fixture.h"

const int fsc__test_forks = 1;

enum { RANDOM_COUNT = 60 };

static void setup_random(setup *s, uint64_t seed, const char *layout, const char *mode)
{
    char chain[CONV_TEXT], shape[CONV_TEXT];
    const conv_sizes c = conv_random(seed);
    conv_write(&c, layout, chain, shape);
    setup_init(s, chain, shape, mode);
}

START_TEST(random_sizes)
{
    setup s;
    setup_random(&s, (uint64_t)_i, _i % 2 ? "nhwc" : "nchw", "f32");
    setup_fill(&s, "normal", (uint64_t)_i);
    const fsc__conv2d_dims d = fsc__graph_conv2d(s.graph, &s.graph->nodes[0]);
    fsc_tensor truth = setup_truth(&s, NULL);
    for (int64_t i = 0; i < fsc__shape_elems(&truth.shape); i++) {
        const place p = place_of(&truth.shape, d.layout, i);
        long double sum = 0.0L;
        for (int64_t t = 0; t < d.terms; t++) {
            double a, b;
            conv_term(&d, &s.in[0], &s.in[1], p, t, &a, &b);
            sum += (long double)a * b;
        }
        if (!(fabs(element(&truth, i) - (double)sum) <= 1e-13))
            ck_abort_msg("seed %d: output %lld is %.17g, not %.17g", _i, (long long)i,
                         element(&truth, i), (double)sum);
    }
    fsc__tensor_deinit(&truth);
    setup_deinit(&s);
}
END_TEST

/* The same values and bounds, to the last bit, wherever the channels are. */
START_TEST(layouts_agree)
{
    setup planes, last;
    setup_random(&planes, (uint64_t)_i + 1000, "nchw", "f16");
    setup_random(&last, (uint64_t)_i + 1000, "nhwc", "f16");
    setup_fill(&planes, _i % 3 ? "normal" : "special", 5);
    fsc__tensor_deinit(&last.in[0]);
    last.in[0] = conv_turned(&planes.in[0], FSC__LAYOUT_NCHW);
    memcpy(last.in[1].data, planes.in[1].data,
           (size_t)fsc__shape_elems(&last.in[1].shape) * fsc__dtype_bytes(last.in[1].type));
    fsc_tensor bounds[2], truths[2];
    truths[0] = setup_truth(&planes, &bounds[0]);
    truths[1] = setup_truth(&last, &bounds[1]);
    fsc_tensor truth = conv_turned(&truths[1], FSC__LAYOUT_NHWC);
    fsc_tensor bound = conv_turned(&bounds[1], FSC__LAYOUT_NHWC);
    ck_same_bits(&truth, &truths[0], "truth");
    ck_same_bits(&bound, &bounds[0], "bound");
    for (int i = 0; i < 2; i++) {
        fsc__tensor_deinit(&truths[i]);
        fsc__tensor_deinit(&bounds[i]);
    }
    fsc__tensor_deinit(&truth);
    fsc__tensor_deinit(&bound);
    setup_deinit(&planes);
    setup_deinit(&last);
}
END_TEST

/* The halo is +0 and is multiplied: an infinite weight gives NaN where it meets the halo, and the
   infinity of its input elsewhere. A prologue does not work on the halo. */
START_TEST(halo)
{
    setup s;
    setup_init(&s, "add(7)+conv2d(pads=1:1:0:2)", "1x1x3x4:1x1x2x2", "f32");
    setup_all(&s, "x", 1.0);
    setup_set(&s, "w", (double[]){1.0, 2.0, 4.0, 16.0}, 4);
    fsc_tensor bound, truth = setup_truth(&s, &bound);
    const double sums[3][6] = {{128.0, 160.0, 160.0, 160.0, 32.0, 0.0},
                               {144.0, 184.0, 184.0, 184.0, 40.0, 0.0},
                               {144.0, 184.0, 184.0, 184.0, 40.0, 0.0}};
    ck_assert_int_eq(fsc__shape_elems(&truth.shape), 18);
    for (int64_t i = 0; i < 18; i++) {
        ck_assert_double_eq(element(&truth, i), sums[i / 6][i % 6]);
        ck_assert(!signbit(element(&truth, i)));
    }
    fsc__tensor_deinit(&truth);
    fsc__tensor_deinit(&bound);
    setup_set(&s, "w", (double[]){-INFINITY, 2.0, 4.0, 16.0}, 4);
    truth = setup_truth(&s, &bound);
    for (int64_t i = 0; i < 18; i++) {
        const bool inside = i >= 6 && i % 6 >= 1 && i % 6 <= 4;
        if (inside)
            ck_assert_double_eq(element(&truth, i), -INFINITY);
        else
            ck_assert_double_nan(element(&truth, i));
        ck_assert_double_eq(element(&bound, i), INFINITY);
    }
    fsc__tensor_deinit(&truth);
    fsc__tensor_deinit(&bound);
    setup_deinit(&s);
}
END_TEST

/* Pads that are larger than the image: whole rows and columns of outputs see the halo alone. */
START_TEST(far_halo)
{
    setup s;
    setup_init(&s, "conv2d(pads=9,stride=3)", "1x2x4x5:3x2x2x2", "f32");
    setup_all(&s, "x", 1.0);
    setup_all(&s, "w", 1.0);
    fsc_tensor truth = setup_truth(&s, NULL);
    const int64_t *size = truth.shape.dims;
    ck_assert_int_eq(size[2], 7);
    ck_assert_int_eq(size[3], 8);
    for (int64_t i = 0; i < fsc__shape_elems(&truth.shape); i++) {
        const int64_t y = i / 8 % 7, x = i % 8;
        const double rows = y == 3 ? 2 : y == 4 ? 1 : 0, cols = x == 3 || x == 4 ? 2 : 0;
        ck_assert_double_eq(element(&truth, i), 2 * rows * cols);
    }
    fsc__tensor_deinit(&truth);
    setup_deinit(&s);
}
END_TEST

/* Sums in f32 by a plain loop err by no more than the bound; where no operand errs, the bound is
   known from the magnitudes. */
START_TEST(bounds_hold)
{
    const char *const families[] = {"normal", "uniform:-8:8", "small", "large"};
    setup s;
    setup_random(&s, (uint64_t)_i + 2000, _i % 2 ? "nhwc" : "nchw", "f32");
    setup_fill(&s, families[_i % 4], (uint64_t)_i);
    const fsc__conv2d_dims d = fsc__graph_conv2d(s.graph, &s.graph->nodes[0]);
    fsc_tensor bound, truth = setup_truth(&s, &bound);
    for (int64_t i = 0; i < fsc__shape_elems(&truth.shape); i++) {
        const place p = place_of(&truth.shape, d.layout, i);
        float sum = 0.0f;
        double products = 0.0, factors = 0.0;
        for (int64_t t = 0; t < d.terms; t++) {
            double a, b;
            conv_term(&d, &s.in[0], &s.in[1], p, t, &a, &b);
            sum += (float)a * (float)b;
            products += fabs(a * b);
            factors += fabs(a) + fabs(b);
        }
        const double limit = element(&bound, i), terms = (double)d.terms;
        const double want = 2.0 * terms * (products * 0x1p-24 + 0x1p-126) + factors * 0x1p-125;
        if (isinf(limit)) {
            ck_assert_double_ge(products, 1e38);
            continue;
        }
        ck_assert_double_le(fabs((double)sum - element(&truth, i)), limit);
        ck_assert_double_le(fabs(limit - want), 1e-12 * want);
    }
    fsc__tensor_deinit(&truth);
    fsc__tensor_deinit(&bound);
    setup_deinit(&s);
}
END_TEST

/* What an op before the convolution may be off is carried: one f16 rounding of each x. */
START_TEST(carried_errors)
{
    setup s;
    setup_init(&s, "mul(3)+conv2d", "1x4x5x5:2x4x3x3", "f16");
    setup_all(&s, "x", 1.0 / 3.0);
    setup_all(&s, "w", 1.0);
    fsc_tensor bound, truth = setup_truth(&s, &bound);
    const double value = 3.0 * element(&s.in[0], 0), spacing = 0x1p-11;
    for (int64_t i = 0; i < fsc__shape_elems(&truth.shape); i++) {
        const double carried = 36 * (value * 0x1p-24 + 0.5 * spacing);
        const double own = 2.0 * 36 * 36 * value * 0x1p-24, stored = 0.5 * 0x1p-5;
        const double want = carried + own + stored;
        ck_assert_double_eq_tol(element(&truth, i), 36 * value, 1e-12);
        ck_assert_double_le(fabs(element(&bound, i) - want), 0.01 * want);
    }
    fsc__tensor_deinit(&truth);
    fsc__tensor_deinit(&bound);
    setup_deinit(&s);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("truth_conv2d");
    TCase *tc = tcase_create("conv2d");
    tcase_add_loop_test(tc, random_sizes, 0, RANDOM_COUNT);
    tcase_add_loop_test(tc, layouts_agree, 0, RANDOM_COUNT / 2);
    tcase_add_test(tc, halo);
    tcase_add_test(tc, far_halo);
    tcase_add_loop_test(tc, bounds_hold, 0, RANDOM_COUNT);
    tcase_add_test(tc, carried_errors);
    suite_add_tcase(suite, tc);
    return suite;
}
