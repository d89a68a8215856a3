/* Known answers on the device: each value was computed in double or exactly; what went wrong
   elsewhere is named beside it. The device must also equal the prediction in every bit. */
#include <math.h>

#include "harness.h"
#include "pipeline.h"

const int fsc__test_forks = 0;

static pipeline p;

/* Runs, checks the prediction, and gives output i. */
static void run(void)
{
    fsc_device *device = pipeline_device();
    pipeline_predict(&p, fsc__device_caps(device)->fma);
    pipeline_run(&p, device, NULL);
    ck_assert_int_eq(pipeline_first_difference(&p.out, &p.predicted), -1);
}

static double output(int64_t i)
{
    return fsc__dtype_load(p.out.type, p.out.data, i);
}

static void open_norm(const char *chain, const char *shape, const char *mode)
{
    pipeline_open(&p, chain, shape, mode, false);
    pipeline_set_all(&p, "gamma", 1);
    if (fsc__graph_input(p.graph, "beta") >= 0)
        pipeline_set_all(&p, "beta", 0);
}

START_TEST(k1_large_offset)
{
    const double x[] = {40000, 40001, 40002, 40003};
    const double want[] = {-1.341635, -0.447212, 0.447212,
                           1.341635}; /* NaN: one-pass variance -128 */
    open_norm("layernorm(eps=1e-5)", "1x4", "f32");
    pipeline_set(&p, "x", x, 4);
    run();
    for (int i = 0; i < 4; i++)
        ck_assert_double_eq_tol(output(i), want[i], 1e-6);
    pipeline_close(&p);
}
END_TEST

START_TEST(k2_constant_row)
{
    open_norm("layernorm(eps=1e-5)", "1x256", "f32");
    pipeline_set_all(&p, "x", 1234);
    run();
    for (int i = 0; i < 256; i++)
        ck_assert_double_eq(output(i), 0); /* NaN: one-pass variance -3.25 */
    pipeline_close(&p);
}
END_TEST

START_TEST(k3_small_spread)
{
    static const struct {
        const char *mode;
        double first, tolerance;
    } rows[] = {{"f32", -1.341508, 1e-6},
                {"f32,variance=two_pass,order=sequential", -1.3095, 2e-2},
                {"f32,variance=welford", -1.341508, 5e-2}};
    double x[16];
    for (int i = 0; i < 16; i++)
        x[i] = 1000 + i * 1e-3;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        open_norm("layernorm(eps=1e-5)", "1x16", rows[r].mode);
        pipeline_set(&p, "x", x, 16);
        run();
        ck_assert_double_eq_tol(output(0), rows[r].first, rows[r].tolerance);
        pipeline_close(&p);
    }
}
END_TEST

START_TEST(k4_fusion_helps)
{
    for (int unfused = 0; unfused < 2; unfused++) {
        pipeline_open(&p, "mul+sub", "1x3", "f16", unfused);
        pipeline_set_all(&p, "x", 300);
        pipeline_set_all(&p, "x2", 300);
        pipeline_set_all(&p, "x3", 60000);
        run();
        ck_assert_double_eq(output(1), unfused ? (double)INFINITY : 30000.0);
        pipeline_close(&p);
    }
}
END_TEST

START_TEST(k5_k6_no_stall)
{
    pipeline_open(&p, "matmul", "1x4096:4096x1", "f16", false);
    pipeline_set_all(&p, "x", 0.1);
    pipeline_set_all(&p, "w", 1);
    run();
    ck_assert_double_eq(output(0), 409.5); /* a half accumulator stalls at 256 */
    pipeline_close(&p);
    pipeline_open(&p, "matmul+scale(by=scalar)", "1x65536:65536x1", "f16", false);
    pipeline_set_all(&p, "x", 1);
    pipeline_set_all(&p, "w", 1);
    pipeline_set_all(&p, "scale", 0.5);
    run();
    ck_assert_double_eq(output(0), 32768); /* a half accumulator stalls at 2048 */
    pipeline_close(&p);
    pipeline_open(&p, "matmul", "1x65536:65536x1", "f16", false);
    pipeline_set_all(&p, "x", 1);
    pipeline_set_all(&p, "w", 1);
    run();
    ck_assert_double_eq(output(0), INFINITY);
    pipeline_close(&p);
}
END_TEST

/* K7 in a chain, where contract allows no fma, and in a sum of two products, where it asks for one:
   1*c + a*b. */
START_TEST(k7_contraction)
{
    static const struct {
        float a, b, c;
        double fused;
    } rows[] = {{1.0000001f, 1.0000001f, -1.0000002f, 1.42108547e-14},
                {4097, 4097, -16785408, 1},
                {0.1f, 10, -1, 1.49011612e-08}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const double left[] = {rows[r].c, rows[r].a}, right[] = {1, rows[r].b};
        pipeline_open(&p, "mul+add", "1x1", "f32", false);
        pipeline_set_all(&p, "x", rows[r].a);
        pipeline_set_all(&p, "x2", rows[r].b);
        pipeline_set_all(&p, "x3", rows[r].c);
        run();
        ck_assert_double_eq(output(0), 0);
        pipeline_close(&p);
        for (int off = 0; off < 2; off++) {
            pipeline_open(&p, "matmul", "1x2:2x1", off ? "f32,contract=off" : "f32", false);
            pipeline_set(&p, "x", left, 2);
            pipeline_set(&p, "w", right, 2);
            run();
            ck_assert_double_eq_tol(output(0), off ? 0 : rows[r].fused, 1e-8 * rows[r].fused);
            pipeline_close(&p);
        }
    }
}
END_TEST

START_TEST(k8_k10_k12_activations)
{
    static const struct {
        const char *chain, *mode;
        double x, y, tolerance;
    } rows[] = {{"gelu", "f32", -2, -4.55002639e-2, 4e-9},
                {"gelu", "f32", -4, -1.26684967e-4, 1e-11},
                {"gelu", "f32,gelu=tanh", -2, -4.54023059e-2, 4e-9},
                {"gelu_tanh", "f32", -4, -7.02459482e-5, 1e-11},
                {"gelu", "f32", -6, -5.9195e-9, 1e-13},
                {"gelu_tanh", "f32", 11, 11, 0},
                {"gelu_tanh", "f32", 13.24, 13.24f, 0},
                {"gelu_tanh", "f32", 40, 40, 0},
                {"gelu_tanh", "f32", 89, 89, 0},
                {"gelu_tanh", "f16", 40, 40, 0}, /* inf: the cube formed in half (K11) */
                {"gelu_tanh", "f16", 41, 41, 0},
                {"silu", "f32", -89, -1.98e-37, 1e-39},
                {"silu", "f32", -104, -7e-44, 2e-45},
                {"silu", "f32", -INFINITY, 0, 0},
                {"silu", "f32", INFINITY, INFINITY, 0}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        pipeline_open(&p, rows[r].chain, "1x5", rows[r].mode, false);
        pipeline_set_all(&p, "x", rows[r].x);
        run();
        if (rows[r].tolerance == 0)
            ck_assert_double_eq(output(3), rows[r].y);
        else
            ck_assert_double_eq_tol(output(3), rows[r].y, rows[r].tolerance);
        pipeline_close(&p);
    }
}
END_TEST

START_TEST(k13_relu)
{
    const double x[] = {NAN, -INFINITY, -1, -0.0, 2};
    pipeline_open(&p, "relu", "1x5", "f32", false);
    pipeline_set(&p, "x", x, 5);
    run();
    ck_assert(isnan(output(0))); /* max(x, 0) gives 0 */
    for (int i = 1; i < 4; i++)
        ck_assert(output(i) == 0 && !signbit(output(i)));
    ck_assert_double_eq(output(4), 2);
    pipeline_close(&p);
}
END_TEST

START_TEST(k16_eps_stays_f32)
{
    open_norm("layernorm(eps=1e-12)", "1x2", "f16");
    const double x[] = {1e-6, -1e-6}; /* as half: 1.0133e-6; its square is near eps */
    pipeline_set(&p, "x", x, 2);
    run();
    const double half = fsc__dtype_load(FSC_F16, p.in[0].data, 0);
    ck_assert_double_eq_tol(output(0), half / sqrt(half * half + 1e-12), 1e-3); /* eps 0 gives 1 */
    pipeline_close(&p);
}
END_TEST

START_TEST(k17_store_to_half)
{
    /* add(0) moves the f32 sums 65519.996 .. through one store. */
    const double x[] = {65504, 65504, 0, 0, 1}, y[] = {15.996, 16, 2.9802322e-8, 3e-8, 0.00048828};
    const double want[] = {65504, INFINITY, 0, 5.9604644775390625e-8, 1};
    pipeline_open(&p, "bias", "1x5", "f16", false); /* params are f32 */
    pipeline_set(&p, "x", x, 5);
    pipeline_set(&p, "bias", y, 5);
    run();
    for (int i = 0; i < 5; i++)
        ck_assert_msg(output(i) == want[i], "%d: %.9g, want %.9g", i, output(i), want[i]);
    pipeline_close(&p);
}
END_TEST

START_TEST(k18_bf16_rounds)
{
    pipeline_open(&p, "mul", "1x1", "bf16", false);
    pipeline_set_all(&p, "x", 1.25);
    pipeline_set_all(&p, "x2", 1.609375);
    run();
    ck_assert_double_eq(output(0), 2.015625); /* truncated: 2.0 */
    pipeline_close(&p);
}
END_TEST

START_TEST(k20_norm_of_large_halves)
{
    open_norm("rmsnorm", "1x2048", "f16");
    pipeline_set_all(&p, "x", 300); /* mean square 90000 is beyond half */
    run();
    ck_assert_double_eq(output(77), 1);
    pipeline_close(&p);
    open_norm("layernorm", "1x2048", "f16");
    pipeline_set_all(&p, "x", 300);
    pipeline_set_all(&p, "beta", 0.25);
    run();
    ck_assert_double_eq(output(77), 0.25);
    pipeline_close(&p);
}
END_TEST

START_TEST(k22_converted_at_the_end)
{
    pipeline_open(&p, "mul", "1x1", "f16", false);
    pipeline_set_all(&p, "x", 300);
    pipeline_set_all(&p, "x2", 300);
    run();
    ck_assert_double_eq(output(0), INFINITY);
    pipeline_close(&p);
    pipeline_open(&p, "mul+mul(0.5)", "1x1", "f16", false);
    pipeline_set_all(&p, "x", 300);
    pipeline_set_all(&p, "x2", 300);
    run();
    ck_assert_double_eq(output(0), 44992); /* 45000 as half */
    pipeline_close(&p);
}
END_TEST

static int64_t differing(const fsc_tensor *a, const fsc_tensor *b)
{
    int64_t count = 0;
    const uint16_t *left = a->data, *right = b->data;
    for (int64_t i = 0; i < fsc__shape_elems(&a->shape); i++)
        count += left[i] != right[i];
    return count;
}

START_TEST(k23_bf16_rounding_skipped)
{
    fsc_device *device = pipeline_device();
    pipeline unfused;
    pipeline_open(&unfused, "mul+add", "1x16384", "bf16", true);
    pipeline_fill(&unfused, "uniform:-2:2", 7);
    pipeline_run(&unfused, device, NULL);
    for (int round = 0; round < 2; round++) {
        pipeline_open(&p, "mul+add", "1x16384", round ? "bf16,boundary=round" : "bf16", false);
        pipeline_fill(&p, "uniform:-2:2", 7);
        run();
        const double share = (double)differing(&p.out, &unfused.out) / 16384;
        if (round)
            ck_assert_double_eq(share, 0);
        else
            ck_assert_double_eq_tol(share, 0.27, 0.02);
        pipeline_close(&p);
    }
    pipeline_close(&unfused);
}
END_TEST

START_TEST(k24_integers_are_exact)
{
    static const char *const modes[] = {"f32",
                                        "f32,contract=off",
                                        "f32,order=lanes:32",
                                        "f32,order=chunk:5",
                                        "f16",
                                        "f16,order=lanes:8",
                                        "bf16",
                                        "bf16,boundary=round"};
    static const fsc__tile tiles[] = {{16, 8, 2}, {8, 3, 1}, {1, 2, 2}};
    static const char *const shapes[] = {"7x13:13x5", "17x101:101x33", "1x300:300x1"};
    for (size_t s = 0; s < 3; s++)
        for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
            pipeline_open(&p, "matmul+bias+relu", shapes[s], modes[m], false);
            pipeline_fill(&p, "integers", 3 + s);
            pipeline_truth(&p);
            for (size_t t = 0; t < 3; t++) {
                pipeline_run(&p, pipeline_device(), &tiles[t]);
                for (int64_t i = 0; i < fsc__shape_elems(&p.out.shape); i++)
                    ck_assert_double_eq(output(i), fsc__dtype_load(FSC_F64, p.truth.data, i));
            }
            pipeline_close(&p);
        }
}
END_TEST

START_TEST(k26_long_reduction)
{
    pipeline_open(&p, "matmul", "1x100000:100000x1", "f32", false);
    pipeline_set_all(&p, "x", 1);
    pipeline_set_all(&p, "w", 1);
    run();
    ck_assert_double_eq(output(0), 100000); /* 65535: a driver's loop limit */
    pipeline_close(&p);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("known answers on the device");
    TCase *tests = tcase_create("known");
    tcase_add_test(tests, k1_large_offset);
    tcase_add_test(tests, k2_constant_row);
    tcase_add_test(tests, k3_small_spread);
    tcase_add_test(tests, k4_fusion_helps);
    tcase_add_test(tests, k5_k6_no_stall);
    tcase_add_test(tests, k7_contraction);
    tcase_add_test(tests, k8_k10_k12_activations);
    tcase_add_test(tests, k13_relu);
    tcase_add_test(tests, k16_eps_stays_f32);
    tcase_add_test(tests, k17_store_to_half);
    tcase_add_test(tests, k18_bf16_rounds);
    tcase_add_test(tests, k20_norm_of_large_halves);
    tcase_add_test(tests, k22_converted_at_the_end);
    tcase_add_test(tests, k23_bf16_rounding_skipped);
    tcase_add_test(tests, k24_integers_are_exact);
    tcase_add_test(tests, k26_long_reduction);
    suite_add_tcase(suite, tests);
    return suite;
}
