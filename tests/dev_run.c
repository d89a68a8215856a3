/* The command as a user runs it: results on disk, repro lines, saved tensors, broken kernels,
   interrupts. Everything runs in child processes. */
#include <math.h>

#include "folder.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"

const int fsc__test_forks = 0;

static const char *folder;
static char out[1 << 18];

static void setup(void)
{
    folder = fsc__test_folder();
}

static void teardown(void)
{
    fsc__test_remove(folder);
}

static const char *device(void)
{
    const char *select = getenv("FUSESCOPE_DEVICE");
    return select != NULL && select[0] != '\0' ? select : "pocl";
}

/* Runs a line in which `fusescope` is the command under test; its standard output in out. */
static int shell(const char *line)
{
    static char command[1 << 15];
    const char *slash = strrchr(FSC_COMMAND, '/');
    snprintf(command, sizeof command, "cd '%s'; PATH='%.*s':$PATH; %s", folder,
             (int)(slash - FSC_COMMAND), FSC_COMMAND, line);
    return fsc__test_shell(command, out, sizeof out);
}

static cJSON *parse(const char *text)
{
    cJSON *root = NULL;
    fsc_error why = {.text = ""};
    ck_status_ok(fsc__json_parse("row", text, strlen(text), &root, &why), &why);
    return root;
}

/* The rows of NAME/results.jsonl as an array. */
static cJSON *rows_of(const char *name)
{
    char path[256];
    char *data = NULL;
    size_t bytes = 0;
    fsc_error why = {.text = ""};
    cJSON *rows = cJSON_CreateArray();
    snprintf(path, sizeof path, "%s/%s/results.jsonl", folder, name);
    ck_status_ok(fsc__file_read(path, &data, &bytes, &why), &why);
    char *line = data;
    for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        cJSON_AddItemToArray(rows, parse(line));
    }
    ck_assert_str_eq(line, "");
    fsc__free(data);
    return rows;
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

/* No difference is small enough, so every case whose fusion changes a bit fails. */
static const char failing[] =
    "{\"version\": 1, \"seed\": 11, \"defaults\": {\"modes\": [\"f16\", \"bf16,boundary=round\"],\n"
    "  \"tolerance\": {\"of\": \"delta\", \"rtol\": 0, \"atol\": 0}},\n"
    " \"experiments\": [\n"
    "  {\"name\": \"map\", \"graph\": \"mul(0.1)+add(y)+silu\", \"shapes\": [\"33x57\"],\n"
    "   \"inputs\": [\"normal\", \"uniform:-2:2\"]},\n"
    "  {\"name\": \"norm\", \"graph\": \"add+layernorm(eps=1e-12)+gelu\", \"shapes\": "
    "[\"13x384\"]},\n"
    "  {\"name\": \"product\", \"graph\": \"matmul+bias+relu\", \"shapes\": [\"19x67:67x35\"],\n"
    "   \"unfused_mode\": \"f16,order=chunk:16\", \"modes\": [\"f16\"]},\n"
    "  {\"name\": \"real\", \"graph\": \"matmul+bias+gelu\", \"modes\": [\"f16\"], \"tensors\": {\n"
    "   \"x\": \"" FSC_TEST_DATA "/bert/ffn1_matmul_bias_gelu/x.npy\",\n"
    "   \"w\": \"" FSC_TEST_DATA "/bert/ffn1_matmul_bias_gelu/w.npy\",\n"
    "   \"bias\": \"" FSC_TEST_DATA "/bert/ffn1_matmul_bias_gelu/b.npy\"}}]}";

/* The row of results.jsonl that has this repro line. */
static const cJSON *row_with(const cJSON *rows, const char *repro)
{
    const cJSON *row = NULL;
    cJSON_ArrayForEach(row, rows) if (strcmp(text_at(row, "repro"), repro) == 0) return row;
    ck_abort_msg("no row has the line: %s", repro);
    return NULL;
}

/* Executes one line and compares every bit and figure of what it gives. */
static void repeat(const cJSON *rows, const char *repro)
{
    char line[4096];
    const cJSON *row = row_with(rows, repro);
    snprintf(line, sizeof line, "%s --json", repro);
    const int status = shell(line);
    ck_assert_msg(status == 0, "%s: exit status %d", repro, status);
    cJSON *again = parse(out);
    static const char *const keys[] = {"bits",          "conformance", "delta",    "error_fused",
                                       "error_unfused", "verdict",     "direction"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        ck_assert_msg(cJSON_Compare(at(row, keys[i], NULL), at(again, keys[i], NULL), true),
                      "%s: another %s", repro, keys[i]);
    cJSON_Delete(again);
}

START_TEST(every_repro_line_of_a_failing_run_gives_the_same_bits)
{
    static char printed[sizeof out];
    char line[256];
    fsc__test_write(folder, "failing.json", failing);
    snprintf(line, sizeof line, "fusescope run failing.json --device %s --out results", device());
    ck_assert_int_eq(shell(line), 1);
    memcpy(printed, out, sizeof out);
    cJSON *rows = rows_of("results");
    ck_assert_int_eq(cJSON_GetArraySize(rows), 8);
    int repeated = 0;
    char *next = NULL;
    for (char *at_line = strtok_r(printed, "\n", &next); at_line != NULL;
         at_line = strtok_r(NULL, "\n", &next)) {
        static const char mark[] = "      repro: ";
        if (strncmp(at_line, mark, sizeof mark - 1) != 0)
            continue;
        repeat(rows, at_line + sizeof mark - 1);
        repeated++;
    }
    /* All f16 cases fail, none with every boundary rounded does. */
    ck_assert_int_eq(repeated, 5);
    const cJSON *row = NULL;
    cJSON_ArrayForEach(row, rows)
    {
        const bool round = strstr(text_at(row, "mode"), "round") != NULL;
        ck_assert(cJSON_IsTrue(at(row, "limit", "met")) == round);
        ck_assert(!round || strcmp(text_at(row, "verdict"), "exact") == 0);
    }
    cJSON_Delete(rows);
}
END_TEST

START_TEST(saved_tensors_read_by_numpy_give_the_same_figures)
{
    static const char *const modes[] = {"f32,order=lanes:16", "f16", "bf16"};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        char line[1024];
        double delta, error_fused, error_unfused;
        int differ = -1;
        snprintf(line, sizeof line,
                 "fusescope case matmul+bias+gelu --shape 24x96:96x40 --mode %s --unfused-mode %s "
                 "--device %s --save saved%zu --json",
                 modes[i], i == 0 ? "f32" : modes[i], device(), i);
        ck_assert_int_eq(shell(line), 0);
        cJSON *row = parse(out);
        snprintf(line, sizeof line, "/usr/bin/python3 %s/tests/numpy_check.py saved%zu %s",
                 FSC_SOURCE_DIR, i, modes[i]);
        ck_assert_int_eq(shell(line), 0);
        ck_assert_int_eq(
            sscanf(out, "%lf %lf %lf %d", &delta, &error_fused, &error_unfused, &differ), 4);
        ck_assert_int_eq(differ, 0);
        ck_assert_double_gt(delta, 0.0);
        ck_assert_double_eq_tol(at(row, "delta", "rel_norm")->valuedouble, delta, delta * 1e-12);
        ck_assert_double_eq_tol(at(row, "error_fused", "rel_norm")->valuedouble, error_fused,
                                error_fused * 1e-12);
        ck_assert_double_eq_tol(at(row, "error_unfused", "rel_norm")->valuedouble, error_unfused,
                                error_unfused * 1e-12);
        cJSON_Delete(row);
    }
}
END_TEST

START_TEST(a_kernel_that_does_not_build_is_a_row_and_the_rest_runs)
{
    char line[512];
    fsc__test_write(folder, "two.json",
                    "{\"version\": 1, \"experiments\": [{\"name\": \"map\", \"graph\": \"relu\", "
                    "\"shapes\": [\"8x8\"]}, {\"name\": \"norm\", \"graph\": \"layernorm\", "
                    "\"shapes\": [\"8x8\"]}]}");
    snprintf(line, sizeof line,
             "cp -r '%s/cl' broken; sed -i 's/^{/{ this is no OpenCL;/' broken/map.cl; "
             "FUSESCOPE_CL_DIR=broken fusescope run two.json --device %s --out results",
             FSC_SOURCE_DIR, device());
    ck_assert_int_eq(shell(line), 1);
    ck_assert_ptr_nonnull(strstr(out, " 1 exact,"));
    ck_assert_ptr_nonnull(strstr(out, " 1 error,"));
    cJSON *rows = rows_of("results");
    const cJSON *map = rows->child;
    ck_assert_str_eq(text_at(map, "verdict"), "error");
    ck_assert_ptr_nonnull(strstr(text_at(map, "reason"), "map.cl:"));
    ck_assert_ptr_nonnull(strstr(text_at(map, "log"), "map.cl"));
    ck_assert_str_eq(text_at(map->next, "verdict"), "exact");
    cJSON_Delete(rows);
}
END_TEST

START_TEST(a_folder_with_other_results_is_refused_before_anything_runs)
{
    char line[512];
    static const char config[] = "{\"version\": 1, \"seed\": %d, \"experiments\": [{\"name\": "
                                 "\"map\", \"graph\": \"relu\", \"shapes\": [\"8x8\"]}]}";
    char text[256];
    snprintf(text, sizeof text, config, 1);
    fsc__test_write(folder, "one.json", text);
    snprintf(text, sizeof text, config, 2);
    fsc__test_write(folder, "two.json", text);
    snprintf(line, sizeof line, "fusescope run one.json --device %s --out results", device());
    ck_assert_int_eq(shell(line), 0);
    ck_assert_int_eq(shell(line), 0);
    snprintf(line, sizeof line, "fusescope run two.json --device %s --out results 2>&1", device());
    ck_assert_int_eq(shell(line), 2);
    ck_assert_ptr_nonnull(strstr(out, "another configuration (one.json)"));
    ck_assert_ptr_null(strstr(out, "run: "));
    cJSON *rows = rows_of("results");
    ck_assert_int_eq(cJSON_GetArraySize(rows), 1);
    ck_assert_int_eq(at(rows->child, "seed", NULL)->valueint, 1);
    cJSON_Delete(rows);
}
END_TEST

START_TEST(an_interrupted_run_keeps_its_rows)
{
    char line[512];
    char text[1024] = "";
    for (int i = 0; i < 150; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), i == 0 ? "%d" : ",%d", i);
    static char config[2048];
    snprintf(config, sizeof config,
             "{\"version\": 1, \"experiments\": [{\"name\": \"product\", \"graph\": \"matmul\", "
             "\"shapes\": [\"384x384:384x384\"], \"seeds\": [%s]}]}",
             text);
    fsc__test_write(folder, "long.json", config);
    snprintf(line, sizeof line,
             "fusescope run long.json --device %s --out results & pid=$!; n=0; "
             "while [ $n -lt 600 ] && ! [ -s results/results.jsonl ]; do sleep 0.1; n=$((n+1)); "
             "done; kill -INT $pid; wait $pid",
             device());
    ck_assert_int_eq(shell(line), 130);
    ck_assert_ptr_nonnull(strstr(out, "run: "));
    cJSON *rows = rows_of("results");
    ck_assert_int_ge(cJSON_GetArraySize(rows), 1);
    ck_assert_int_lt(cJSON_GetArraySize(rows), 150);
    cJSON_Delete(rows);
}
END_TEST

#define ONE_CASE                                                                               \
    "{\"version\": 1, \"experiments\": [{\"name\": \"map\", \"graph\": \"relu\", \"shapes\": " \
    "[\"8x8\"]}]}"

START_TEST(a_full_disk_is_noticed)
{
    char line[512];
    fsc__test_write(folder, "one.json", ONE_CASE);
    snprintf(line, sizeof line, "fusescope run one.json --device %s --out results 2>&1", device());
    ck_assert_int_eq(shell(line), 0);
    ck_assert_int_eq(shell("rm results/results.jsonl; ln -s /dev/full results/results.jsonl"), 0);
    ck_assert_int_eq(shell(line), 4);
    ck_assert_ptr_nonnull(strstr(out, "results.jsonl: No space left on device"));
    snprintf(line, sizeof line, "fusescope run one.json --device %s 2>&1 >/dev/full", device());
    ck_assert_int_eq(shell(line), 4);
    ck_assert_ptr_nonnull(strstr(out, "No space left on device"));
}
END_TEST

START_TEST(a_terminal_gets_colours_and_progress)
{
    static const char green[] = "\033[32m exact";
    char line[512];
    fsc__test_write(folder, "one.json", ONE_CASE);
    snprintf(line, sizeof line,
             "script -qec 'env -u NO_COLOR fusescope run one.json --device %s' /dev/null",
             device());
    ck_assert_int_eq(shell(line), 0);
    ck_assert_ptr_nonnull(strstr(out, green));
    ck_assert_ptr_nonnull(strstr(out, "[1/1] "));
    snprintf(line, sizeof line,
             "script -qec 'NO_COLOR=1 fusescope run one.json --device %s' /dev/null", device());
    ck_assert_int_eq(shell(line), 0);
    ck_assert_ptr_null(strstr(out, green));
    ck_assert_ptr_nonnull(strstr(out, "[1/1] "));
    snprintf(line, sizeof line, "fusescope run one.json --device %s 2>&1", device());
    ck_assert_int_eq(shell(line), 0);
    ck_assert_ptr_null(strstr(out, "\033"));
    ck_assert_ptr_null(strstr(out, "[1/1] "));
}
END_TEST

START_TEST(devices_and_statuses)
{
    char line[512];
    ck_assert_int_eq(shell("fusescope devices"), 0);
    ck_assert_ptr_nonnull(strstr(out, "driver"));
    ck_assert_int_eq(shell("fusescope devices --json --probe"), 0);
    cJSON *list = parse(out);
    ck_assert(cJSON_IsObject(at(list->child, "caps", NULL)));
    ck_assert_str_ne(text_at(at(list->child, "caps", NULL), "fma"), "");
    cJSON_Delete(list);
    ck_assert_int_eq(shell("fusescope case relu --shape 8 --device no-such-device 2>&1"), 3);
    ck_assert_ptr_nonnull(strstr(out, "there are"));
    snprintf(line, sizeof line, "fusescope case relu --shape 8 --device %s", device());
    ck_assert_int_eq(shell(line), 0);
    ck_assert_ptr_nonnull(strstr(out, "exact"));
    snprintf(line, sizeof line, "fusescope source relu --shape 8 --device %s", device());
    ck_assert_int_eq(shell(line), 0);
    ck_assert_ptr_nonnull(strstr(out, "kernel void"));
    ck_assert_ptr_nonnull(strstr(out, "build: ok"));
    ck_assert_int_eq(shell("fusescope source matmul+bias --shape 8x8:8x8"), 0);
    ck_assert_ptr_nonnull(strstr(out, "kernel void"));
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("run");
    TCase *tcase = tcase_create("run");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, every_repro_line_of_a_failing_run_gives_the_same_bits);
    tcase_add_test(tcase, saved_tensors_read_by_numpy_give_the_same_figures);
    tcase_add_test(tcase, a_kernel_that_does_not_build_is_a_row_and_the_rest_runs);
    tcase_add_test(tcase, a_folder_with_other_results_is_refused_before_anything_runs);
    tcase_add_test(tcase, an_interrupted_run_keeps_its_rows);
    tcase_add_test(tcase, a_full_disk_is_noticed);
    tcase_add_test(tcase, a_terminal_gets_colours_and_progress);
    tcase_add_test(tcase, devices_and_statuses);
    suite_add_tcase(suite, tcase);
    return suite;
}
