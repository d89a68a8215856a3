/* Layers of real convolutional networks: the truth of conv2d against the shipped float64 results,
   the f32 prediction against those of another runtime. The batch normalisation and the activation
   are taken here, in double. */
#include "conv2d_fixture.h"

#include "graph/npy.h"

const int fsc__test_forks = 1;

enum { MOST_CHANNELS = 64 };

typedef struct layer {
    const char *name, *chain, *shape;
    float eps;
    double (*activation)(double v);
} layer;

static double relu(double v)
{
    return v > 0.0 ? v : 0.0;
}

static double relu6(double v)
{
    return v > 6.0 ? 6.0 : relu(v);
}

static double hardswish(double v)
{
    return v * relu6(v + 3.0) / 6.0;
}

static const layer layers[] = {
    {"conv3x3_96to24_relu_large_var", "conv2d(pads=1)", "1x96x11x10:24x96x3x3", 0x1.4f8b58p-17f,
     relu},
    {"dw3x3s2_relu6_asympad", "conv2d(stride=2,pads=0:0:1:1,groups=36)", "1x36x20x22:36x1x3x3",
     0x1.0624dep-10f, relu6},
    {"stem3x3s2_hardswish", "conv2d(stride=2,pads=1)", "1x3x48x66:8x3x3x3", 0x1.4f8b58p-17f,
     hardswish},
};
enum { LAYER_COUNT = sizeof layers / sizeof layers[0] };

static fsc_tensor read_file(const layer *l, const char *file)
{
    char path[512];
    fsc_tensor tensor;
    fsc_error why;
    snprintf(path, sizeof path, "%s/cnn/%s/%s.npy", FSC_TEST_DATA, l->name, file);
    ck_status_ok(fsc__npy_read(path, &tensor, &why), &why);
    return tensor;
}

static void setup_layer(setup *s, const layer *l)
{
    setup_init(s, l->chain, l->shape, "f32");
    const char *const files[] = {"x", "w"};
    for (int i = 0; i < 2; i++) {
        fsc_tensor read = read_file(l, files[i]), *input = setup_input(s, files[i]);
        ck_assert(fsc__shape_equal(&read.shape, &input->shape));
        fsc__tensor_deinit(input);
        *input = read;
    }
}

/* Largest difference over the largest wanted value of the activation of the normalised conv. */
static double distance(const layer *l, const fsc_tensor *conv, const fsc_tensor *want)
{
    const char *const names[] = {"gamma", "beta", "mean", "var"};
    double of[4][MOST_CHANNELS], most = 0.0, largest = 0.0;
    for (int i = 0; i < 4; i++) {
        fsc_tensor tensor = read_file(l, names[i]);
        ck_assert_int_eq(fsc__shape_elems(&tensor.shape), want->shape.dims[1]);
        for (int64_t c = 0; c < want->shape.dims[1]; c++)
            of[i][c] = element(&tensor, c);
        fsc__tensor_deinit(&tensor);
    }
    ck_assert(fsc__shape_equal(&conv->shape, &want->shape));
    for (int64_t i = 0; i < fsc__shape_elems(&want->shape); i++) {
        const int64_t c = place_of(&want->shape, FSC__LAYOUT_NCHW, i).channel;
        const double scale = of[0][c] / sqrt(of[3][c] + (double)l->eps);
        const double got = l->activation((element(conv, i) - of[2][c]) * scale + of[1][c]);
        const double gap = fabs(got - element(want, i));
        most = gap <= most || isnan(most) ? most : gap; /* NaN stays */
        largest = fmax(largest, fabs(element(want, i)));
    }
    return most / largest;
}

START_TEST(truth_is_the_shipped_f64)
{
    const layer *l = &layers[_i];
    setup s;
    setup_layer(&s, l);
    fsc_tensor want = read_file(l, "y_f64"), truth = setup_truth(&s, NULL);
    ck_assert_double_le(distance(l, &truth, &want), 1e-12);
    fsc__tensor_deinit(&truth);
    fsc__tensor_deinit(&want);
    setup_deinit(&s);
}
END_TEST

START_TEST(prediction_is_near_another_runtime)
{
    const char *const files[] = {"y_ort", "y_ort_opt"};
    const layer *l = &layers[_i];
    setup s;
    setup_layer(&s, l);
    for (int f = 0; f < 2; f++) {
        fsc_tensor want = read_file(l, files[f]), out = setup_predict(&s, s.fused);
        ck_assert_double_le(distance(l, &out, &want), 4e-6);
        fsc__tensor_deinit(&out);
        fsc__tensor_deinit(&want);
    }
    setup_deinit(&s);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("truth_cnn");
    TCase *tc = tcase_create("layers");
    tcase_add_loop_test(tc, truth_is_the_shipped_f64, 0, LAYER_COUNT);
    tcase_add_loop_test(tc, prediction_is_near_another_runtime, 0, LAYER_COUNT);
    suite_add_tcase(suite, tc);
    return suite;
}
