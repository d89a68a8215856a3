/* Every pointwise op on the device over all 65,536 halves and 2^17 floats of all exponents: the
   prediction's bits, whatever the vector width and the storage type. Oclgrind, which interprets,
   gets one input in 64. */
#include <stdio.h>
#include <string.h>

#include "device/opencl.h"
#include "device_fixture.h"
#include "engine/executor.h"
#include "unary_cases.h"

const int fsc__test_forks = 0;

enum { HALVES = 1 << 16, FLOATS = 1 << 17, INPUTS = HALVES + FLOATS };

static fsc_device *device;
static char folder[64];
static int inputs; /* of each launch */

static void setup(void)
{
    fsc__test_folder_make(folder);
    const fsc__device_options options = {.cache = folder};
    device = fsc__test_device_open(&options);
    inputs = strstr(fsc__test_selector(), "oclgrind") ? INPUTS / 64 : INPUTS;
}

static void teardown(void)
{
    fsc__device_close(device);
    fsc__test_folder_remove(folder);
    ck_assert_int_eq(fsc__cl_live(), 0);
}

/* Input i of an operand; the second operand takes the values in another order, so that signs and
   exponents meet each other. */
static float input_at(int operand, int64_t i)
{
    const int64_t at = i * (INPUTS / inputs);
    const uint32_t index = (uint32_t)(operand == 0 ? at : (at * 40503 + 12345) % INPUTS);
    return index < HALVES ? fsc__f32_from_f16((uint16_t)index)
                          : unary_stratified(index - HALVES, FLOATS);
}

typedef struct work {
    fsc_graph *graph;
    fsc_mode mode;
    fsc__plan *plan;
    fsc_tensor in[2];
} work;

static void make_work(work *w, const fsc__op *op, const char *mode)
{
    fsc_error why = {0};
    const fsc__plan_options options = {0};
    char shape[32];
    snprintf(shape, sizeof shape, "1x%d", inputs);
    memset(w, 0, sizeof *w);
    ck_status_ok(fsc__graph_parse(op->name, shape, &w->graph, &why), &why);
    ck_status_ok(fsc__mode_parse(mode, &w->mode, &why), &why);
    ck_status_ok(fsc__plan_create(w->graph, &w->mode, &options, &w->plan, &why), &why);
    for (int i = 0; i < op->inputs; i++) {
        const fsc__value *value = &w->graph->values[i];
        ck_status_ok(fsc__tensor_init(&w->in[i], fsc__graph_input_type(value, &w->mode),
                                      &value->shape, &why),
                     &why);
        for (int64_t e = 0; e < inputs; e++)
            fsc__dtype_store(w->in[i].type, w->in[i].data, e, (double)input_at(i, e));
    }
}

static void free_work(work *w)
{
    for (int i = 0; i < 2; i++)
        fsc__tensor_deinit(&w->in[i]);
    fsc__plan_free(w->plan);
    fsc__graph_free(w->graph);
}

/* The number of outputs that differ; the first one is printed. */
static int64_t differ(const fsc__op *op, const char *mode, int width, const work *w,
                      const fsc_tensor *got, const fsc_tensor *want)
{
    const size_t bytes = fsc__dtype_bytes(want->type);
    int64_t count = 0;
    for (int64_t i = 0; i < inputs; i++) {
        const char *a = (const char *)got->data + (size_t)i * bytes;
        if (memcmp(a, (const char *)want->data + (size_t)i * bytes, bytes) == 0 || count++ > 0)
            continue;
        printf("%s %s W=%d: (%a, %a) is %a, predicted %a\n", op->name, mode, width,
               fsc__dtype_load(w->in[0].type, w->in[0].data, i),
               op->inputs == 2 ? fsc__dtype_load(w->in[1].type, w->in[1].data, i) : 0.0,
               fsc__dtype_load(got->type, got->data, i),
               fsc__dtype_load(want->type, want->data, i));
    }
    return count;
}

static int64_t differ_at(const fsc__op *op, const char *mode, int width)
{
    work w;
    fsc__executable *executable = NULL;
    fsc_tensor got = {0}, want = {0};
    fsc_error why = {0};
    fsc__emit_options options = {.tile = fsc__tile_default(fsc__device_caps(device))};
    options.tile.width = width;
    make_work(&w, op, mode);
    ck_status_ok(fsc__executable_create(device, w.plan, &options, &executable, NULL, &why), &why);
    ck_status_ok(fsc__executable_run(executable, w.in, &got, NULL, NULL, &why), &why);
    ck_status_ok(fsc__predict(w.plan, fsc__device_caps(device)->fma, w.in, &want, NULL, &why),
                 &why);
    const int64_t count = differ(op, mode, width, &w, &got, &want);
    fsc__tensor_deinit(&got);
    fsc__tensor_deinit(&want);
    fsc__executable_free(executable);
    free_work(&w);
    return count;
}

static const struct {
    const char *mode;
    int width;
} ways[] = {{"f32", 1}, {"f32", 16}, {"f16", 8}, {"bf16", 8}};

START_TEST(bits_are_predicted)
{
    int64_t count = 0;
    int ops = 0;
    for (size_t o = 0; o < fsc__op_count(); o++) {
        const fsc__op *op = fsc__op_at(o);
        if (op->kind != FSC__OP_POINTWISE ||
            (op->inputs == 2 && op->input[1].role != FSC__ROLE_DATA))
            continue;
        count += differ_at(op, ways[_i].mode, ways[_i].width);
        ops++;
    }
    ck_assert_int_ge(ops, 13);
    ck_assert_msg(count == 0, "%lld outputs differ", (long long)count);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("ops on the device");
    TCase *tcase = tcase_create("ops");
    tcase_add_unchecked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, bits_are_predicted, 0, sizeof ways / sizeof ways[0]);
    suite_add_tcase(suite, tcase);
    return suite;
}
