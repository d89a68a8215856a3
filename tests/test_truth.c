/* The truth: known values, ops in their tails, matmul and norms against plain loops, and bounds
   that hold for every prediction and that a wrong formula passes. */
#include "reference_fixture.h"

#include <stdio.h>

const int fsc__test_forks = 1;

static double op(const char *name, double a)
{
    return fsc__truth_op(fsc__op_find(name), &a, NULL);
}

#define ck_near(got, want, relative) \
    ck_assert_double_le(fabs((got) - (want)), (relative)*fabs(want))

/* K8 and K12, and tails where a careless formula is 0, 1 or NaN. */
START_TEST(ops)
{
    ck_near(op("gelu", -2.0), -4.55002638963584144e-2, 1e-13);
    ck_near(op("gelu", -4.0), -1.26684967332479685e-4, 1e-12);
    ck_near(op("gelu_tanh", -2.0), -4.5402305912224981e-2, 1e-13);
    ck_near(op("gelu_tanh", -4.0), -7.02459481923726898e-5, 1e-12);
    ck_near(op("gelu", -6.0), -5.919525870226188845e-9, 1e-12);
    ck_near(op("silu", -89.0), -89.0 * exp(-89.0), 1e-13);
    ck_near(op("silu", -104.0), -104.0 * exp(-104.0), 1e-13);
    ck_near(op("sigmoid", -40.0), exp(-40.0), 1e-13);
    ck_near(op("gelu_tanh", -9.0), -9.0 * exp(-2 * sqrt(2 / acos(-1)) * (9 + 0.044715 * 729)),
            1e-9);
    ck_assert_double_eq(op("gelu_tanh", 89.0), 89.0);
    const char *const vanishing[] = {"silu", "gelu", "gelu_tanh"};
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq(op(vanishing[i], -INFINITY), 0.0);
        ck_assert(signbit(op(vanishing[i], -INFINITY)));
        ck_assert_double_eq(op(vanishing[i], INFINITY), INFINITY);
        ck_assert_double_nan(op(vanishing[i], (double)NAN));
        ck_assert_double_eq(op(vanishing[i], -1e30), 0.0);
    }
    ck_assert_double_nan(op("relu", (double)NAN));
    ck_assert_double_eq(op("relu", -INFINITY), 0.0);
    ck_assert(!signbit(op("relu", -0.0)));
    ck_assert_double_eq(op("tanh", -INFINITY), -1.0);
    ck_assert_double_eq(op("exp", -INFINITY), 0.0);
    ck_assert_double_eq(fsc__truth_op(fsc__op_find("sub"), (const double[]){1.0, 3.0}, NULL), -2.0);
    ck_assert_double_eq(fsc__truth_op(fsc__op_find("div"), (const double[]){1.0, 4.0}, NULL), 0.25);
}
END_TEST

/* K9: the largest gap between the two gelus is 4.732e-4, at -2.699. */
START_TEST(gap_between_gelus)
{
    double largest = 0.0, place = 0.0;
    for (int i = -8000; i <= 8000; i++) {
        const double gap = fabs(op("gelu", i * 1e-3) - op("gelu_tanh", i * 1e-3));
        if (gap > largest) {
            largest = gap;
            place = i * 1e-3;
        }
    }
    ck_assert_double_le(fabs(largest - 4.732e-4), 1e-7);
    ck_assert_double_le(fabs(fabs(place) - 2.699), 5e-3);
}
END_TEST

START_TEST(matmul)
{
    const char *const chains[] = {"matmul", "matmul(transA=1)", "matmul(transB=1)",
                                  "matmul(transA=1,transB=1)"};
    const char *const shapes[] = {"2x9x261:2x261x131", "2x261x9:2x261x131", "2x9x261:2x131x261",
                                  "2x261x9:2x131x261"};
    setup s;
    setup_init(&s, chains[_i], shapes[_i], "f32");
    setup_fill(&s, "normal", 1);
    fsc_tensor truth = setup_truth(&s, NULL);
    const int64_t m = 9, n = 131, k = 261;
    for (int64_t i = 0; i < 2 * m * n; i++) {
        const int64_t z = i / (m * n), row = i / n % m, col = i % n;
        long double sum = 0.0L;
        for (int64_t t = 0; t < k; t++)
            sum +=
                (long double)element(&s.in[0], z * m * k + (_i & 1 ? t * m + row : row * k + t)) *
                element(&s.in[1], z * k * n + (_i & 2 ? col * k + t : t * n + col));
        ck_assert_double_le(fabs(element(&truth, i) - (double)sum), 1e-13);
    }
    fsc__tensor_deinit(&truth);
    setup_deinit(&s);
}
END_TEST

/* K1, K2, K3 */
START_TEST(layernorm)
{
    setup s;
    setup_init(&s, "layernorm(eps=1e-5)", "1x4", "f32");
    setup_set(&s, "x", (double[]){40000, 40001, 40002, 40003}, 4);
    setup_all(&s, "gamma", 2.0);
    setup_all(&s, "beta", 1.0);
    fsc_tensor truth = setup_truth(&s, NULL);
    for (int i = 0; i < 4; i++) {
        const double want = (i - 1.5) / sqrt(1.25 + (double)1e-5f) * 2.0 + 1.0;
        ck_assert_double_le(fabs(element(&truth, i) - want), 1e-14);
    }
    fsc__tensor_deinit(&truth);
    setup_all(&s, "x", 1234.0);
    truth = setup_truth(&s, NULL);
    ck_assert_double_eq(element(&truth, 3), 1.0);
    fsc__tensor_deinit(&truth);
    setup_deinit(&s);
}
END_TEST

START_TEST(rmsnorm)
{
    setup s;
    setup_init(&s, "rmsnorm(eps=1e-5)", "1x4", "f32");
    setup_set(&s, "x", (double[]){1, 2, 3, 4}, 4);
    setup_set(&s, "gamma", (double[]){1, 1, -1, 2}, 4);
    fsc_tensor truth = setup_truth(&s, NULL);
    const double rstd = 1.0 / sqrt(7.5 + (double)1e-5f);
    ck_assert_double_le(fabs(element(&truth, 2) + 3.0 * rstd), 1e-15);
    ck_assert_double_le(fabs(element(&truth, 3) - 8.0 * rstd), 1e-15);
    fsc__tensor_deinit(&truth);
    setup_deinit(&s);
}
END_TEST

/* The truth of gelu stays erf whatever the mode runs. */
START_TEST(gelu_stays_erf)
{
    setup s;
    setup_init(&s, "gelu", "1", "f32,gelu=tanh");
    setup_all(&s, "x", -2.0);
    fsc_tensor bound, truth = setup_truth(&s, &bound);
    ck_near(element(&truth, 0), -4.55002638963584144e-2, 1e-13);
    const double gap = fabs(setup_element(&s, 0) - element(&truth, 0));
    ck_assert_double_ge(gap, 9e-5);
    ck_assert_double_ge(element(&bound, 0), gap);
    ck_assert_double_le(element(&bound, 0), gap * 1.01);
    fsc__tensor_deinit(&truth);
    fsc__tensor_deinit(&bound);
    setup_deinit(&s);
}
END_TEST

static const char *const chains[][2] = {
    {"add+relu", "33x65"},
    {"mul+add", "33x65"},
    {"add+mul+sub+gelu+scale+bias+silu+abs", "33x65"},
    {"exp+div+tanh+sigmoid", "33x65"},
    {"gelu_tanh+neg+relu", "33x65"},
    {"matmul", "5x300:300x31"},
    {"silu+matmul+bias+gelu", "5x300:300x31"},
    {"matmul+bias+add+layernorm", "5x300:300x31"},
    {"conv2d(pads=1,stride=2)", "2x6x9x8:5x6x3x3"},
    {"silu+conv2d(pads=1,groups=3,layout=nhwc)+bias+relu", "2x9x8x6:9x2x3x3"},
    {"conv2d+relu+conv2d(pads=2,dilation=2)", "1x4x6x6:8x4x1x1:3x8x3x3"},
    {"add+layernorm+relu", "7x768"},
    {"layernorm", "7x31"},
    {"layernorm(eps=1e-12)", "3x1500"},
    {"rmsnorm+mul", "7x768"},
};
static const char *const modes[] = {
    "f32", "f16", "bf16", "f32,contract=off", "f16,boundary=round", "bf16,boundary=round",
};
static const char *const norm_modes[] = {
    "f32,variance=two_pass", "f32,variance=one_pass", "f32,variance=welford",
    "f32,order=sequential",  "f32,order=chunk:16",    "f16,variance=welford,order=sequential",
};
enum { CHAIN_COUNT = sizeof chains / sizeof chains[0], MODE_COUNT = 6 };

/* Each predicted output is within the bound of the truth. */
static void check_bound(setup *s, const char *what)
{
    const fsc__fma fmas[] = {FSC__FMA_EXACT, FSC__FMA_FLUSHES};
    fsc_tensor bound, truth = setup_truth(s, &bound), out;
    for (int v = 0; v < 4; v++) {
        ck_status_ok(
            fsc__predict(v / 2 ? s->fused : s->unfused, fmas[v % 2], s->in, &out, NULL, &s->why),
            &s->why);
        for (int64_t i = 0; i < fsc__shape_elems(&out.shape); i++) {
            const double got = element(&out, i), want = element(&truth, i);
            const double limit = element(&bound, i);
            if (!(limit == (double)INFINITY || fabs(got - want) <= limit))
                ck_abort_msg("%s: element %lld is %.9g, the truth %.9g, the bound %.3g", what,
                             (long long)i, got, want, limit);
        }
        fsc__tensor_deinit(&out);
    }
    fsc__tensor_deinit(&truth);
    fsc__tensor_deinit(&bound);
}

START_TEST(bounds_hold)
{
    const char *const families[] = {"normal",  "uniform:-8:8", "positive",         "ramp",
                                    "special", "small",        "normal:1000:0.01", "large"};
    const char *chain = chains[_i][0];
    const bool norm = strstr(chain, "layernorm") != NULL;
    for (int m = 0; m < MODE_COUNT * (norm ? 2 : 1); m++) {
        const char *mode = m < MODE_COUNT ? modes[m] : norm_modes[m - MODE_COUNT];
        const bool sums = strchr(chains[_i][1], ':') || strstr(chain, "norm");
        if (!sums && strstr(mode, "contract"))
            continue;
        setup s;
        setup_init(&s, chain, chains[_i][1], mode);
        for (int f = 0; f < 8; f++) {
            char what[200];
            setup_fill(&s, families[f], (uint64_t)f);
            snprintf(what, sizeof what, "%s %s %s", chain, mode, families[f]);
            check_bound(&s, what);
        }
        setup_deinit(&s);
    }
}
END_TEST

/* On ordinary inputs bounds are near enough that a wrong formula shows. */
START_TEST(bounds_are_tight)
{
    const struct {
        const char *chain, *shape, *mode;
        double most; /* of the largest output */
    } limits[] = {
        {"add+relu", "64x64", "f32", 2e-7},
        {"mul+add+silu", "64x64", "f32", 2e-6},
        {"mul+add+silu", "64x64", "f16", 2e-3},
        {"matmul+bias+gelu", "16x384:384x64", "f32", 2e-4},
        {"relu+conv2d(pads=1)+bias", "1x16x9x9:24x16x3x3", "f32", 2e-4},
        {"layernorm", "16x768", "f32", 1e-4},
        {"layernorm", "16x768", "f32,variance=two_pass", 1e-4},
        {"rmsnorm", "16x768", "f32", 1e-4},
    };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        setup s;
        setup_init(&s, limits[i].chain, limits[i].shape, limits[i].mode);
        setup_fill(&s, "normal", 4);
        fsc_tensor bound, truth = setup_truth(&s, &bound);
        double largest = 0.0, widest = 0.0;
        for (int64_t e = 0; e < fsc__shape_elems(&truth.shape); e++) {
            largest = fmax(largest, fabs(element(&truth, e)));
            widest = fmax(widest, element(&bound, e));
        }
        ck_assert_msg(widest <= limits[i].most * largest && widest > 0.0,
                      "%s %s: bound %.3g of the largest output", limits[i].chain, limits[i].mode,
                      widest / largest);
        fsc__tensor_deinit(&truth);
        fsc__tensor_deinit(&bound);
        setup_deinit(&s);
    }
}
END_TEST

/* The bounds of the gelu graph leave no room for gelu_tanh, nor those of layernorm for rmsnorm. */
START_TEST(wrong_formulas_show)
{
    const char *const pairs[][2] = {{"matmul+bias+gelu", "matmul+bias+gelu_tanh"},
                                    {"add+gelu", "add+gelu_tanh"},
                                    {"mul+silu", "mul+sigmoid"}};
    for (int i = 0; i < 3; i++) {
        setup right, wrong;
        const char *shape = i == 0 ? "16x64:64x64" : "64x64";
        setup_init(&right, pairs[i][0], shape, "f32");
        setup_init(&wrong, pairs[i][1], shape, "f32");
        setup_fill(&right, "normal", 6);
        setup_fill(&wrong, "normal", 6);
        fsc_tensor bound, truth = setup_truth(&right, &bound);
        fsc_tensor out = setup_predict(&wrong, wrong.fused);
        int64_t beyond = 0;
        for (int64_t e = 0; e < fsc__shape_elems(&truth.shape); e++)
            beyond += fabs(element(&out, e) - element(&truth, e)) > element(&bound, e);
        ck_assert_int_gt(beyond, fsc__shape_elems(&truth.shape) / 4);
        fsc__tensor_deinit(&truth);
        fsc__tensor_deinit(&bound);
        fsc__tensor_deinit(&out);
        setup_deinit(&right);
        setup_deinit(&wrong);
    }
}
END_TEST

/* No bound where the storage type may overflow or a divisor may be zero. */
START_TEST(no_bound)
{
    setup s;
    setup_init(&s, "mul", "1", "f16");
    setup_all(&s, "x", 300.0);
    setup_all(&s, "x2", 300.0);
    fsc_tensor bound, truth = setup_truth(&s, &bound);
    ck_assert_double_eq(element(&truth, 0), 90000.0);
    ck_assert_double_eq(element(&bound, 0), INFINITY);
    fsc__tensor_deinit(&truth);
    fsc__tensor_deinit(&bound);
    setup_deinit(&s);
    setup_init(&s, "sub+add(1, out=a)+sub(a)+add(0.5)+div(a)", "1", "f16");
    setup_all(&s, "x", 1.0);
    setup_all(&s, "x2", 1.0);
    truth = setup_truth(&s, &bound);
    ck_assert_double_eq(element(&truth, 0), 0.5);
    ck_assert(isfinite(element(&bound, 0)));
    fsc__tensor_deinit(&truth);
    fsc__tensor_deinit(&bound);
    setup_all(&s, "x2", 2.0005);
    truth = setup_truth(&s, &bound);
    ck_assert_double_eq(element(&bound, 0), INFINITY);
    fsc__tensor_deinit(&truth);
    fsc__tensor_deinit(&bound);
    setup_deinit(&s);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("truth");
    TCase *tc = tcase_create("truth");
    tcase_add_test(tc, ops);
    tcase_add_test(tc, gap_between_gelus);
    tcase_add_loop_test(tc, matmul, 0, 4);
    tcase_add_test(tc, layernorm);
    tcase_add_test(tc, rmsnorm);
    tcase_add_test(tc, gelu_stays_erf);
    tcase_add_loop_test(tc, bounds_hold, 0, CHAIN_COUNT);
    tcase_add_test(tc, bounds_are_tight);
    tcase_add_test(tc, wrong_formulas_show);
    tcase_add_test(tc, no_bound);
    tcase_set_timeout(tc, 120);
    suite_add_tcase(suite, tc);
    return suite;
}
