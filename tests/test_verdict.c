/* Verdicts in their order of precedence, their reasons, and the direction of a fusion. */
#include <math.h>

#include "harness.h"
#include "verdict/verdict.h"

const int fsc__test_forks = 1;

#define INF ((double)INFINITY)

/* A case of four outputs of one row: what a device gave, what was predicted and what is true. */
typedef struct sample {
    fsc_dtype storage;
    double fused[4], unfused[4], truth[4];
    double fused_predicted[4], unfused_predicted[4]; /* where not as the device gave */
    bool fused_wrong, unfused_wrong;
} sample;

static fsc_metrics compare(const double *got, const double *want, fsc_dtype type,
                           fsc_dtype want_type)
{
    const fsc__shape shape = {2, {1, 4}};
    fsc_tensor a, b;
    fsc_metrics metrics;
    fsc_error why;
    fsc_status status = fsc__tensor_init(&a, type, &shape, &why);
    ck_status_ok(status, &why);
    status = fsc__tensor_init(&b, want_type, &shape, &why);
    ck_status_ok(status, &why);
    for (int i = 0; i < 4; i++) {
        fsc__dtype_store(type, a.data, i, got[i]);
        fsc__dtype_store(want_type, b.data, i, want[i]);
    }
    status = fsc__compare(&a, &b, &metrics, &why);
    ck_status_ok(status, &why);
    fsc__tensor_deinit(&a);
    fsc__tensor_deinit(&b);
    return metrics;
}

static fsc__judged judged_of(const sample *s)
{
    const fsc_dtype type = s->storage;
    const double *fused_predicted = s->fused_wrong ? s->fused_predicted : s->fused;
    const double *unfused_predicted = s->unfused_wrong ? s->unfused_predicted : s->unfused;
    return (fsc__judged){.conformance = compare(s->fused, fused_predicted, type, type),
                         .conformance_unfused = compare(s->unfused, unfused_predicted, type, type),
                         .delta = compare(s->fused, s->unfused, type, type),
                         .error_fused = compare(s->fused, s->truth, type, FSC_F64),
                         .error_unfused = compare(s->unfused, s->truth, type, FSC_F64),
                         .storage = type,
                         .elems = 4};
}

static void check_verdict(const sample *s, fsc__verdict verdict, const char *reason)
{
    const fsc__judged judged = judged_of(s);
    char text[256];
    const fsc__verdict got = fsc__verdict_of(&judged, text, sizeof text);
    ck_assert_str_eq(fsc__verdict_name(got), fsc__verdict_name(verdict));
    ck_assert_str_eq(text, reason);
}

START_TEST(names)
{
    static const struct {
        const char *name;
        bool fails;
    } rows[FSC__VERDICT_COUNT] = {{"exact", false},   {"negligible", false}, {"rounding", false},
                                  {"differs", false}, {"rescued", false},    {"mistrusted", true},
                                  {"unsafe", true},   {"broken", true},      {"skipped", false},
                                  {"error", true},    {"crash", true},       {"timeout", true}};
    for (int i = 0; i < FSC__VERDICT_COUNT; i++) {
        fsc__verdict verdict;
        ck_assert_str_eq(fsc__verdict_name((fsc__verdict)i), rows[i].name);
        ck_assert(fsc__verdict_find(rows[i].name, &verdict));
        ck_assert_int_eq(verdict, i);
        ck_assert_int_eq(fsc__verdict_fails((fsc__verdict)i, false), rows[i].fails);
        ck_assert_int_eq(fsc__verdict_fails((fsc__verdict)i, true),
                         rows[i].fails && i != FSC__MISTRUSTED);
    }
    fsc__verdict untouched = FSC__CRASH;
    ck_assert(!fsc__verdict_find("fine", &untouched));
    ck_assert_int_eq(untouched, FSC__CRASH);
}
END_TEST

START_TEST(broken_when_a_bit_differs_from_the_prediction)
{
    sample s = {FSC_F32, {1, 2, -0.0, 4}, {1, 2, 0.0, 4}, {1, 2, 0, 4}, {1, 2, 0.0, 4}, {0}, true,
                0};
    check_verdict(&s, FSC__BROKEN, "1 of 4 fused outputs differ from the prediction, first at 2");

    s = (sample){.storage = FSC_F32,
                 .fused = {1, 2, 3, 4},
                 .unfused = {1, 2, 3, 4},
                 .truth = {1, 2, 3, 4},
                 .unfused_predicted = {1, 2.5, 3, 5},
                 .unfused_wrong = true};
    check_verdict(&s, FSC__BROKEN, "2 of 4 unfused outputs differ from the prediction, first at 1");

    /* It comes before everything else, unsafe and mistrusted included. */
    s = (sample){.storage = FSC_F32,
                 .fused = {NAN, INF, 0, 0},
                 .unfused = {NAN, INF, 0, 0},
                 .truth = {1, 1, 0, 0},
                 .fused_predicted = {1, INF, 0, 0},
                 .fused_wrong = true};
    check_verdict(&s, FSC__BROKEN, "1 of 4 fused outputs differ from the prediction, first at 0");
}
END_TEST

START_TEST(unsafe_when_fused_is_not_finite_where_truth_is)
{
    sample s = {.storage = FSC_F16,
                .fused = {1, 2, NAN, INF},
                .unfused = {1, 2, NAN, INF},
                .truth = {1, 2, 3, 65504}};
    check_verdict(&s, FSC__UNSAFE,
                  "2 of 4 fused outputs are not finite where the true value is in range, first at "
                  "2");
    /* Both overflow, and every other output is zero: still unsafe. */
    s = (sample){.storage = FSC_F16,
                 .fused = {0, 0, 0, INF},
                 .unfused = {0, 0, 0, INF},
                 .truth = {0, 0, 0, 60000}};
    check_verdict(&s, FSC__UNSAFE,
                  "1 of 4 fused outputs are not finite where the true value is in range, first at "
                  "3");
}
END_TEST

/* K6's end: a true value beyond the largest half is an infinity by right, not by accident. */
START_TEST(true_values_out_of_range_are_not_unsafe)
{
    const sample s = {.storage = FSC_F16,
                      .fused = {1, 2, INF, NAN},
                      .unfused = {1, 2, INF, NAN},
                      .truth = {1, 2, 65536, NAN}};
    check_verdict(&s, FSC__EXACT, "all 4 fused outputs equal the unfused ones");
}
END_TEST

START_TEST(mistrusted_when_nothing_can_be_seen)
{
    sample s = {.storage = FSC_F32, .fused = {0, -0.0, 0, 0}};
    check_verdict(&s, FSC__MISTRUSTED, "all 4 finite outputs are zero, fused and unfused");

    /* Underflow of everything: the truth is not zero, yet nothing can be told. */
    s = (sample){.storage = FSC_F16, .truth = {1e-9, 1e-9, 1e-9, 1e-9}};
    check_verdict(&s, FSC__MISTRUSTED, "all 4 finite outputs are zero, fused and unfused");

    s = (sample){.storage = FSC_F32,
                 .fused = {NAN, NAN, INF, NAN},
                 .unfused = {NAN, NAN, INF, NAN},
                 .truth = {NAN, NAN, INF, NAN}};
    check_verdict(&s, FSC__MISTRUSTED,
                  "none of 4 outputs is finite in both fused result and truth");

    fsc__judged empty = {.storage = FSC_F32};
    char text[256];
    ck_assert_int_eq(fsc__verdict_of(&empty, text, sizeof text), FSC__MISTRUSTED);
    ck_assert_str_eq(text, "there are no outputs to compare");
}
END_TEST

/* A zero result that should not be zero differs; it is not a comparison of zeros. */
START_TEST(one_sided_zeros_are_not_mistrusted)
{
    const sample s = {.storage = FSC_F32, .unfused = {1, 1, 1, 1}, .truth = {1, 1, 1, 1}};
    check_verdict(&s, FSC__DIFFERS, "max_abs 1 is 8.39e+06 f32 ulps of the largest output 1");
}
END_TEST

/* K4: 300*300 - 60000 in f16 is 30000 fused; unfused, 90000 overflows to infinity. */
START_TEST(k4_rescued_when_only_unfused_overflows)
{
    sample s = {.storage = FSC_F16,
                .fused = {30000, 30000, 30000, 30000},
                .unfused = {INF, INF, INF, INF},
                .truth = {30000, 30000, 30000, 30000}};
    check_verdict(&s, FSC__RESCUED,
                  "4 of 4 unfused outputs are not finite where the true value is in range, first "
                  "at 0");
    s.unfused[0] = s.unfused[1] = 30000;
    check_verdict(&s, FSC__RESCUED,
                  "2 of 4 unfused outputs are not finite where the true value is in range, first "
                  "at 2");
}
END_TEST

START_TEST(exact_when_values_are_equal)
{
    const sample s = {.storage = FSC_BF16,
                      .fused = {1, -0.0, NAN, INF},
                      .unfused = {1, 0.0, NAN, INF},
                      .truth = {1.001, 0, NAN, INF}};
    check_verdict(&s, FSC__EXACT, "all 4 fused outputs equal the unfused ones");
}
END_TEST

START_TEST(negligible_within_1e_5_of_the_worst_channel)
{
    sample s = {.storage = FSC_F32,
                .fused = {100, 1 + 0x1p-17, 3, 4},
                .unfused = {100, 1, 3, 4},
                .truth = {100, 1, 3, 4}};
    check_verdict(&s, FSC__NEGLIGIBLE,
                  "rel_norm of the worst channel (1) is 7.63e-06, within 1e-05");
    /* Of the largest output it would be 1.5e-7: the channel decides. One ulp at 100 is 2^-17. */
    s.fused[1] = 1 + 0x1p-16;
    check_verdict(&s, FSC__DIFFERS, "max_abs 1.53e-05 is 2 f32 ulps of the largest output 100");
}
END_TEST

START_TEST(rounding_within_one_storage_ulp_at_the_largest_output)
{
    sample s = {.storage = FSC_F16,
                .fused = {1000.5, 10, 10, 2},
                .unfused = {1000, 10.5, 10, 2},
                .truth = {1000.2, 10.2, 10, 2}};
    check_verdict(&s, FSC__ROUNDING,
                  "max_abs 0.5 is within one f16 ulp, 0.5, of the largest output 1000");
    s.fused[3] = 2.5078125;
    check_verdict(&s, FSC__DIFFERS, "max_abs 0.508 is 1.02 f16 ulps of the largest output 1000");
}
END_TEST

/* Beyond the storage's range the truth makes nothing unsafe, yet NaN is not infinity. */
START_TEST(differs_when_infinities_do_not_agree)
{
    const sample s = {.storage = FSC_F16,
                      .fused = {1, 2, INF, -INF},
                      .unfused = {1, 2, NAN, INF},
                      .truth = {1, 2, 1e6, NAN}};
    check_verdict(&s, FSC__DIFFERS, "2 of 4 outputs are not finite in the same way on both sides");
}
END_TEST

START_TEST(reasons_fit_their_room)
{
    const sample s = {.storage = FSC_F32, .unfused = {1, 1, 1, 1}, .truth = {1, 1, 1, 1}};
    const fsc__judged judged = judged_of(&s);
    char text[8] = "1234567";
    ck_assert_int_eq(fsc__verdict_of(&judged, text, 4), FSC__DIFFERS);
    ck_assert_str_eq(text, "max");
    ck_assert_int_eq(text[5], '6');
}
END_TEST

static void check_direction(double fused_off, double unfused_off, const char *direction)
{
    const sample s = {.storage = FSC_F32,
                      .fused = {1 + fused_off, 2, 3, 4},
                      .unfused = {1 + unfused_off, 2, 3, 4},
                      .truth = {1, 2, 3, 4}};
    const fsc__judged judged = judged_of(&s);
    char text[128];
    fsc__direction(&judged, text, sizeof text);
    ck_assert_str_eq(text, direction);
}

START_TEST(direction_is_the_ratio_of_errors)
{
    check_direction(0.125, 0.375, "fused is nearer the truth, 3.0x");
    check_direction(0.4375, -0.3125, "unfused is nearer the truth, 1.4x");
    check_direction(0.25, 8.0, "fused is nearer the truth, 32x");
    check_direction(0x1p20, 0.5, "unfused is nearer the truth, 2.1e+06x");
    check_direction(0.21875, 0.203125, "equal"); /* 1.08 */
    check_direction(0.5, 0.5, "equal");
    check_direction(0, 0, "equal");
    check_direction(0, 0.5, "fused is nearer the truth, which it equals");
    check_direction(0.5, 0, "unfused is nearer the truth, which it equals");
    check_direction(0.25, INF, "fused is nearer the truth, finite where the other is not");
    check_direction((double)NAN, 1.0, "unfused is nearer the truth, finite where the other is not");

    const sample s = {.storage = FSC_F32,
                      .fused = {NAN, NAN, NAN, NAN},
                      .unfused = {NAN, NAN, NAN, NAN},
                      .truth = {NAN, NAN, NAN, NAN}};
    const fsc__judged judged = judged_of(&s);
    char text[128];
    fsc__direction(&judged, text, sizeof text);
    ck_assert_str_eq(text, "unknown: no finite outputs to set beside the truth");
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("verdict");
    TCase *tc = tcase_create("verdict");
    tcase_add_test(tc, names);
    tcase_add_test(tc, broken_when_a_bit_differs_from_the_prediction);
    tcase_add_test(tc, unsafe_when_fused_is_not_finite_where_truth_is);
    tcase_add_test(tc, true_values_out_of_range_are_not_unsafe);
    tcase_add_test(tc, mistrusted_when_nothing_can_be_seen);
    tcase_add_test(tc, one_sided_zeros_are_not_mistrusted);
    tcase_add_test(tc, k4_rescued_when_only_unfused_overflows);
    tcase_add_test(tc, exact_when_values_are_equal);
    tcase_add_test(tc, negligible_within_1e_5_of_the_worst_channel);
    tcase_add_test(tc, rounding_within_one_storage_ulp_at_the_largest_output);
    tcase_add_test(tc, differs_when_infinities_do_not_agree);
    tcase_add_test(tc, reasons_fit_their_room);
    tcase_add_test(tc, direction_is_the_ratio_of_errors);
    suite_add_tcase(suite, tc);
    return suite;
}
