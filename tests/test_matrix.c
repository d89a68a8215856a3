/* From a configuration to cases with ids, and the folder of their results. */
#include "folder.h"

#include "base/alloc.h"
#include "base/file.h"
#include "experiment/journal.h"
#include "experiment/matrix.h"

const int fsc__test_forks = 1;

static const char *folder;
static fsc__config config;

static const char text[] =
    "{\"version\": 1, \"seed\": 9, \"defaults\": {\"modes\": [\"f32\", \"f16,boundary=round\"],\n"
    "  \"inputs\": [\"normal\", \"uniform:-2:2\"]},\n"
    " \"experiments\": [\n"
    "  {\"name\": \"a\", \"graph\": \"add+relu\", \"shapes\": [\"2x3\", \"4x5\"]},\n"
    "  {\"name\": \"b\", \"graph\": \"layernorm(eps=1e-12)\", \"shapes\": [\"7x9\"],\n"
    "   \"modes\": [\"bf16\"], \"inputs\": [\"zeros\"], \"seeds\": [1, 2, 3], \"off\": [],\n"
    "   \"unfused_mode\": \"f32\", \"tolerance\": {\"rtol\": 0}}]}";

static void setup(void)
{
    fsc_error why = {.text = ""};
    folder = fsc__test_folder();
    ck_status_ok(fsc__config_read(fsc__test_write(folder, "c.json", text), &config, &why), &why);
}

static void teardown(void)
{
    fsc__config_deinit(&config);
    fsc__test_remove(folder);
}

static cJSON *cases_of(const char *filter)
{
    cJSON *cases = NULL;
    fsc_error why = {.text = ""};
    ck_status_ok(fsc__matrix_create(&config, filter, &cases, &why), &why);
    return cases;
}

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

START_TEST(the_product_is_complete_and_ordered)
{
    static const char *const ids[] = {
        "a/add+relu/2x3/f32/normal/9",
        "a/add+relu/2x3/f32/uniform:-2:2/9",
        "a/add+relu/2x3/f16,boundary=round/normal/9",
        "a/add+relu/2x3/f16,boundary=round/uniform:-2:2/9",
        "a/add+relu/4x5/f32/normal/9",
        "a/add+relu/4x5/f32/uniform:-2:2/9",
        "a/add+relu/4x5/f16,boundary=round/normal/9",
        "a/add+relu/4x5/f16,boundary=round/uniform:-2:2/9",
        "b/layernorm(eps=1e-12)/7x9/bf16/zeros/1",
        "b/layernorm(eps=1e-12)/7x9/bf16/zeros/2",
        "b/layernorm(eps=1e-12)/7x9/bf16/zeros/3",
    };
    cJSON *cases = cases_of(NULL);
    ck_assert_int_eq(cJSON_GetArraySize(cases), 11);
    for (int i = 0; i < 11; i++)
        ck_assert_str_eq(text_of(cJSON_GetArrayItem(cases, i), "id"), ids[i]);
    cJSON_Delete(cases);
}
END_TEST

START_TEST(a_case_has_everything_it_needs)
{
    cJSON *cases = cases_of("b/*/3");
    ck_assert_int_eq(cJSON_GetArraySize(cases), 1);
    char *got = cJSON_PrintUnformatted(cases->child);
    ck_assert_str_eq(got, "{\"id\":\"b/layernorm(eps=1e-12)/7x9/bf16/zeros/3\",\"experiment\":"
                          "\"b\",\"graph\":\"layernorm(eps=1e-12)\",\"shape\":\"7x9\",\"mode\":"
                          "\"bf16\",\"unfused_mode\":\"f32\",\"off\":[],\"input\":\"zeros\","
                          "\"seed\":3,\"tolerance\":{\"rtol\":0}}");
    fsc__free(got);
    cJSON_Delete(cases);
}
END_TEST

START_TEST(a_filter_keeps_what_matches)
{
    static const struct {
        const char *filter;
        int count;
    } filters[] = {{"*", 11},         {"a/*", 8},       {"a/*/f32/*", 4},
                   {"*/normal/9", 4}, {"*/zeros/?", 3}, {"nothing/*", 0}};
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        cJSON *cases = cases_of(filters[i].filter);
        ck_assert_msg(cJSON_GetArraySize(cases) == filters[i].count, "%s: %d cases",
                      filters[i].filter, cJSON_GetArraySize(cases));
        cJSON_Delete(cases);
    }
}
END_TEST

/* The file of that name in the test's folder holds text. */
static void holds(const char *name, const char *wanted)
{
    char path[256];
    char *data = NULL;
    size_t bytes = 0;
    fsc_error why = {.text = ""};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    ck_status_ok(fsc__file_read(path, &data, &bytes, &why), &why);
    ck_assert_str_eq(data, wanted);
    fsc__free(data);
}

/* Opens DIR for a configuration and adds rows. */
static fsc_status keep(const fsc__config *of, const char *dir, int rows, fsc_error *why)
{
    fsc__journal *journal = NULL;
    const fsc_status status = fsc__journal_open(dir, "c.json", of, &journal, why);
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "id", "x");
    for (int i = 0; status == FSC_OK && i < rows; i++)
        ck_status_ok(fsc__journal_add(journal, row, why), why);
    cJSON_Delete(row);
    if (status == FSC_OK)
        ck_status_ok(fsc__journal_close(journal, why), why);
    return status;
}

START_TEST(results_of_the_same_configuration_start_afresh)
{
    char dir[128];
    fsc_error why = {.text = ""};
    snprintf(dir, sizeof dir, "%s/deep/out", folder);
    ck_status_ok(keep(&config, dir, 3, &why), &why);
    holds("deep/out/results.jsonl", "{\"id\":\"x\"}\n{\"id\":\"x\"}\n{\"id\":\"x\"}\n");
    ck_status_ok(keep(&config, dir, 1, &why), &why);
    holds("deep/out/results.jsonl", "{\"id\":\"x\"}\n");
}
END_TEST

START_TEST(results_of_another_configuration_are_refused)
{
    char dir[128];
    fsc_error why = {.text = ""};
    fsc__config other = {0};
    snprintf(dir, sizeof dir, "%s/out", folder);
    ck_status_ok(keep(&config, dir, 2, &why), &why);
    ck_status_ok(fsc__config_read(fsc__test_write(folder, "d.json",
                                                  "{\"version\": 1, \"experiments\": [{\"name\": "
                                                  "\"a\", \"graph\": \"relu\", \"shapes\": "
                                                  "[\"2\"]}]}"),
                                  &other, &why),
                 &why);
    ck_assert_int_eq(keep(&other, dir, 1, &why), FSC_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(why.text, dir));
    ck_assert_ptr_nonnull(strstr(why.text, "c.json"));
    holds("out/results.jsonl", "{\"id\":\"x\"}\n{\"id\":\"x\"}\n");
    fsc__config_deinit(&other);
}
END_TEST

START_TEST(results_without_a_manifest_are_refused)
{
    fsc_error why = {.text = ""};
    fsc__test_write(folder, "results.jsonl", "precious\n");
    ck_assert_int_eq(keep(&config, folder, 1, &why), FSC_ERR_INPUT);
    holds("results.jsonl", "precious\n");
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("matrix");
    TCase *tcase = tcase_create("matrix");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, the_product_is_complete_and_ordered);
    tcase_add_test(tcase, a_case_has_everything_it_needs);
    tcase_add_test(tcase, a_filter_keeps_what_matches);
    tcase_add_test(tcase, results_of_the_same_configuration_start_afresh);
    tcase_add_test(tcase, results_of_another_configuration_are_refused);
    tcase_add_test(tcase, results_without_a_manifest_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
