/* A user's limit: which tolerance holds for a type, and what misses it. */
#include <math.h>
#include <string.h>

#include "case/limit.h"
#include "harness.h"

const int fsc__test_forks = 1;

static fsc__limit parse(const char *text, fsc_dtype storage)
{
    cJSON *root = NULL;
    fsc__limit limit;
    fsc_error why = {.text = ""};
    ck_status_ok(fsc__json_parse("t", text, strlen(text), &root, &why), &why);
    const fsc__json at = fsc__json_root("t", root);
    ck_status_ok(fsc__limit_parse(&at, storage, &limit, &why), &why);
    cJSON_Delete(root);
    return limit;
}

START_TEST(a_type_s_own_limits_replace_the_plain_ones)
{
    static const char text[] = "{\"of\": \"error\", \"rtol\": 1, \"ulp\": 9, "
                               "\"f16\": {\"atol\": 2}, \"bf16\": {}}";
    const fsc__limit f32 = parse(text, FSC_F32);
    const fsc__limit f16 = parse(text, FSC_F16);
    const fsc__limit bf16 = parse(text, FSC_BF16);
    ck_assert(f32.set && f32.of_error && f32.elementwise && f32.rtol == 1.0 && f32.atol == 0.0);
    ck_assert(f32.has[0] && f32.most[0] == 9.0);
    ck_assert(f16.set && f16.of_error && f16.rtol == 0.0 && f16.atol == 2.0 && !f16.has[0]);
    ck_assert(!bf16.set);
}
END_TEST

/* got against want = {1, -2, inf, NaN} under a limit. */
static bool met(const char *limit_text, float first, float last, char *missed, size_t bytes)
{
    float want_data[] = {1.0f, -2.0f, INFINITY, NAN};
    float got_data[] = {first, -2.0f, INFINITY, last};
    const fsc__shape shape = {.rank = 1, .dims = {4}};
    const fsc_tensor want = {.type = FSC_F32, .shape = shape, .data = want_data};
    const fsc_tensor got = {.type = FSC_F32, .shape = shape, .data = got_data};
    const fsc__limit limit = parse(limit_text, FSC_F32);
    fsc_metrics metrics;
    fsc_error why = {.text = ""};
    ck_status_ok(fsc__compare(&got, &want, &metrics, &why), &why);
    return fsc__limit_met(&limit, &got, &want, &metrics, missed, bytes);
}

START_TEST(elements_are_held_to_atol_and_rtol)
{
    char missed[512] = "";
    ck_assert(met("{\"rtol\": 0, \"atol\": 0}", 1.0f, NAN, missed, sizeof missed));
    ck_assert(met("{\"rtol\": 0.1}", 1.0625f, NAN, missed, sizeof missed));
    ck_assert(met("{\"atol\": 0.1}", 0.9375f, NAN, missed, sizeof missed));
    ck_assert(!met("{\"rtol\": 0.05}", 1.0625f, NAN, missed, sizeof missed));
    ck_assert_ptr_nonnull(strstr(missed, "1 of 4 elements"));
    ck_assert_ptr_nonnull(strstr(missed, "element 0: 1.0625 for 1"));
    ck_assert(!met("{\"atol\": 1e30}", 1.0f, 0.0f, missed, sizeof missed));
    ck_assert_ptr_nonnull(strstr(missed, "element 3"));
}
END_TEST

START_TEST(metrics_are_held_to_their_limits)
{
    char missed[512] = "";
    ck_assert(met("{\"ulp\": 1}", 1.0f + 0x1p-23f, NAN, missed, sizeof missed));
    ck_assert(!met("{\"ulp\": 1}", 1.0f + 0x1p-22f, NAN, missed, sizeof missed));
    ck_assert_ptr_nonnull(strstr(missed, "ulp is 2"));
    ck_assert(met("{\"max_abs\": 0.0625}", 1.0625f, NAN, missed, sizeof missed));
    ck_assert(!met("{\"max_abs\": 0.0624}", 1.0625f, NAN, missed, sizeof missed));
    ck_assert(met("{\"cosine\": 0.99}", 1.0625f, NAN, missed, sizeof missed));
    ck_assert(!met("{\"cosine\": 0.99999999}", 1.25f, NAN, missed, sizeof missed));
    ck_assert(!met("{\"ulp\": 1e30}", 1.0f, 0.0f, missed, sizeof missed));
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("limit");
    TCase *tcase = tcase_create("limit");
    tcase_add_test(tcase, a_type_s_own_limits_replace_the_plain_ones);
    tcase_add_test(tcase, elements_are_held_to_atol_and_rtol);
    tcase_add_test(tcase, metrics_are_held_to_their_limits);
    suite_add_tcase(suite, tcase);
    return suite;
}
