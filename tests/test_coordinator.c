/* Cases handed to workers that answer, die, hang, are not there; a shell script plays the worker.
 */
#include "folder.h"

#include <sys/stat.h>

#include "base/json.h"
#include "experiment/coordinator.h"

const int fsc__test_forks = 1;

/* Answers --list by the selector, and each case by its id. */
static const char script[] =
    "#!/bin/sh\n"
    "case \"$*\" in\n"
    "*--list*--device\\ missing*) echo '{\"status\": 5, \"error\": \"nothing fits\"}'; exit;;\n"
    "*--list*--device\\ both*) echo '{\"devices\": [{\"select\": \"0.0\", \"device\": \"A\", "
    "\"driver\": \"1\"}, {\"select\": \"0.1\", \"device\": \"B\", \"driver\": \"1\"}]}'; exit;;\n"
    "*--list*) echo '{\"devices\": [{\"select\": \"0.0\", \"device\": \"A\", \"driver\": \"1\"}]}'"
    "; exit;;\n"
    "*--device\\ shut*) echo '{\"status\": 6, \"error\": \"does not open\"}'; exit;;\n"
    "esac\n"
    "echo '{\"device\": \"A\", \"driver\": \"1\"}'\n"
    "n=0\n"
    "while read -r line; do\n"
    "  n=$((n + 1))\n"
    "  case \"$line\" in\n"
    "  *crash*) kill -SEGV $$;;\n"
    "  *leave*) exit 7;;\n"
    "  *hang*) exec sleep 1000;;\n"
    "  *) echo \"{\\\"verdict\\\": \\\"exact\\\", \\\"nth\\\": $n, \\\"env\\\": \\\"$FSC_FAKE\\\","
    " \\\"repro\\\": \\\"fusescope case\\\", \\\"case\\\": $line}\";;\n"
    "  esac\n"
    "done\n";

/* Everything that a run said: "verdict:reason nth|" for each row, or what on_row saw otherwise. */
static char said[8192];
static char progress[2048];
static const char *folder;
static char program[256];
static int interrupt_ends[2];
static int interrupt_after; /* rows; 0: never */

static void setup(void)
{
    folder = fsc__test_folder();
    snprintf(program, sizeof program, "%s", fsc__test_write(folder, "worker", script));
    ck_assert_int_eq(chmod(program, 0755), 0);
    ck_assert_int_eq(pipe(interrupt_ends), 0);
    said[0] = progress[0] = '\0';
    interrupt_after = 0;
}

static void teardown(void)
{
    fsc__test_remove(folder);
}

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static fsc_status on_row(void *context, const cJSON *row, fsc_error *why)
{
    const size_t used = strlen(said);
    const cJSON *nth = cJSON_GetObjectItemCaseSensitive(row, "nth");
    (void)context;
    (void)why;
    if (nth != NULL)
        snprintf(said + used, sizeof said - used, "%s %d|", text_of(row, "verdict"), nth->valueint);
    else
        snprintf(said + used, sizeof said - used, "%s: %s|", text_of(row, "verdict"),
                 text_of(row, "reason"));
    if (interrupt_after > 0 && --interrupt_after == 0)
        ck_assert_int_eq((int)write(interrupt_ends[1], "!", 1), 1);
    return FSC_OK;
}

/* The parts of the row that the coordinator is answerable for. */
static fsc_status on_row_keys(void *context, const cJSON *row, fsc_error *why)
{
    const size_t used = strlen(said);
    const cJSON *given = cJSON_GetObjectItemCaseSensitive(row, "case");
    const cJSON *most = cJSON_GetObjectItemCaseSensitive(given, "max_elements");
    (void)context;
    (void)why;
    snprintf(said + used, sizeof said - used, "%s|%s|%s|%d", text_of(row, "repro"),
             text_of(row, "env"), text_of(given, "device"), most == NULL ? 0 : most->valueint);
    return FSC_OK;
}

static void on_case(void *context, int done, int total, const char *device, const char *id)
{
    const size_t used = strlen(progress);
    (void)context;
    snprintf(progress + used, sizeof progress - used, "%d/%d %s %s|", done, total, device, id);
}

static fsc_status run(const char *cases_text, const fsc__config_device *devices, int count,
                      bool *interrupted, fsc_error *why,
                      fsc_status (*rows)(void *, const cJSON *, fsc_error *))
{
    cJSON *cases = cJSON_Parse(cases_text);
    ck_assert_ptr_nonnull(cases);
    const fsc__run made = {
        .program = program,
        .cases = cases,
        .devices = devices,
        .device_count = count,
        .timeout_s = 1,
        .interrupt_fd = interrupt_ends[0],
        .on_row = rows,
        .on_case = on_case,
    };
    const fsc_status status = fsc__coordinate(&made, interrupted, why);
    cJSON_Delete(cases);
    return status;
}

#define CASE(id) "{\"id\": \"" id "\", \"graph\": \"relu\", \"shape\": \"2\"}"
static const fsc__config_device one = {.select = "a", .required = true};

static void says(const char *cases, const fsc__config_device *devices, int count,
                 const char *wanted)
{
    fsc_error why = {.text = ""};
    bool interrupted = true;
    ck_status_ok(run(cases, devices, count, &interrupted, &why, on_row), &why);
    ck_assert(!interrupted);
    ck_assert_str_eq(said, wanted);
}

START_TEST(one_worker_does_all_cases_in_order)
{
    says("[" CASE("a") "," CASE("b") "," CASE("c") "]", &one, 1, "exact 1|exact 2|exact 3|");
    ck_assert_str_eq(progress, "0/3 A a|1/3 A b|2/3 A c|");
}
END_TEST

START_TEST(a_selector_of_two_devices_runs_on_both)
{
    const fsc__config_device both = {.select = "both", .required = true};
    says("[" CASE("a") "," CASE("b") "]", &both, 1, "exact 1|exact 2|exact 1|exact 2|");
    ck_assert_str_eq(progress, "0/4 A a|1/4 A b|2/4 B a|3/4 B b|");
}
END_TEST

START_TEST(a_device_named_twice_runs_once)
{
    const fsc__config_device twice[] = {one, {.select = "other", .required = true}};
    says("[" CASE("a") "]", twice, 2, "exact 1|");
}
END_TEST

START_TEST(a_death_is_a_row_and_the_next_case_gets_a_new_worker)
{
    says("[" CASE("a") "," CASE("crash") "," CASE("b") "," CASE("leave") "," CASE("c") "]", &one, 1,
         "exact 1|crash: the worker died: signal 11 (Segmentation fault)|exact 1|"
         "crash: the worker died: exit status 7|exact 1|");
}
END_TEST

START_TEST(a_worker_that_takes_too_long_is_a_row)
{
    says("[" CASE("hang") "," CASE("b") "]", &one, 1,
         "timeout: no result in 1 s (timeout_s)|exact 1|");
}
END_TEST

START_TEST(a_worker_that_cannot_start_fails_its_cases_once)
{
    const fsc__config_device shut = {.select = "shut", .required = true};
    says("[" CASE("a") "," CASE("b") "]", &shut, 1, "error: does not open|error: does not open|");
}
END_TEST

START_TEST(an_optional_device_that_is_missing_skips)
{
    const fsc__config_device devices[] = {{.select = "missing", .required = false}, one};
    says("[" CASE("a") "," CASE("b") "]", devices, 2,
         "skipped: nothing fits|skipped: nothing fits|exact 1|exact 2|");
}
END_TEST

START_TEST(a_required_device_that_is_missing_stops_before_anything_runs)
{
    const fsc__config_device devices[] = {one, {.select = "missing", .required = true}};
    fsc_error why = {.text = ""};
    bool interrupted = true;
    ck_assert_int_eq(run("[" CASE("a") "]", devices, 2, &interrupted, &why, on_row),
                     FSC_ERR_NO_DEVICE);
    ck_assert_str_eq(why.text, "nothing fits");
    ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(a_device_s_environment_and_limit_reach_its_worker)
{
    cJSON *env = cJSON_Parse("{\"FSC_FAKE\": \"a b\"}");
    const fsc__config_device device = {
        .select = "a", .required = true, .env = env, .max_elements = 77};
    fsc_error why = {.text = ""};
    bool interrupted = false;
    ck_status_ok(run("[" CASE("a") "]", &device, 1, &interrupted, &why, on_row_keys), &why);
    ck_assert_str_eq(said, "FSC_FAKE='a b' fusescope case|a b|a|77");
    cJSON_Delete(env);
}
END_TEST

START_TEST(an_interrupt_ends_the_run_and_keeps_its_rows)
{
    fsc_error why = {.text = ""};
    bool interrupted = false;
    interrupt_after = 2;
    ck_status_ok(run("[" CASE("a") "," CASE("b") "," CASE("hang") "," CASE("c") "]", &one, 1,
                     &interrupted, &why, on_row),
                 &why);
    ck_assert(interrupted);
    ck_assert_str_eq(said, "exact 1|exact 2|");
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("coordinator");
    TCase *tcase = tcase_create("coordinator");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, one_worker_does_all_cases_in_order);
    tcase_add_test(tcase, a_selector_of_two_devices_runs_on_both);
    tcase_add_test(tcase, a_device_named_twice_runs_once);
    tcase_add_test(tcase, a_death_is_a_row_and_the_next_case_gets_a_new_worker);
    tcase_add_test(tcase, a_worker_that_takes_too_long_is_a_row);
    tcase_add_test(tcase, a_worker_that_cannot_start_fails_its_cases_once);
    tcase_add_test(tcase, an_optional_device_that_is_missing_skips);
    tcase_add_test(tcase, a_required_device_that_is_missing_stops_before_anything_runs);
    tcase_add_test(tcase, a_device_s_environment_and_limit_reach_its_worker);
    tcase_add_test(tcase, an_interrupt_ends_the_run_and_keeps_its_rows);
    suite_add_tcase(suite, tcase);
    return suite;
}
