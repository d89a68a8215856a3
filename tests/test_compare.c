/* Metrics of two tensors, each against a value worked out by hand. */
#include <math.h>

#include "base/alloc.h"
#include "harness.h"
#include "verdict/compare.h"

const int fsc__test_forks = 1;

#define INF ((double)INFINITY)

/* Elements as doubles, stored to the type; rows x cols. */
static fsc_tensor tensor_of(fsc_dtype type, int64_t rows, int64_t cols, const double *values)
{
    const fsc__shape shape = {2, {rows, cols}};
    fsc_error why;
    fsc_tensor tensor;
    const fsc_status status = fsc__tensor_init(&tensor, type, &shape, &why);
    ck_status_ok(status, &why);
    for (int64_t i = 0; i < rows * cols; i++)
        fsc__dtype_store(type, tensor.data, i, values[i]);
    return tensor;
}

static fsc_metrics compare(fsc_dtype type, fsc_dtype want_type, int64_t rows, int64_t cols,
                           const double *got, const double *want)
{
    fsc_tensor a = tensor_of(type, rows, cols, got);
    fsc_tensor b = tensor_of(want_type, rows, cols, want);
    fsc_metrics metrics;
    fsc_error why;
    const fsc_status status = fsc__compare(&a, &b, &metrics, &why);
    ck_status_ok(status, &why);
    fsc__tensor_deinit(&a);
    fsc__tensor_deinit(&b);
    return metrics;
}

START_TEST(equal_tensors)
{
    static const double values[] = {1, -2, 3, 4};
    const fsc_metrics m = compare(FSC_F32, FSC_F32, 2, 2, values, values);
    ck_assert_int_eq(m.elems, 4);
    ck_assert_int_eq(m.compared, 4);
    ck_assert_int_eq(m.bits_differ, 0);
    ck_assert_int_eq(m.first_differ, -1);
    ck_assert(m.max_ulp == 0 && m.mean_ulp == 0 && m.max_ulp_large == 0);
    ck_assert(m.max_abs == 0 && m.rel_norm == 0 && m.rel_norm_channel == 0 && m.rmse == 0);
    ck_assert(m.largest == 4);
    ck_assert_double_eq_tol(m.cosine, 1.0, 1e-15);
    ck_assert(m.snr_db == INF);
    ck_assert_int_eq(m.worst, 0);
    ck_assert(m.worst_got == 1 && m.worst_want == 1);
    ck_assert_int_eq(m.non_finite_mismatch, 0);
}
END_TEST

/* Differences of 0, 2^-22 (2 ulp at 1), 0.5 and 0. */
START_TEST(distances_of_one_type)
{
    static const double got[] = {1, 1 + 0x1p-22, 4.5, 0};
    static const double want[] = {1, 1, 4, 0};
    const fsc_metrics m = compare(FSC_F32, FSC_F32, 2, 2, got, want);
    ck_assert_int_eq(m.bits_differ, 2);
    ck_assert_int_eq(m.first_differ, 1);
    ck_assert(m.max_ulp == 0x1p20); /* 0.5 / 2^-21 */
    ck_assert(m.mean_ulp == (0x1p20 + 2) / 4);
    ck_assert(m.max_abs == 0.5);
    ck_assert(m.largest == 4);
    ck_assert(m.rel_norm == 0.125);
    ck_assert(m.rel_norm_channel == 0.125);
    ck_assert_int_eq(m.worst_channel, 0);
    ck_assert_int_eq(m.worst, 2);
    ck_assert(m.worst_got == 4.5 && m.worst_want == 4);
    ck_assert(m.rmse == sqrt((0.25 + 0x1p-44) / 4));
    const double g = 1 + 0x1p-22;
    ck_assert_double_eq_tol(m.cosine, (1 + g + 18) / sqrt((1 + g * g + 20.25) * 18), 1e-15);
    ck_assert_double_eq_tol(m.snr_db, 10 * log10(18 / (0.25 + 0x1p-44)), 1e-12);
    ck_assert_int_eq(m.zero_got, 1);
    ck_assert_int_eq(m.zero_want, 1);
}
END_TEST

/* Half against truth: 1 for 1+2^-12 is a quarter of the spacing 2^-10. */
START_TEST(fractional_ulp_against_truth)
{
    static const double got[] = {1, 2048, 0x1p-24, 3};
    static const double want[] = {1 + 0x1p-12, 2049.5, 0x1.8p-24, 3};
    const fsc_metrics m = compare(FSC_F16, FSC_F64, 1, 4, got, want);
    ck_assert_int_eq(m.bits_differ, -1);
    ck_assert_int_eq(m.first_differ, -1);
    ck_assert(m.max_ulp == 0.75);
    ck_assert(m.mean_ulp == (0.25 + 0.75 + 0.5 + 0) / 4);
    ck_assert(m.max_abs == 1.5);
    ck_assert(m.rel_norm == 1.5 / 2049.5);
    ck_assert_int_eq(m.subnormal_got, 1);
    ck_assert_int_eq(m.subnormal_want, 1);
    ck_assert_int_eq(m.non_finite_mismatch, 0);
}
END_TEST

/* 8 ulp at 0.5 and 1 ulp at 1000: elements up to a thousandth of the largest do not count. */
START_TEST(ulp_of_large_elements)
{
    static const double got[] = {0.5 + 0x1p-21, 1000 + 0x1p-14, 1.5};
    static const double want[] = {0.5, 1000, 1.5};
    fsc_metrics m = compare(FSC_F32, FSC_F32, 1, 3, got, want);
    ck_assert(m.max_ulp == 8);
    ck_assert(m.max_ulp_large == 1);
    static const double nearer_want[] = {0.5, 499, 1.5};
    static const double nearer_got[] = {0.5 + 0x1p-21, 499, 1.5};
    m = compare(FSC_F32, FSC_F32, 1, 3, nearer_got, nearer_want);
    ck_assert(m.max_ulp_large == 8);
}
END_TEST

START_TEST(zeros_of_both_signs)
{
    static const double got[] = {-0.0, 0.0, 1}, want[] = {0.0, 0.0, 1};
    const fsc_metrics m = compare(FSC_BF16, FSC_BF16, 1, 3, got, want);
    ck_assert_int_eq(m.bits_differ, 1);
    ck_assert_int_eq(m.first_differ, 0);
    ck_assert(m.max_abs == 0 && m.max_ulp == 0);
    ck_assert_int_eq(m.zero_got, 2);
}
END_TEST

/* Columns are channels: 0.25 of 100, 0.25 of 1, and 0.001 of 0.002, whose divisor is floored at
   a thousandth of 100. */
START_TEST(worst_channel)
{
    static const double got[] = {100.25, 1, 0.003, 50, 0.75, 0.001};
    static const double want[] = {100, 1, 0.002, 50, 0.5, 0.001};
    const fsc_metrics m = compare(FSC_F32, FSC_F64, 2, 3, got, want);
    ck_assert(m.max_abs == 0.25);
    ck_assert_int_eq(m.worst, 0);
    ck_assert(m.rel_norm == 0.0025);
    ck_assert_int_eq(m.worst_channel, 1);
    ck_assert(m.rel_norm_channel == 0.25);

    static const double tiny_got[] = {100, 1, 0.003, 50, 0.5, 0.001};
    const fsc_metrics floored = compare(FSC_F32, FSC_F64, 2, 3, tiny_got, want);
    ck_assert_int_eq(floored.worst_channel, 2);
    ck_assert_double_eq_tol(floored.rel_norm_channel, 0.001 / 0.1, 1e-8);
}
END_TEST

/* NaN with NaN and +inf with +inf agree; the four others do not. */
START_TEST(non_finite_elements)
{
    static const double got[] = {NAN, INFINITY, NAN, -INFINITY, 1, INFINITY, 2};
    static const double want[] = {NAN, INFINITY, INFINITY, INFINITY, NAN, 5, 2.5};
    const fsc_metrics m = compare(FSC_F16, FSC_F16, 1, 7, got, want);
    ck_assert_int_eq(m.elems, 7);
    ck_assert_int_eq(m.compared, 1);
    ck_assert_int_eq(m.nan_got, 2);
    ck_assert_int_eq(m.nan_want, 2);
    ck_assert_int_eq(m.inf_got, 3);
    ck_assert_int_eq(m.inf_want, 3);
    ck_assert_int_eq(m.non_finite_mismatch, 4);
    ck_assert_int_eq(m.bits_differ, 5);
    ck_assert_int_eq(m.first_differ, 2);
    ck_assert_int_eq(m.unsafe, 1);
    ck_assert_int_eq(m.first_unsafe, 5);
    ck_assert(m.max_abs == 0.5 && m.largest == 2.5);
    ck_assert_int_eq(m.worst, 6);
}
END_TEST

/* NaN payload and sign never count as a difference. */
START_TEST(any_two_nan_are_equal)
{
    uint16_t a[] = {0x7e00, 0xfe01, 0x3c00}, b[] = {0xffff, 0x7c01, 0x3c00};
    const fsc_tensor got = {FSC_F16, {1, {3}}, a}, want = {FSC_F16, {1, {3}}, b};
    fsc_metrics m;
    fsc_error why;
    ck_assert_int_eq(fsc__compare(&got, &want, &m, &why), FSC_OK);
    ck_assert_int_eq(m.bits_differ, 0);
    ck_assert_int_eq(m.non_finite_mismatch, 0);
    ck_assert_int_eq(m.nan_got, 2);
}
END_TEST

/* Half: 65504 is the largest value and 65520 rounds to infinity. Only a true value in range makes
   an infinity or NaN unsafe. */
START_TEST(overflow_of_the_storage)
{
    static const double got[] = {INFINITY, INFINITY, NAN, INFINITY, 65504, -INFINITY, 1};
    static const double want[] = {1e6, 65519, 1e6, 65504, 1e6, 1e6, 1};
    const fsc_metrics m = compare(FSC_F16, FSC_F64, 1, 7, got, want);
    ck_assert_int_eq(m.out_of_range_want, 5);
    ck_assert_int_eq(m.unsafe, 1);
    ck_assert_int_eq(m.first_unsafe, 3);
    /* inf for 65519 and 65504, NaN for 1e6, -inf for 1e6 */
    ck_assert_int_eq(m.non_finite_mismatch, 4);
    ck_assert_int_eq(m.compared, 2);
    ck_assert(m.max_abs == 1e6 - 65504);
}
END_TEST

START_TEST(nothing_to_compare)
{
    static const double nan[] = {NAN, NAN}, one[] = {1, 2};
    fsc_metrics m = compare(FSC_F32, FSC_F64, 1, 2, nan, one);
    ck_assert_int_eq(m.compared, 0);
    ck_assert_int_eq(m.worst, -1);
    ck_assert_int_eq(m.worst_channel, -1);
    ck_assert(m.largest == 0 && m.rmse == 0 && m.rel_norm == 0);
    ck_assert_int_eq(m.unsafe, 2);

    m = compare(FSC_F32, FSC_F32, 0, 3, nan, nan);
    ck_assert_int_eq(m.elems, 0);
    ck_assert_int_eq(m.compared, 0);
    m = compare(FSC_F32, FSC_F32, 3, 0, nan, nan);
    ck_assert_int_eq(m.elems, 0);
    ck_assert_int_eq(m.worst_channel, -1);
}
END_TEST

START_TEST(against_zero)
{
    static const double zero[] = {0, 0}, one[] = {0, 1};
    fsc_metrics m = compare(FSC_F32, FSC_F64, 1, 2, one, zero);
    ck_assert(m.rel_norm == INF && m.rel_norm_channel == INF);
    ck_assert_int_eq(m.worst_channel, 1);
    ck_assert(m.cosine == 0 && m.snr_db == -INF);
    m = compare(FSC_F32, FSC_F64, 1, 2, zero, zero);
    ck_assert(m.rel_norm == 0 && m.cosine == 1 && m.snr_db == INF);
    ck_assert_int_eq(m.zero_got, 2);
    static const double minus[] = {0, -2};
    m = compare(FSC_F32, FSC_F64, 1, 2, minus, one);
    ck_assert(m.cosine == -1);
}
END_TEST

/* Longer than one block of the loop, and the last channel of the last row. */
START_TEST(an_element_far_in_is_found)
{
    const fsc__shape shape = {3, {3, 41, 37}};
    const int64_t elems = fsc__shape_elems(&shape);
    fsc_tensor a, b;
    fsc_metrics m;
    fsc_error why;
    ck_assert_int_eq(fsc__tensor_init(&a, FSC_F32, &shape, &why), FSC_OK);
    ck_assert_int_eq(fsc__tensor_init(&b, FSC_F32, &shape, &why), FSC_OK);
    for (int64_t i = 0; i < elems; i++)
        ((float *)a.data)[i] = ((float *)b.data)[i] = (float)(i % 7) - 3;
    ((float *)a.data)[elems - 1] += 0.5f;
    ((float *)a.data)[2000] += 0.25f;
    ck_assert_int_eq(fsc__compare(&a, &b, &m, &why), FSC_OK);
    ck_assert_int_eq(m.compared, elems);
    ck_assert_int_eq(m.bits_differ, 2);
    ck_assert_int_eq(m.first_differ, 2000);
    ck_assert_int_eq(m.worst, elems - 1);
    ck_assert_int_eq(m.worst_channel, 36);
    ck_assert(m.rmse == sqrt(0.3125 / (double)elems));
    fsc__tensor_deinit(&a);
    fsc__tensor_deinit(&b);
}
END_TEST

START_TEST(what_cannot_be_compared)
{
    static const double values[] = {1, 2, 3, 4};
    static const struct {
        fsc_dtype got, want;
        int64_t rows;
        const char *message;
    } rows[] = {
        {FSC_F32, FSC_F32, 1, "shapes to compare differ: 2x2 and 1x4"},
        {FSC_F16, FSC_BF16, 2,
         "f16 cannot be compared with bf16; f32, f16 and bf16 can, with their own type and with "
         "f64"},
        {FSC_F64, FSC_F64, 2,
         "f64 cannot be compared with f64; f32, f16 and bf16 can, with their own type and with "
         "f64"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fsc_tensor a = tensor_of(rows[i].got, 2, 2, values);
        fsc_tensor b = tensor_of(rows[i].want, rows[i].rows, 4 / rows[i].rows, values);
        fsc_metrics m = {.elems = 77};
        fsc_error why;
        ck_assert_int_eq(fsc__compare(&a, &b, &m, &why), FSC_ERR_INPUT);
        ck_assert_str_eq(why.text, rows[i].message);
        ck_assert_int_eq(m.elems, 77);
        fsc__tensor_deinit(&a);
        fsc__tensor_deinit(&b);
    }
    fsc_tensor a = tensor_of(FSC_F32, 2, 2, values);
    fsc_metrics m;
    fsc_error why;
    fsc__alloc_fail_after(0);
    ck_assert_int_eq(fsc__compare(&a, &a, &m, &why), FSC_ERR_MEMORY);
    fsc__alloc_fail_after(-1);
    fsc__tensor_deinit(&a);
}
END_TEST

START_TEST(json_has_every_metric)
{
    static const double got[] = {1, 2, NAN}, want[] = {1, 2.5, 3};
    const fsc_metrics m = compare(FSC_F32, FSC_F64, 1, 3, got, want);
    cJSON *object = fsc__metrics_json(&m);
    ck_assert_ptr_nonnull(object);
    static const struct {
        const char *name;
        double value;
    } numbers[] = {{"elems", 3},       {"compared", 2},     {"bits_differ", -1}, {"max_abs", 0.5},
                   {"largest", 2.5},   {"rel_norm", 0.2},   {"worst", 1},        {"worst_got", 2},
                   {"unsafe", 1},      {"first_unsafe", 2}, {"nan_got", 1},      {"nan_want", 0},
                   {"worst_want", 2.5}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, numbers[i].name);
        ck_assert_msg(cJSON_IsNumber(item), "%s", numbers[i].name);
        ck_assert_msg(item->valuedouble == numbers[i].value, "%s is %g", numbers[i].name,
                      item->valuedouble);
    }
    /* One member for each 8 bytes of the struct. */
    ck_assert_int_eq(cJSON_GetArraySize(object), (int)(sizeof m / 8));
    cJSON_Delete(object);

    const fsc_metrics equal = compare(FSC_F32, FSC_F32, 1, 2, want, want);
    object = fsc__metrics_json(&equal);
    ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "snr_db")),
                     "inf");
    cJSON_Delete(object);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("compare");
    TCase *tc = tcase_create("compare");
    tcase_add_test(tc, equal_tensors);
    tcase_add_test(tc, distances_of_one_type);
    tcase_add_test(tc, fractional_ulp_against_truth);
    tcase_add_test(tc, ulp_of_large_elements);
    tcase_add_test(tc, zeros_of_both_signs);
    tcase_add_test(tc, worst_channel);
    tcase_add_test(tc, non_finite_elements);
    tcase_add_test(tc, any_two_nan_are_equal);
    tcase_add_test(tc, overflow_of_the_storage);
    tcase_add_test(tc, nothing_to_compare);
    tcase_add_test(tc, against_zero);
    tcase_add_test(tc, an_element_far_in_is_found);
    tcase_add_test(tc, what_cannot_be_compared);
    tcase_add_test(tc, json_has_every_metric);
    suite_add_tcase(suite, tc);
    return suite;
}
