/* Layers of a real transformer: the truth against the shipped float64 results, the f32 prediction,
   fused and not, against those of another runtime. */
#include "reference_fixture.h"

#include <stdio.h>

#include "graph/npy.h"

const int fsc__test_forks = 1;

typedef struct layer {
    const char *name, *chain, *shape;
    const char *files[8]; /* "input=file", NULL at the end */
} layer;

static const layer layers[] = {
    {"attn_out_add_layernorm",
     "add(skip)+layernorm(eps=9.99999996e-13)",
     "29x384",
     {"x=x", "skip=skip", "gamma=gamma", "beta=beta"}},
    {"attn_out_matmul_bias_add_layernorm",
     "matmul+bias+add(skip)+layernorm(eps=9.99999996e-13)",
     "13x384:384x384",
     {"x=x", "w=w", "bias=b", "skip=skip", "gamma=gamma", "beta=beta"}},
    {"ffn1_matmul_bias_gelu", "matmul+bias+gelu", "67x384:384x160", {"x=x", "w=w", "bias=b"}},
};
enum { LAYER_COUNT = sizeof layers / sizeof layers[0] };

static void read_file(const layer *l, const char *file, fsc_tensor *tensor)
{
    char path[512];
    fsc_error why;
    snprintf(path, sizeof path, "%s/bert/%s/%s.npy", FSC_TEST_DATA, l->name, file);
    ck_status_ok(fsc__npy_read(path, tensor, &why), &why);
}

static void setup_layer(setup *s, const layer *l, const char *mode)
{
    setup_init(s, l->chain, l->shape, mode);
    int given = 0;
    for (; l->files[given]; given++) {
        char name[32];
        const char *equals = strchr(l->files[given], '=');
        snprintf(name, sizeof name, "%.*s", (int)(equals - l->files[given]), l->files[given]);
        fsc_tensor *input = setup_input(s, name), read;
        read_file(l, equals + 1, &read);
        ck_assert(fsc__shape_equal(&read.shape, &input->shape));
        const fsc_dtype type = input->type;
        fsc__tensor_deinit(input);
        ck_status_ok(fsc__tensor_convert(&read, type, input, &s->why), &s->why);
        fsc__tensor_deinit(&read);
    }
    ck_assert_int_eq(given, s->graph->input_count);
}

/* Largest difference over the largest wanted value. */
static double distance(const fsc_tensor *got, const fsc_tensor *want)
{
    double most = 0.0, largest = 0.0;
    ck_assert(fsc__shape_equal(&got->shape, &want->shape));
    for (int64_t i = 0; i < fsc__shape_elems(&want->shape); i++) {
        const double gap = fabs(element(got, i) - element(want, i));
        most = gap <= most || isnan(most) ? most : gap; /* NaN stays */
        largest = fmax(largest, fabs(element(want, i)));
    }
    return most / largest;
}

START_TEST(truth_is_the_shipped_f64)
{
    setup s;
    fsc_tensor want;
    setup_layer(&s, &layers[_i], "f32");
    read_file(&layers[_i], "y_f64", &want);
    fsc_tensor truth = setup_truth(&s, NULL);
    ck_assert_double_le(distance(&truth, &want), 1e-12);
    fsc__tensor_deinit(&truth);
    fsc__tensor_deinit(&want);
    setup_deinit(&s);
}
END_TEST

START_TEST(prediction_is_near_another_runtime)
{
    const char *const files[] = {"y_ort", "y_ort_opt"};
    setup s;
    setup_layer(&s, &layers[_i], "f32");
    for (int f = 0; f < 2; f++) {
        fsc_tensor want, fused = setup_predict(&s, s.fused), unfused = setup_predict(&s, s.unfused);
        read_file(&layers[_i], files[f], &want);
        ck_assert_double_le(distance(&fused, &want), 1e-5);
        ck_assert_double_le(distance(&unfused, &want), 1e-5);
        fsc__tensor_deinit(&fused);
        fsc__tensor_deinit(&unfused);
        fsc__tensor_deinit(&want);
    }
    setup_deinit(&s);
}
END_TEST

START_TEST(rounded_is_unfused)
{
    const char *const modes[] = {"f16,boundary=round", "bf16,boundary=round"};
    for (int m = 0; m < 2; m++) {
        setup s;
        setup_layer(&s, &layers[_i], modes[m]);
        fsc_tensor fused = setup_predict(&s, s.fused), unfused = setup_predict(&s, s.unfused);
        ck_same_bits(&fused, &unfused, layers[_i].name);
        fsc__tensor_deinit(&fused);
        fsc__tensor_deinit(&unfused);
        setup_deinit(&s);
    }
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("truth_real");
    TCase *tc = tcase_create("layers");
    tcase_add_loop_test(tc, truth_is_the_shipped_f64, 0, LAYER_COUNT);
    tcase_add_loop_test(tc, prediction_is_near_another_runtime, 0, LAYER_COUNT);
    tcase_add_loop_test(tc, rounded_is_unfused, 0, LAYER_COUNT);
    tcase_set_timeout(tc, 60);
    suite_add_tcase(suite, tc);
    return suite;
}
