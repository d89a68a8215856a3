/* A case as a function: JSON in, a row out, whatever happens. */
#include <unistd.h>

#include "device_fixture.h"
#include "folder.h"

#include "base/json.h"
#include "case/case.h"
#include "case/row.h"
#include "graph/npy.h"

const int fsc__test_forks = 0;

static fsc_device *device;
static const char *folder;

static void setup(void)
{
    static char cache[128];
    folder = fsc__test_folder();
    snprintf(cache, sizeof cache, "%s/cache", folder);
    const fsc__device_options options = {.cache = cache};
    device = fsc__test_device_open(&options);
}

static void teardown(void)
{
    fsc__device_close(device);
    fsc__test_remove(folder);
}

/* The row of a case whose JSON is text; freed with cJSON_Delete. */
static cJSON *row_of(const char *text)
{
    cJSON *case_json = NULL;
    cJSON *row = NULL;
    fsc_error why = {.text = ""};
    ck_status_ok(fsc__json_parse("case", text, strlen(text), &case_json, &why), &why);
    ck_status_ok(fsc__case_run(device, folder, case_json, &row, &why), &why);
    cJSON_Delete(case_json);
    return row;
}

static const cJSON *at(const cJSON *object, const char *first, const char *second)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, first);
    return second == NULL ? item : cJSON_GetObjectItemCaseSensitive(item, second);
}

static const char *text_at(const cJSON *object, const char *first)
{
    const cJSON *item = at(object, first, NULL);
    return cJSON_IsString(item) ? item->valuestring : "";
}

/* A case, its verdict, whether its row fails, and words of its reason. */
static const struct {
    const char *text, *verdict;
    bool fails;
    const char *reason;
} verdicts[] = {
    {"{\"graph\": \"add+relu\", \"shape\": \"37x53\"}", "exact", false, ""},
    {"{\"graph\": \"mul+add\", \"shape\": \"37x53\", \"mode\": \"f16\"}", "rounding", false,
     "f16 ulp"},
    {"{\"graph\": \"mul+add\", \"shape\": \"37x53\", \"mode\": \"f16,boundary=round\"}", "exact",
     false, ""},
    {"{\"graph\": \"matmul+bias+gelu\", \"shape\": \"37x53:53x29\", \"mode\": "
     "\"bf16,boundary=round\"}",
     "exact", false, ""},
    {"{\"graph\": \"add+layernorm+silu\", \"shape\": \"37x53\", \"mode\": \"f16,boundary=round\"}",
     "exact", false, ""},
    {"{\"graph\": \"matmul+bias\", \"shape\": \"37x53:53x29\", \"mode\": \"f32,order=lanes:8\", "
     "\"unfused_mode\": \"f32\"}",
     "negligible", false, "rel_norm"},
    {"{\"graph\": \"mul(300)+add(-60000)\", \"shape\": \"8\", \"input\": \"ramp:300:0\", "
     "\"mode\": \"f16\"}",
     "rescued", false, "unfused"},
    {"{\"graph\": \"mul(300)+mul(300)\", \"shape\": \"8\", \"input\": \"ramp:3000:0\", "
     "\"mode\": \"f16\", \"unfused_mode\": \"bf16\"}",
     "mistrusted", true, ""},
    {"{\"graph\": \"mul+relu\", \"shape\": \"8\", \"input\": \"zeros\"}", "mistrusted", false,
     "zero"},
    {"{\"graph\": \"mul+relu\", \"shape\": \"8\", \"mode\": \"f32,order=lanes:8\"}", "skipped",
     false, "order"},
    {"{\"graph\": \"mul+relu\", \"shape\": \"8\", \"mode\": \"f64\"}", "skipped", false,
     "not in this version"},
    {"{\"graph\": \"mul+relu\", \"shape\": \"8x3\", \"max_elements\": 23}", "skipped", false,
     "24 outputs"},
    {"{\"graph\": \"mul+relu\", \"shape\": \"8x3\", \"max_elements\": 24}", "exact", false, ""},
    {"{\"graph\": \"mul+rleu\", \"shape\": \"8\"}", "error", true, "rleu"},
    {"{\"graph\": \"mul\", \"shape\": \"0\"}", "error", true, "shape"},
    {"{\"graph\": \"mul\"}", "error", true, "shape"},
    {"{\"shape\": \"8\"}", "error", true, "graph"},
    {"{\"graph\": \"mul\", \"shape\": \"8\", \"sheed\": 1}", "error", true, "sheed"},
    {"{\"graph\": \"mul\", \"shape\": \"8\", \"tensors\": {\"x\": \"none.npy\"}}", "error", true,
     "none.npy"},
};

START_TEST(each_case_has_its_verdict_and_reason)
{
    for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++) {
        cJSON *row = row_of(verdicts[i].text);
        const char *verdict = text_at(row, "verdict");
        const char *reason = text_at(row, "reason");
        ck_assert_msg(strcmp(verdict, verdicts[i].verdict) == 0, "%s: %s (%s), expected %s",
                      verdicts[i].text, verdict, reason, verdicts[i].verdict);
        ck_assert_msg(strstr(reason, verdicts[i].reason) != NULL, "%s: no \"%s\" in %s",
                      verdicts[i].text, verdicts[i].reason, reason);
        ck_assert_msg(fsc__row_fails(row) == verdicts[i].fails, "%s: fails %d", verdicts[i].text,
                      fsc__row_fails(row));
        cJSON_Delete(row);
    }
}
END_TEST

START_TEST(every_row_has_the_same_keys_in_order)
{
    static const char *const keys[] = {
        "id",        "experiment", "graph",       "shape",  "mode",        "unfused_mode",
        "input",     "seed",       "device",      "driver", "plan",        "kernels",
        "verdict",   "reason",     "conformance", "delta",  "error_fused", "error_unfused",
        "direction", "times",      "repro"};
    static const char *const cases[] = {
        ("{\"id\": \"i\", \"experiment\": \"e\", \"graph\": \"add+relu\", \"shape\": \"2x3\", "
         "\"seed\": 5, \"tolerance\": {\"ulp\": 0}}"),
        "{\"graph\": \"add+relu\", \"shape\": \"2x3\", \"max_elements\": 1}", "{}"};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        cJSON *row = row_of(cases[c]);
        const cJSON *item = row->child;
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++, item = item->next) {
            ck_assert_ptr_nonnull(item);
            ck_assert_str_eq(item->string, keys[k]);
        }
        cJSON_Delete(row);
    }
}
END_TEST

START_TEST(a_row_says_what_was_compared)
{
    cJSON *row = row_of("{\"id\": \"i\", \"experiment\": \"e\", \"graph\": \"matmul+bias+gelu\", "
                        "\"shape\": \"6x40:40x10\", \"mode\": \"f16\", \"seed\": 5, \"device\": "
                        "\"pocl\"}");
    ck_assert_str_eq(text_at(row, "id"), "i");
    ck_assert_str_eq(text_at(row, "unfused_mode"), "f16");
    ck_assert_int_eq(at(row, "seed", NULL)->valueint, 5);
    ck_assert_str_eq(text_at(row, "driver"), fsc__device_about(device)->driver);
    const cJSON *plan = at(row, "plan", "fused");
    ck_assert_str_eq(text_at(plan, "groups"), "[matmul bias gelu]");
    ck_assert_int_eq(cJSON_GetArraySize(at(plan, "decisions", NULL)), 2);
    const cJSON *decision = at(plan, "decisions", NULL)->child;
    ck_assert_str_eq(text_at(decision, "at"), "matmul -> bias");
    ck_assert(cJSON_IsTrue(at(decision, "fired", NULL)));
    ck_assert_str_ne(text_at(decision, "rule"), "");
    ck_assert_str_ne(text_at(decision, "reason"), "");
    ck_assert_str_eq(text_at(at(row, "plan", "unfused"), "groups"), "[matmul] [bias] [gelu]");
    ck_assert_int_ge(cJSON_GetArraySize(at(row, "kernels", "fused")), 1);
    ck_assert_int_ge(cJSON_GetArraySize(at(row, "kernels", "unfused")), 3);
    const cJSON *conformance = at(row, "conformance", "fused");
    ck_assert_int_eq(at(conformance, "elems", NULL)->valueint, 60);
    ck_assert_int_eq(at(conformance, "bits_differ", NULL)->valueint, 0);
    ck_assert_int_eq(at(conformance, "flushed", NULL)->valueint, 0);
    ck_assert_int_eq(at(at(row, "conformance", "unfused"), "bits_differ", NULL)->valueint, 0);
    ck_assert_double_gt(at(row, "delta", "max_abs")->valuedouble, 0.0);
    ck_assert_double_gt(at(row, "error_fused", "rel_norm")->valuedouble, 0.0);
    ck_assert_double_gt(at(row, "error_unfused", "rel_norm")->valuedouble, 0.0);
    ck_assert_double_gt(at(at(row, "times", "fused"), "kernel_ns", NULL)->valuedouble, 0.0);
    ck_assert_uint_eq(strlen(text_at(at(row, "bits", NULL), "fused")), 32);
    ck_assert_str_eq(text_at(row, "repro"), "fusescope case matmul+bias+gelu --shape 6x40:40x10 "
                                            "--mode f16 --input normal --seed 5 --device pocl");
    cJSON_Delete(row);
}
END_TEST

START_TEST(a_rule_switched_off_leaves_a_boundary)
{
    cJSON *fused = row_of("{\"graph\": \"mul+add\", \"shape\": \"37x53\", \"mode\": \"f16\"}");
    const char *rule = text_at(at(at(fused, "plan", "fused"), "decisions", NULL)->child, "rule");
    char text[256];
    snprintf(text, sizeof text,
             "{\"graph\": \"mul+add\", \"shape\": \"37x53\", \"mode\": \"f16\", \"off\": [\"%s\"]}",
             rule);
    cJSON *row = row_of(text);
    ck_assert_str_eq(text_at(at(row, "plan", "fused"), "groups"), "[mul] [add]");
    ck_assert_str_eq(text_at(row, "verdict"), "exact");
    ck_assert_str_eq(text_at(at(row, "bits", NULL), "fused"),
                     text_at(at(fused, "bits", NULL), "unfused"));
    cJSON_Delete(row);
    cJSON_Delete(fused);
}
END_TEST

START_TEST(a_limit_is_met_or_missed)
{
    static const struct {
        const char *tolerance;
        bool met;
        const char *missed;
    } limits[] = {
        {"{\"rtol\": 0}", false, "atol 0 + rtol 0"},
        {"{\"rtol\": 0.1, \"atol\": 0.1}", true, ""},
        {"{\"of\": \"error\", \"rel_norm\": 1e-9}", false, "rel_norm is"},
        {"{\"of\": \"error\", \"rel_norm\": 1e-2}", true, ""},
        {"{\"ulp\": 0, \"f16\": {\"ulp\": 1e9}}", true, ""},
    };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "{\"graph\": \"mul+add\", \"shape\": \"37x53\", \"mode\": \"f16\", "
                 "\"tolerance\": %s}",
                 limits[i].tolerance);
        cJSON *row = row_of(text);
        const cJSON *limit = at(row, "limit", NULL);
        ck_assert_str_eq(text_at(row, "verdict"), "rounding");
        ck_assert_msg(cJSON_IsTrue(at(limit, "met", NULL)) == limits[i].met, "%s: %s",
                      limits[i].tolerance, text_at(limit, "missed"));
        ck_assert_ptr_nonnull(strstr(text_at(limit, "missed"), limits[i].missed));
        ck_assert(fsc__row_fails(row) == !limits[i].met);
        cJSON_Delete(row);
    }
}
END_TEST

START_TEST(tensors_come_from_files_and_are_rounded_once)
{
    /* 1.00048828125 is a tie in half and goes to the even 1.0; layernorm's gamma stays f32. */
    float x[] = {1.00048828125f, 2.0f, 3.0f, 4.00390625f};
    const fsc_tensor tensor = {.type = FSC_F32, .shape = {.rank = 2, .dims = {1, 4}}, .data = x};
    const fsc_tensor other = {.type = FSC_F32, .shape = {.rank = 1, .dims = {4}}, .data = x};
    char path[256];
    fsc_error why = {.text = ""};
    snprintf(path, sizeof path, "%s/x.npy", folder);
    ck_status_ok(fsc__npy_write(path, &tensor, &why), &why);
    char text[512];
    snprintf(text, sizeof text,
             "{\"graph\": \"neg+neg\", \"shape\": \"1x4\", \"mode\": \"f16\", \"tensors\": "
             "{\"x\": \"x.npy\"}, \"save\": \"%s/saved\"}",
             folder);
    cJSON *row = row_of(text);
    ck_assert_str_eq(text_at(row, "verdict"), "exact");
    ck_assert_ptr_nonnull(strstr(text_at(row, "repro"), path));
    ck_assert_str_eq(text_at(at(row, "tensors", NULL), "x"), path);
    fsc_tensor fused = {0};
    snprintf(path, sizeof path, "%s/saved/fused.npy", folder);
    ck_status_ok(fsc__npy_read(path, &fused, &why), &why);
    ck_assert_int_eq(fused.type, FSC_F16);
    static const double wanted[] = {1.0, 2.0, 3.0, 4.00390625};
    for (int i = 0; i < 4; i++)
        ck_assert_double_eq(fsc__dtype_load(fused.type, fused.data, i), wanted[i]);
    fsc__tensor_deinit(&fused);
    cJSON_Delete(row);
    snprintf(path, sizeof path, "%s/x.npy", folder);
    ck_status_ok(fsc__npy_write(path, &other, &why), &why);
    row = row_of("{\"graph\": \"neg\", \"shape\": \"1x4\", \"tensors\": {\"x\": \"x.npy\"}}");
    ck_assert_str_eq(text_at(row, "verdict"), "error");
    ck_assert_ptr_nonnull(strstr(text_at(row, "reason"), "x.npy is 4; x of the graph is 1x4"));
    cJSON_Delete(row);
}
END_TEST

START_TEST(check_finds_what_needs_no_device)
{
    static const struct {
        const char *text, *said;
    } wrong[] = {
        {"{\"graph\": \"relu\"}", "c: /shape: "},
        {"{\"graph\": \"relu\", \"shape\": \"2\", \"mode\": \"f32,order=lanes:8\"}", "c: /mode: "},
        {"{\"graph\": \"relu\", \"shape\": \"2\", \"unfused_mode\": \"f32,order=lanes:8\"}",
         "c: /unfused_mode: "},
        {"{\"graph\": \"relu\", \"shape\": \"2\", \"tensors\": {\"y\": \"\"}}", "c: /tensors/y: "},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cJSON *case_json = NULL;
        fsc_error why = {.text = ""};
        ck_status_ok(fsc__json_parse("c", wrong[i].text, strlen(wrong[i].text), &case_json, &why),
                     &why);
        ck_assert_int_ne(fsc__case_check("c", case_json, &why), FSC_OK);
        ck_assert_msg(strncmp(why.text, wrong[i].said, strlen(wrong[i].said)) == 0, "%s", why.text);
        cJSON_Delete(case_json);
    }
}
END_TEST

START_TEST(memory_may_run_out_anywhere)
{
    static const char text[] = "{\"graph\": \"matmul+bias\", \"shape\": \"3x4:4x5\", \"mode\": "
                               "\"f16\", \"tolerance\": {\"ulp\": 0}}";
    int fine = 0;
    int failed = 0;
    cJSON *case_json = NULL;
    fsc_error why = {.text = ""};
    ck_status_ok(fsc__json_parse("case", text, strlen(text), &case_json, &why), &why);
    for (long successes = 0; fine < 10 && successes < 20000; successes += 5) {
        cJSON *row = NULL;
        fsc__alloc_fail_after(successes);
        const fsc_status status = fsc__case_run(device, folder, case_json, &row, &why);
        fsc__alloc_fail_after(-1);
        ck_assert_msg(status == FSC_OK || status == FSC_ERR_MEMORY, "allocation %ld: status %d: %s",
                      successes, (int)status, why.text);
        ck_assert((status == FSC_OK) == (row != NULL));
        const char *verdict = text_at(row, "verdict");
        const bool whole = strcmp(verdict, "exact") == 0 || strcmp(verdict, "rounding") == 0;
        ck_assert_msg(row == NULL || whole || strcmp(verdict, "error") == 0, "%ld: %s: %s",
                      successes, verdict, text_at(row, "reason"));
        fine = whole ? fine + 1 : 0;
        failed += !whole;
        cJSON_Delete(row);
    }
    ck_assert_int_ge(fine, 10);
    ck_assert_int_gt(failed, 60);
    cJSON_Delete(case_json);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("case");
    TCase *tcase = tcase_create("case");
    tcase_add_unchecked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, each_case_has_its_verdict_and_reason);
    tcase_add_test(tcase, every_row_has_the_same_keys_in_order);
    tcase_add_test(tcase, a_row_says_what_was_compared);
    tcase_add_test(tcase, a_rule_switched_off_leaves_a_boundary);
    tcase_add_test(tcase, a_limit_is_met_or_missed);
    tcase_add_test(tcase, tensors_come_from_files_and_are_rounded_once);
    tcase_add_test(tcase, memory_may_run_out_anywhere);
    tcase_add_test(tcase, check_finds_what_needs_no_device);
    suite_add_tcase(suite, tcase);
    return suite;
}
