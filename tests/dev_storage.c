/* Stores of every storage type: each half and bf16 code, the ties between them, and NaNs of every
   payload pattern that drivers have been seen to make. */
#include <math.h>
#include <string.h>

#include "harness.h"
#include "pipeline.h"

const int fsc__test_forks = 0;

static const fsc__tile tiles[] = {{1, 2, 1}, {8, 2, 1}, {16, 2, 1}};

/* neg(x): one store of a sign-flipped value, so that NaN codes of both signs reach it. */
static void expect_codes(const char *mode, const fsc_tensor *x)
{
    pipeline p;
    char shape[128];
    fsc__shape_write(&x->shape, shape, sizeof shape);
    for (int t = 0; t < 3; t++) {
        /* bias is f32 in memory whatever the storage: 0 + bias is any f32 value. */
        pipeline_open(&p, "bias+neg", shape, mode, false);
        memcpy(p.in[fsc__graph_input(p.graph, "bias")].data, x->data,
               (size_t)fsc__shape_elems(&x->shape) * sizeof(float));
        pipeline_predict(&p, fsc__device_caps(pipeline_device())->fma);
        pipeline_run(&p, pipeline_device(), &tiles[t]);
        const int64_t at = pipeline_first_difference(&p.out, &p.predicted);
        ck_assert_msg(at == -1, "%s, W %d: element %lld", mode, tiles[t].width, (long long)at);
        pipeline_close(&p);
    }
}

/* Around each 16-bit code of the type: itself, the tie above it, and one f32 step beside the tie.
 */
static void fill_codes(fsc_tensor *x, fsc_dtype type)
{
    fsc_error why;
    const fsc__shape shape = {2, {1, 4 * 65536}};
    ck_status_ok(fsc__tensor_init(x, FSC_F32, &shape, &why), &why);
    float *values = x->data;
    for (uint32_t code = 0; code < 65536; code++) {
        const uint16_t here = (uint16_t)code, next = (uint16_t)(code + 1);
        const float a = type == FSC_F16 ? fsc__f32_from_f16(here) : fsc__f32_from_bf16(here);
        const float b = type == FSC_F16 ? fsc__f32_from_f16(next) : fsc__f32_from_bf16(next);
        const float tie = (float)(((double)a + (double)b) / 2);
        values[4 * code] = a;
        values[4 * code + 1] = tie;
        values[4 * code + 2] = nextafterf(tie, INFINITY);
        values[4 * code + 3] = nextafterf(tie, -INFINITY);
    }
}

START_TEST(every_code_and_tie)
{
    fsc_tensor x;
    fill_codes(&x, FSC_F16);
    expect_codes("f16", &x);
    expect_codes("f32", &x);
    fsc__tensor_deinit(&x);
    fill_codes(&x, FSC_BF16);
    expect_codes("bf16", &x);
    fsc__tensor_deinit(&x);
}
END_TEST

START_TEST(nan_is_stored_as_one_code)
{
    static const uint32_t nans[] = {0x7f800001, 0x7fc00000, 0x7fffffff, 0xff800001, 0xffffffff,
                                    0x7fa5a5a5, 0xffc00000, 0x7f802000, 0x7f801fff};
    static const struct {
        const char *mode;
        uint32_t code;
    } rows[] = {{"f32", 0x7fc00000}, {"f16", 0x7e00}, {"bf16", 0x7fc0}};
    const int64_t count = sizeof nans / sizeof *nans;
    pipeline p;
    for (int r = 0; r < 3; r++)
        for (int t = 0; t < 3; t++) {
            pipeline_open(&p, "bias+abs", "1x9", rows[r].mode, false);
            memcpy(p.in[fsc__graph_input(p.graph, "bias")].data, nans, sizeof nans);
            pipeline_run(&p, pipeline_device(), &tiles[t]);
            for (int64_t i = 0; i < count; i++) {
                const uint32_t got = fsc__dtype_bytes(p.out.type) == 4
                                         ? ((uint32_t *)p.out.data)[i]
                                         : ((uint16_t *)p.out.data)[i];
                ck_assert_msg(got == rows[r].code, "%s: NaN %d is stored as %#x", rows[r].mode,
                              (int)i, got);
            }
            pipeline_close(&p);
        }
}
END_TEST

/* Rows of odd length: vectors of 16-bit elements lie at every address. One driver's vload_half
   wants them aligned and dies. */
START_TEST(rows_lie_anywhere)
{
    static const char *const rows[][2] = {{"scale(by=row)+add", "9x37"},
                                          {"matmul(transA=1)+bias", "33x7:33x19"},
                                          {"matmul(transB=1)+bias", "7x33:19x33"},
                                          {"layernorm+relu", "7x77"}};
    static const char *const modes[] = {"f16", "bf16", "f16,params=storage"};
    pipeline p;
    for (int r = 0; r < 4; r++)
        for (int m = 0; m < 3; m++)
            for (int t = 0; t < 3; t++) {
                pipeline_open(&p, rows[r][0], rows[r][1], modes[m], false);
                pipeline_fill(&p, "normal", 3);
                pipeline_predict(&p, fsc__device_caps(pipeline_device())->fma);
                pipeline_run(&p, pipeline_device(), &tiles[t]);
                ck_assert_int_eq(pipeline_first_difference(&p.out, &p.predicted), -1);
                pipeline_close(&p);
            }
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("storage on the device");
    TCase *tests = tcase_create("storage");
    tcase_add_test(tests, every_code_and_tie);
    tcase_add_test(tests, rows_lie_anywhere);
    tcase_add_test(tests, nan_is_stored_as_one_code);
    suite_add_tcase(suite, tests);
    return suite;
}
