/* The prediction of layernorm and rmsnorm against plain loops written from the formulas of
   predict.h, for each variance, order, contraction and row length; and known rows. */
#include "reference_fixture.h"

#include <stdio.h>

const int fsc__test_forks = 1;

enum { MOST_COLS = 100000 };

/* Element i belongs to bin i % n (lanes) or i / n (chunk), or to the only one. */
static int64_t bin_of(fsc__order order, int64_t i)
{
    if (order.kind == FSC__ORDER_LANES)
        return i % order.n;
    return order.kind == FSC__ORDER_CHUNK ? i / order.n : 0;
}

static int64_t bin_count(fsc__order order, int64_t cols)
{
    if (order.kind == FSC__ORDER_LANES)
        return order.n;
    return order.kind == FSC__ORDER_CHUNK ? (cols - 1) / order.n + 1 : 1;
}

/* S(x) or, squared, S(x*x) with or without fma. */
static float sum(fsc__order order, const float *x, int64_t cols, bool squared, bool fused)
{
    static float bins[MOST_COLS];
    const int64_t count = bin_count(order, cols);
    for (int64_t i = 0; i < count; i++)
        bins[i] = 0.0f;
    for (int64_t i = 0; i < cols; i++) {
        float *bin = &bins[bin_of(order, i)];
        if (!squared)
            *bin = *bin + x[i];
        else if (fused)
            *bin = fmaf(x[i], x[i], *bin);
        else
            *bin = *bin + x[i] * x[i];
    }
    if (order.kind == FSC__ORDER_SEQUENTIAL)
        return bins[0];
    if (order.kind == FSC__ORDER_CHUNK) {
        float total = 0.0f;
        for (int64_t i = 0; i < count; i++)
            total = total + bins[i];
        return total;
    }
    for (int64_t s = count / 2; s >= 1; s /= 2)
        for (int64_t i = 0; i < s; i++)
            bins[i] = bins[i] + bins[i + s];
    return bins[0];
}

typedef struct welford {
    float n, mean, m2;
} welford;

static welford merge(welford a, welford b)
{
    if (b.n == 0.0f)
        return a;
    if (a.n == 0.0f)
        return b;
    const float n = a.n + b.n, delta = b.mean - a.mean;
    const float shift = delta * (b.n / n);
    const float between = (delta * delta) * ((a.n * b.n) / n);
    return (welford){n, a.mean + shift, (a.m2 + b.m2) + between};
}

static welford welford_of(fsc__order order, const float *x, int64_t cols, bool fused)
{
    static welford bins[MOST_COLS];
    const int64_t count = bin_count(order, cols);
    memset(bins, 0, (size_t)count * sizeof *bins);
    for (int64_t i = 0; i < cols; i++) {
        welford *w = &bins[bin_of(order, i)];
        w->n += 1.0f;
        const float delta = x[i] - w->mean;
        w->mean = w->mean + delta / w->n;
        const float after = x[i] - w->mean;
        w->m2 = fused ? fmaf(delta, after, w->m2) : w->m2 + delta * after;
    }
    if (order.kind == FSC__ORDER_CHUNK) {
        welford total = {0};
        for (int64_t i = 0; i < count; i++)
            total = merge(total, bins[i]);
        return total;
    }
    for (int64_t s = count / 2; s >= 1; s /= 2)
        for (int64_t i = 0; i < s; i++)
            bins[i] = merge(bins[i], bins[i + s]);
    return bins[0];
}

static void norm(const setup *s, const float *x, int64_t cols, float eps, float *y)
{
    static float d[MOST_COLS];
    const fsc__order order = fsc__plan_order(s->fused, &s->fused->groups[0]);
    const bool fused = s->mode.contract == FSC__CONTRACT_SUMS;
    const bool layernorm = s->graph->input_count == 3;
    const float n = (float)cols;
    float variance;
    memcpy(d, x, (size_t)cols * sizeof *d);
    if (!layernorm) {
        variance = sum(order, x, cols, true, fused) / n;
    } else if (s->mode.variance == FSC__VARIANCE_WELFORD) {
        const welford w = welford_of(order, x, cols, fused);
        variance = w.m2 / n;
        for (int64_t i = 0; i < cols; i++)
            d[i] = x[i] - w.mean;
    } else {
        const float m = sum(order, x, cols, false, fused) / n;
        for (int64_t i = 0; i < cols; i++)
            d[i] = x[i] - m;
        if (s->mode.variance == FSC__VARIANCE_CORRECTED) {
            const float e = sum(order, d, cols, false, fused) / n;
            for (int64_t i = 0; i < cols; i++)
                d[i] = (x[i] - m) - e;
        }
        if (s->mode.variance == FSC__VARIANCE_ONE_PASS) {
            const float square = m * m;
            variance = sum(order, x, cols, true, fused) / n - square;
        } else {
            variance = sum(order, d, cols, true, fused) / n;
        }
    }
    const float rstd = 1.0f / sqrtf(variance + eps);
    for (int64_t i = 0; i < cols; i++) {
        const float scaled = (d[i] * rstd) * (float)element(&s->in[1], i);
        y[i] = layernorm ? scaled + (float)element(&s->in[2], i) : scaled;
    }
}

static void check(const char *chain, int rows, int cols, const char *mode, const char *family)
{
    static float x[MOST_COLS], y[MOST_COLS];
    char shape[64], what[300];
    setup s;
    snprintf(shape, sizeof shape, "%dx%d", rows, cols);
    setup_init(&s, chain, shape, mode);
    setup_fill(&s, family, 11);
    fsc_tensor out = setup_predict(&s, s.fused), want;
    ck_status_ok(fsc__tensor_init(&want, out.type, &out.shape, &s.why), &s.why);
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t i = 0; i < cols; i++)
            x[i] = (float)element(&s.in[0], row * cols + i);
        norm(&s, x, cols, s.graph->nodes[0].attr[0], y);
        for (int64_t i = 0; i < cols; i++)
            fsc__dtype_store(want.type, want.data, row * cols + i, (double)y[i]);
    }
    snprintf(what, sizeof what, "%s %s %s %s", chain, shape, mode, family);
    ck_same_bits(&out, &want, what);
    fsc__tensor_deinit(&out);
    fsc__tensor_deinit(&want);
    setup_deinit(&s);
}

static const char *const variances[] = {"corrected", "two_pass", "one_pass", "welford"};
static const char *const orders[] = {"sequential", "lanes:1", "lanes:8",  "lanes:256",
                                     "lanes:1024", "chunk:1", "chunk:100"};
enum { VARIANCE_COUNT = 4, ORDER_COUNT = sizeof orders / sizeof orders[0] };

START_TEST(layernorm)
{
    const char *variance = variances[_i / ORDER_COUNT], *order = orders[_i % ORDER_COUNT];
    const int lengths[] = {1, 2, 3, 7, 101, 255, 256, 257, 1500};
    char mode[100];
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        snprintf(mode, sizeof mode, "%s,variance=%s,order=%s,contract=%s",
                 l % 3 == 0 ? "f16" : "f32", variance, order, l % 2 ? "off" : "sums");
        check("layernorm", 3, lengths[l], mode, "normal");
    }
    snprintf(mode, sizeof mode, "f32,variance=%s,order=%s", variance, order);
    check("layernorm(eps=1e-12)", 2, 300, mode, "normal:1000:0.01");
    check("layernorm", 4, 64, mode, "special");
    check("layernorm", 4, 64, mode, "small");
    check("layernorm", 1, 65537, mode, "normal");
}
END_TEST

START_TEST(rmsnorm)
{
    const int lengths[] = {1, 3, 255, 257, 1500, 70001};
    char mode[100];
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        snprintf(mode, sizeof mode, "%s,order=%s,contract=%s", l % 3 == 0 ? "bf16" : "f32",
                 orders[_i], l % 2 ? "off" : "sums");
        check("rmsnorm", 2, lengths[l], mode, "normal");
    }
}
END_TEST

static void setup_row(setup *s, const char *chain, int cols, const char *mode)
{
    char shape[32];
    snprintf(shape, sizeof shape, "1x%d", cols);
    setup_init(s, chain, shape, mode);
    setup_all(s, "gamma", 1.0);
}

/* K1 */
START_TEST(large_mean)
{
    const char *const modes[] = {"f32", "f32,variance=two_pass", "f32,variance=welford"};
    for (int i = 0; i < 3; i++) {
        setup s;
        setup_row(&s, "layernorm(eps=1e-5)", 4, modes[i]);
        setup_set(&s, "x", (double[]){40000, 40001, 40002, 40003}, 4);
        const double want[] = {-1.341635, -0.447212, 0.447212, 1.341635};
        for (int j = 0; j < 4; j++)
            ck_assert_double_le(fabs(setup_element(&s, j) - want[j]), 1e-6);
        setup_deinit(&s);
    }
}
END_TEST

/* K2 */
START_TEST(constant_row)
{
    setup s;
    setup_row(&s, "layernorm", 256, "f32");
    setup_all(&s, "x", 1234.0);
    for (int i = 0; i < 256; i++)
        ck_assert_double_eq(setup_element(&s, i), 0.0);
    setup_deinit(&s);
}
END_TEST

/* K3: the corrected mean reaches what a float mean alone does not */
START_TEST(small_steps_on_a_large_mean)
{
    double x[16];
    for (int i = 0; i < 16; i++)
        x[i] = 1000.0 + i * 1e-3;
    setup s;
    setup_row(&s, "layernorm(eps=1e-5)", 16, "f32");
    setup_set(&s, "x", x, 16);
    fsc_tensor truth = setup_truth(&s, NULL);
    ck_assert_double_le(fabs(element(&truth, 0) + 1.341508), 1e-6);
    ck_assert_double_le(fabs(setup_element(&s, 0) - element(&truth, 0)), 2e-7);
    setup_mode(&s, "f32,variance=two_pass,order=sequential");
    ck_assert_double_le(fabs(setup_element(&s, 0) + 1.3095), 1e-4);
    fsc__tensor_deinit(&truth);
    setup_deinit(&s);
}
END_TEST

/* K16: eps is f32 whatever the storage type */
START_TEST(eps_in_half)
{
    setup s;
    setup_row(&s, "rmsnorm(eps=1e-12)", 64, "f16");
    setup_all(&s, "x", 0x1p-20);
    ck_assert_double_eq(setup_element(&s, 0), (double)fsc__dtype_round(FSC_F16, 0.69018f));
    setup_deinit(&s);
    setup_row(&s, "rmsnorm(eps=1e-5)", 64, "f16");
    setup_all(&s, "x", 0x1p-12);
    const double right = 0x1p-12 / sqrt(0x1p-24 + (double)1e-5f);
    ck_assert_double_eq(setup_element(&s, 0), (double)fsc__dtype_round(FSC_F16, (float)right));
    setup_deinit(&s);
}
END_TEST

/* K20 */
START_TEST(squares_beyond_half)
{
    setup s;
    setup_row(&s, "rmsnorm", 2048, "f16");
    setup_all(&s, "x", 300.0);
    ck_assert_double_eq(setup_element(&s, 0), 1.0);
    ck_assert_double_eq(setup_element(&s, 2047), 1.0);
    setup_deinit(&s);
    setup_row(&s, "layernorm", 2048, "f16");
    setup_all(&s, "x", 300.0);
    setup_all(&s, "beta", 0.75);
    ck_assert_double_eq(setup_element(&s, 0), 0.75);
    ck_assert_double_eq(setup_element(&s, 2047), 0.75);
    setup_deinit(&s);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("predict_norm");
    TCase *tc = tcase_create("norm");
    tcase_add_loop_test(tc, layernorm, 0, VARIANCE_COUNT * ORDER_COUNT);
    tcase_add_loop_test(tc, rmsnorm, 0, ORDER_COUNT);
    tcase_add_test(tc, large_mean);
    tcase_add_test(tc, constant_row);
    tcase_add_test(tc, small_steps_on_a_large_mean);
    tcase_add_test(tc, eps_in_half);
    tcase_add_test(tc, squares_beyond_half);
    tcase_set_timeout(tc, 120);
    suite_add_tcase(suite, tc);
    return suite;
}
