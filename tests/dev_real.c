/* Layers of a real transformer (tests/data/bert): truth against the shipped float64 results, fused
   f32 against another runtime's, and boundary=round against the unfused pipeline, bit for bit, here
   and on made chains. */
#include <math.h>
#include <stdio.h>

#include "graph/npy.h"
#include "harness.h"
#include "pipeline.h"

const int fsc__test_forks = 0;

typedef struct layer {
    const char *folder, *chain, *shape;
    const char *inputs[7][2]; /* graph name, file */
} layer;

static const layer layers[] = {
    {"ffn1_matmul_bias_gelu",
     "matmul+bias+gelu",
     "67x384:384x160",
     {{"x", "x"}, {"w", "w"}, {"bias", "b"}}},
    {"attn_out_add_layernorm",
     "add(skip)+layernorm(eps=1e-12)",
     NULL,
     {{"x", "x"}, {"skip", "skip"}, {"gamma", "gamma"}, {"beta", "beta"}}},
    {"attn_out_matmul_bias_add_layernorm",
     "matmul+bias+add(skip)+layernorm(eps=1e-12)",
     "13x384:384x384",
     {{"x", "x"},
      {"w", "w"},
      {"bias", "b"},
      {"skip", "skip"},
      {"gamma", "gamma"},
      {"beta", "beta"}}},
};
enum { LAYERS = sizeof layers / sizeof *layers };

static void load_layer(pipeline *p, const layer *l, const char *mode, bool unfused)
{
    char file[256], shape[128];
    fsc_error why;
    fsc_tensor x;
    snprintf(file, sizeof file, "%s/bert/%s/x.npy", FSC_TEST_DATA, l->folder);
    ck_status_ok(fsc__npy_read(file, &x, &why), &why);
    fsc__shape_write(&x.shape, shape, sizeof shape);
    fsc__tensor_deinit(&x);
    pipeline_open(p, l->chain, l->shape ? l->shape : shape, mode, unfused);
    for (int i = 0; l->inputs[i][0]; i++) {
        snprintf(file, sizeof file, "bert/%s/%s.npy", l->folder, l->inputs[i][1]);
        pipeline_load(p, l->inputs[i][0], file);
    }
}

/* Largest |got - want| over the largest |want|. */
static double rel_norm(const fsc_tensor *got, const char *folder, const char *want_file)
{
    char file[256];
    fsc_error why;
    fsc_tensor want;
    snprintf(file, sizeof file, "%s/bert/%s/%s.npy", FSC_TEST_DATA, folder, want_file);
    ck_status_ok(fsc__npy_read(file, &want, &why), &why);
    double worst = 0, largest = 0;
    ck_assert_int_eq(fsc__shape_elems(&want.shape), fsc__shape_elems(&got->shape));
    for (int64_t i = 0; i < fsc__shape_elems(&want.shape); i++) {
        const double w = fsc__dtype_load(want.type, want.data, i);
        worst = fmax(worst, fabs(fsc__dtype_load(got->type, got->data, i) - w));
        largest = fmax(largest, fabs(w));
    }
    fsc__tensor_deinit(&want);
    return worst / largest;
}

START_TEST(real_layer_is_right)
{
    const layer *l = &layers[_i];
    pipeline p;
    load_layer(&p, l, "f32", false);
    pipeline_truth(&p);
    pipeline_predict(&p, fsc__device_caps(pipeline_device())->fma);
    pipeline_run(&p, pipeline_device(), NULL);
    const double truth = rel_norm(&p.truth, l->folder, "y_f64");
    const double other = rel_norm(&p.out, l->folder, "y_ort");
    printf("%s: truth to y_f64 %.2g, fused f32 to y_ort %.2g\n", l->folder, truth, other);
    ck_assert_double_le(truth, 1e-12);
    ck_assert_double_le(other, 1e-5);
    ck_assert_int_eq(pipeline_first_difference(&p.out, &p.predicted), -1);
    pipeline_close(&p);
}
END_TEST

static const char *const rounded[] = {"f16,boundary=round", "bf16,boundary=round",
                                      "f16,boundary=round,params=storage",
                                      "bf16,boundary=round,contract=off"};

static void expect_equal(pipeline *fused, pipeline *unfused, const char *what, const char *mode)
{
    pipeline_run(fused, pipeline_device(), NULL);
    pipeline_run(unfused, pipeline_device(), NULL);
    const int64_t at = pipeline_first_difference(&fused->out, &unfused->out);
    ck_assert_msg(at == -1, "%s in %s: fused and unfused differ at %lld", what, mode,
                  (long long)at);
}

START_TEST(real_layer_round_equals_unfused)
{
    for (size_t m = 0; m < sizeof rounded / sizeof *rounded; m++) {
        pipeline fused, unfused;
        load_layer(&fused, &layers[_i], rounded[m], false);
        load_layer(&unfused, &layers[_i], rounded[m], true);
        ck_assert_int_lt(fused.plan->group_count, unfused.plan->group_count);
        expect_equal(&fused, &unfused, layers[_i].folder, rounded[m]);
        pipeline_close(&fused);
        pipeline_close(&unfused);
    }
}
END_TEST

static const char *const chains[][2] = {
    {"bias+gelu", "7x61"},
    {"mul+add+sigmoid+mul+add+tanh+mul+add", "3x129"},
    {"scale(by=row)+bias(by=scalar)+silu", "5x33"},
    {"sigmoid+mul(x)+div+exp", "9x17"},
    {"bias+relu+layernorm+mul(0.5)", "6x257"},
    {"add+rmsnorm+scale+tanh", "6x100"},
    {"layernorm+gelu_tanh", "4x768"},
    {"relu+matmul(transA=1)+bias+add+gelu", "31x17:31x45"},
    {"mul+matmul(transB=1)+scale(by=row)+silu+mul", "9x64:33x64"},
};

START_TEST(chain_round_equals_unfused)
{
    static const char *const inputs[] = {"normal", "large", "special", "small"};
    for (size_t m = 0; m < 2; m++)
        for (size_t f = 0; f < 4; f++) {
            pipeline fused, unfused;
            pipeline_open(&fused, chains[_i][0], chains[_i][1], rounded[m], false);
            pipeline_open(&unfused, chains[_i][0], chains[_i][1], rounded[m], true);
            pipeline_fill(&fused, inputs[f], 11);
            pipeline_fill(&unfused, inputs[f], 11);
            expect_equal(&fused, &unfused, chains[_i][0], rounded[m]);
            pipeline_close(&fused);
            pipeline_close(&unfused);
        }
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("real layers");
    TCase *tests = tcase_create("real");
    tcase_add_loop_test(tests, real_layer_is_right, 0, LAYERS);
    tcase_add_loop_test(tests, real_layer_round_equals_unfused, 0, LAYERS);
    tcase_add_loop_test(tests, chain_round_equals_unfused, 0,
                        (int)(sizeof chains / sizeof *chains));
    suite_add_tcase(suite, tests);
    return suite;
}
