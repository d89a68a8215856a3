/* Plans on a device: right values, the prediction's bits, memory kept between runs, refusals, taps,
   and clean failures. */
#include <stdio.h>
#include <string.h>

#include "device/opencl.h"
#include "device_fixture.h"
#include "engine/executor.h"
#include "reference/predict.h"

const int fsc__test_forks = 0;

/* One device for all tests, with a cache: kernels are built hundreds of times. */
static fsc_device *device;
static char folder[64];

static void setup(void)
{
    fsc__test_folder_make(folder);
    const fsc__device_options options = {.cache = folder};
    device = fsc__test_device_open(&options);
}

static void teardown(void)
{
    fsc__device_close(device);
    fsc__test_folder_remove(folder);
    ck_assert_int_eq(fsc__cl_live(), 0);
}

enum { MOST_INPUTS = 8 };

/* A graph, its plan and filled inputs. */
typedef struct work {
    fsc_graph *graph;
    fsc_mode mode;
    fsc__plan *plan;
    fsc_tensor in[MOST_INPUTS];
} work;

static work make_work(const char *chain, const char *shape, const char *mode, const char *input,
                      bool unfused)
{
    work made = {0};
    fsc_error why = {0};
    const fsc__plan_options options = {.unfused = unfused};
    ck_status_ok(fsc__graph_parse(chain, shape, &made.graph, &why), &why);
    ck_status_ok(fsc__mode_parse(mode, &made.mode, &why), &why);
    ck_status_ok(fsc__plan_create(made.graph, &made.mode, &options, &made.plan, &why), &why);
    ck_assert_int_le(made.graph->input_count, MOST_INPUTS);
    for (int i = 0; i < made.graph->input_count; ++i) {
        const fsc__value *value = &made.graph->values[i];
        fsc__fill_request request = {.seed = 7,
                                     .name = value->name,
                                     .role = value->role,
                                     .type = fsc__graph_input_type(value, &made.mode),
                                     .storage = made.mode.storage,
                                     .fan_in = value->fan_in,
                                     .elems = fsc__shape_elems(&value->shape)};
        ck_status_ok(fsc__input_parse(input, &request.input, &why), &why);
        ck_status_ok(fsc__tensor_init(&made.in[i], request.type, &value->shape, &why), &why);
        fsc__fill(&request, made.in[i].data);
    }
    return made;
}

static void free_work(work *w)
{
    for (int i = 0; i < MOST_INPUTS; ++i)
        fsc__tensor_deinit(&w->in[i]);
    fsc__plan_free(w->plan);
    fsc__graph_free(w->graph);
}

static size_t tensor_bytes(const fsc_tensor *tensor)
{
    return (size_t)fsc__shape_elems(&tensor->shape) * fsc__dtype_bytes(tensor->type);
}

static const struct {
    const char *chain, *shape, *mode;
} cases[] = {
    {"add+relu", "37x65", "f32"},
    {"add+relu", "1x1", "f16"},
    {"mul+add+silu", "33x17", "bf16"},
    {"matmul+bias+gelu", "19x33:33x21", "f32"},
    {"matmul+bias+gelu", "19x33:33x21", "f16"},
    {"matmul", "1x300:300x1", "bf16,contract=off"},
    {"add+layernorm+relu", "5x97", "f16"},
    {"matmul+bias+layernorm", "9x16:16x24", "f32"},
};

START_TEST(every_bit_is_predicted)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        for (int unfused = 0; unfused < 2; ++unfused) {
            work w = make_work(cases[i].chain, cases[i].shape, cases[i].mode, "normal", unfused);
            fsc__executable *executable = NULL;
            fsc_tensor got = {0}, want = {0};
            fsc__times times;
            fsc_error why = {0};
            ck_status_ok(fsc__executable_create(device, w.plan, NULL, &executable, NULL, &why),
                         &why);
            ck_status_ok(fsc__executable_run(executable, w.in, &got, NULL, &times, &why), &why);
            ck_status_ok(
                fsc__predict(w.plan, fsc__device_caps(device)->fma, w.in, &want, NULL, &why), &why);
            ck_assert_uint_eq(tensor_bytes(&got), tensor_bytes(&want));
            ck_assert_msg(memcmp(got.data, want.data, tensor_bytes(&want)) == 0, "%s %s %s%s",
                          cases[i].chain, cases[i].shape, cases[i].mode, unfused ? " unfused" : "");
            ck_assert_int_ge(times.kernels, w.plan->group_count);
            ck_assert_uint_gt(times.build_ns, 0);
            fsc__tensor_deinit(&got);
            fsc__tensor_deinit(&want);
            fsc__executable_free(executable);
            free_work(&w);
        }
}
END_TEST

/* Small integers: each sum is exact, so the values are known without the prediction. */
START_TEST(matmul_of_integers_is_exact)
{
    enum { M = 11, N = 35, K = 50 };
    work w = make_work("matmul+bias+relu", "11x50:50x35", "f32", "integers:-3:3", false);
    const float *a = w.in[0].data, *b = w.in[1].data, *bias = w.in[2].data;
    fsc__executable *executable = NULL;
    fsc_tensor out = {0};
    fsc_error why = {0};
    ck_status_ok(fsc__executable_create(device, w.plan, NULL, &executable, NULL, &why), &why);
    ck_status_ok(fsc__executable_run(executable, w.in, &out, NULL, NULL, &why), &why);
    int positive = 0;
    for (int m = 0; m < M; ++m)
        for (int n = 0; n < N; ++n) {
            int sum = 0;
            for (int k = 0; k < K; ++k)
                sum += (int)a[m * K + k] * (int)b[k * N + n];
            sum += (int)bias[n];
            const float got = ((const float *)out.data)[m * N + n];
            ck_assert_msg(got == (float)(sum > 0 ? sum : 0), "[%d,%d] %g, not %d", m, n,
                          (double)got, sum);
            positive += sum > 0;
        }
    ck_assert(positive > 100 && positive < M * N - 100);
    fsc__tensor_deinit(&out);
    fsc__executable_free(executable);
    free_work(&w);
}
END_TEST

START_TEST(second_run_makes_no_objects_and_the_same_bits)
{
    work w = make_work("matmul+bias+gelu", "40x64:64x48", "f16", "normal", false);
    fsc__executable *executable = NULL;
    fsc_tensor first = {0}, second = {0};
    fsc_error why = {0};
    ck_status_ok(fsc__executable_create(device, w.plan, NULL, &executable, NULL, &why), &why);
    ck_status_ok(fsc__executable_run(executable, w.in, &first, NULL, NULL, &why), &why);
    const long live = fsc__cl_live();
    /* the result is the one allocation of a run */
    fsc__alloc_fail_after(1);
    const fsc_status status = fsc__executable_run(executable, w.in, &second, NULL, NULL, &why);
    fsc__alloc_fail_after(-1);
    ck_status_ok(status, &why);
    ck_assert_int_eq(fsc__cl_live(), live);
    ck_assert_mem_eq(first.data, second.data, tensor_bytes(&first));
    fsc__tensor_deinit(&first);
    fsc__tensor_deinit(&second);
    fsc__executable_free(executable);
    free_work(&w);
}
END_TEST

/* Kernels of one text are built once: both relus of the unfused chain, and both negs, but for the
   names of values in them. */
START_TEST(equal_texts_share_a_program)
{
    work w = make_work("relu+neg+relu+neg", "4x8", "f32", "normal", true);
    fsc__executable *executable = NULL;
    fsc_tensor out = {0};
    fsc__times times;
    fsc_error why = {0};
    const long live = fsc__cl_live();
    ck_status_ok(fsc__executable_create(device, w.plan, NULL, &executable, NULL, &why), &why);
    const long made = fsc__cl_live() - live;
    ck_status_ok(fsc__executable_run(executable, w.in, &out, NULL, &times, &why), &why);
    ck_assert_int_eq(times.kernels, 4);
    /* five buffers, and a program and a kernel for each text: two, or four where names differ */
    ck_assert_int_le(made, 5 + 2 * 4);
    ck_assert_int_ge(made, 5 + 2 * 2);
    fsc__tensor_deinit(&out);
    fsc__executable_free(executable);
    free_work(&w);
}
END_TEST

START_TEST(taps_show_boundaries_and_change_nothing)
{
    work w = make_work("add+relu+neg", "9x21", "f32", "normal", false);
    const fsc__emit_options options = {.taps = true};
    fsc__executable *plain = NULL, *tapped = NULL;
    fsc_tensor out = {0}, same = {0}, taps[8] = {{0}};
    fsc_error why = {0};
    ck_status_ok(fsc__executable_create(device, w.plan, NULL, &plain, NULL, &why), &why);
    ck_status_ok(fsc__executable_create(device, w.plan, &options, &tapped, NULL, &why), &why);
    ck_assert_int_eq(fsc__executable_tap_count(plain), 0);
    const int count = fsc__executable_tap_count(tapped);
    ck_assert(count >= 2 && count <= 8);
    ck_status_ok(fsc__executable_run(plain, w.in, &out, NULL, NULL, &why), &why);
    ck_status_ok(fsc__executable_run(tapped, w.in, &same, taps, NULL, &why), &why);
    ck_assert_mem_eq(out.data, same.data, tensor_bytes(&out));
    const fsc__kernels *kernels = fsc__executable_kernels(tapped, 0);
    for (int t = 0; t < count; ++t) {
        const char *op = w.graph->nodes[kernels->taps[t]].op->name;
        ck_assert_int_eq(taps[t].type, FSC_F32);
        for (int i = 0; i < 9 * 21; ++i) {
            const float sum = ((const float *)w.in[0].data)[i] + ((const float *)w.in[1].data)[i];
            const float relu = sum <= 0.0f ? 0.0f : sum;
            const float want = strcmp(op, "add") == 0    ? sum
                               : strcmp(op, "relu") == 0 ? relu
                                                         : -relu;
            ck_assert_msg(((const float *)taps[t].data)[i] == want, "tap of %s at %d", op, i);
        }
    }
    for (int t = 0; t < count; ++t)
        fsc__tensor_deinit(&taps[t]);
    fsc__tensor_deinit(&out);
    fsc__tensor_deinit(&same);
    fsc__executable_free(plain);
    fsc__executable_free(tapped);
    free_work(&w);
}
END_TEST

START_TEST(wrong_inputs_are_named)
{
    work w = make_work("add+relu", "4x8", "f16", "normal", false);
    fsc__executable *executable = NULL;
    fsc_tensor out = {.type = FSC_I8};
    fsc_error why = {0};
    ck_status_ok(fsc__executable_create(device, w.plan, NULL, &executable, NULL, &why), &why);
    w.in[1].type = FSC_F32;
    ck_assert_int_eq(fsc__executable_run(executable, w.in, &out, NULL, NULL, &why), FSC_ERR_INPUT);
    ck_assert_str_eq(why.text, "x2 is f32 4x8; f16 4x8 is wanted");
    w.in[1].type = FSC_F16;
    w.in[0].shape.dims[1] = 7;
    ck_assert_int_eq(fsc__executable_run(executable, w.in, &out, NULL, NULL, &why), FSC_ERR_INPUT);
    ck_assert_str_eq(why.text, "x is f16 4x7; f16 4x8 is wanted");
    ck_assert(out.type == FSC_I8 && out.data == NULL);
    fsc__executable_free(executable);
    free_work(&w);
}
END_TEST

/* One element more than a buffer of this device can hold, with the limit in the message. */
START_TEST(sizes_beyond_the_device_are_named)
{
    const uint64_t limit = fsc__device_caps(device)->buffer_bytes;
    char shape[64], number[32];
    if (limit / 4 + 1 > 2000000000u)
        return; /* such a tensor is beyond what a graph may hold */
    snprintf(shape, sizeof shape, "1x%llu", (unsigned long long)(limit / 4 + 1));
    fsc_graph *graph = NULL;
    fsc__plan *plan = NULL;
    fsc_mode mode;
    fsc__executable *executable = NULL;
    fsc_error why = {0};
    const fsc__plan_options options = {0};
    ck_status_ok(fsc__graph_parse("relu", shape, &graph, &why), &why);
    ck_status_ok(fsc__mode_parse("f32", &mode, &why), &why);
    ck_status_ok(fsc__plan_create(graph, &mode, &options, &plan, &why), &why);
    ck_assert_int_eq(fsc__executable_create(device, plan, NULL, &executable, NULL, &why),
                     FSC_UNSUPPORTED);
    snprintf(number, sizeof number, "%llu", (unsigned long long)limit);
    ck_assert_msg(strstr(why.text, number) != NULL, "%s", why.text);
    ck_assert_ptr_null(executable);
    fsc__plan_free(plan);
    fsc__graph_free(graph);
}
END_TEST

static fsc_status create_and_run(const work *w, fsc_tensor *out, fsc_error *why)
{
    fsc__executable *executable = NULL;
    FSC_TRY(fsc__executable_create(device, w->plan, NULL, &executable, NULL, why));
    const fsc_status status = fsc__executable_run(executable, w->in, out, NULL, NULL, why);
    fsc__executable_free(executable);
    return status;
}

/* Every OpenCL call fails in turn, and allocations (the first ones each, then samples): nothing
   stays behind. */
START_TEST(failures_are_clean)
{
    work w = make_work("matmul+bias", "5x8:8x9", "f16", "normal", false);
    fsc_tensor good = {0};
    fsc_error why = {0};
    const long live = fsc__cl_live(), before = fsc__cl_calls();
    ck_status_ok(create_and_run(&w, &good, &why), &why);
    const long calls = fsc__cl_calls() - before;
    int reported = 0;
    for (long n = 0; n < calls; ++n) {
        fsc_tensor out = {0};
        fsc__cl_fail_after(n);
        reported += create_and_run(&w, &out, &why) != FSC_OK;
        fsc__cl_fail_after(-1);
        ck_assert_msg(fsc__cl_live() == live, "call %ld leaves objects", n);
        if (out.data)
            ck_assert_mem_eq(out.data, good.data, tensor_bytes(&good));
        fsc__tensor_deinit(&out);
    }
    ck_assert_int_gt(reported, 20); /* those of the cache are done without */
    int refused = 0;
    for (long n = 0;; n += 1 + n / 30) {
        fsc_tensor out = {0};
        fsc__alloc_fail_after(n);
        const fsc_status status = create_and_run(&w, &out, &why);
        fsc__alloc_fail_after(-1);
        ck_assert_int_eq(fsc__cl_live(), live);
        fsc__tensor_deinit(&out);
        if (status == FSC_OK)
            break;
        ck_assert_int_eq(status, FSC_ERR_MEMORY);
        ++refused;
    }
    ck_assert_int_gt(refused, 10);
    fsc__tensor_deinit(&good);
    free_work(&w);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("executor");
    TCase *tests = tcase_create("executor");
    tcase_add_unchecked_fixture(tests, setup, teardown);
    tcase_add_test(tests, every_bit_is_predicted);
    tcase_add_test(tests, matmul_of_integers_is_exact);
    tcase_add_test(tests, second_run_makes_no_objects_and_the_same_bits);
    tcase_add_test(tests, equal_texts_share_a_program);
    tcase_add_test(tests, taps_show_boundaries_and_change_nothing);
    tcase_add_test(tests, wrong_inputs_are_named);
    tcase_add_test(tests, sizes_beyond_the_device_are_named);
    tcase_add_test(tests, failures_are_clean);
    suite_add_tcase(suite, tests);
    return suite;
}
