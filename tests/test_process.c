/* Child processes: lines, environments, deaths, lateness, interrupts. */
#include "folder.h"

#include "base/alloc.h"
#include "base/json.h"
#include "experiment/process.h"

const int fsc__test_forks = 1;

static fsc__process child;

static void start(const char *script, const char *env_text)
{
    const char *args[] = {"sh", "-c", script, NULL};
    cJSON *env = env_text == NULL ? NULL : cJSON_Parse(env_text);
    fsc_error why = {.text = ""};
    ck_status_ok(fsc__process_start("/bin/sh", args, env, &child, &why), &why);
    cJSON_Delete(env);
}

static void hears(const char *wanted)
{
    char *line = NULL;
    ck_assert_int_eq(fsc__process_hear(&child, 10000, -1, &line), FSC__HEARD_LINE);
    ck_assert_str_eq(line, wanted);
    fsc__free(line);
}

START_TEST(lines_go_both_ways)
{
    char how[96];
    start("while read x; do echo \"<$x>\"; echo second; done", NULL);
    for (int i = 0; i < 3; i++) {
        ck_assert(fsc__process_say(&child, "a line\n"));
        hears("<a line>");
        hears("second");
    }
    fsc__process_stop(&child, 10000, how, sizeof how);
    ck_assert_str_eq(how, "exit status 0");
    ck_assert_int_eq(child.pid, 0);
}
END_TEST

START_TEST(long_lines_arrive_whole)
{
    enum { LENGTH = 300000 };
    char *line = NULL;
    start("head -c 300000 /dev/zero | tr '\\0' z; echo; echo end", NULL);
    ck_assert_int_eq(fsc__process_hear(&child, 10000, -1, &line), FSC__HEARD_LINE);
    ck_assert_uint_eq(strlen(line), LENGTH);
    ck_assert_uint_eq(strspn(line, "z"), LENGTH);
    fsc__free(line);
    hears("end");
    fsc__process_stop(&child, 10000, NULL, 0);
}
END_TEST

START_TEST(the_environment_is_the_child_s)
{
    setenv("FSC_KEPT", "kept", 1);
    setenv("FSC_CHANGED", "old", 1);
    start("echo \"$FSC_KEPT $FSC_CHANGED $FSC_ADDED\"",
          "{\"FSC_CHANGED\": \"new\", \"FSC_ADDED\": \"a b\"}");
    hears("kept new a b");
    fsc__process_stop(&child, 10000, NULL, 0);
    ck_assert_str_eq(getenv("FSC_CHANGED"), "old");
}
END_TEST

START_TEST(a_death_is_heard_and_named)
{
    char *line = NULL;
    char how[96];
    start("kill -SEGV $$", NULL);
    ck_assert_int_eq(fsc__process_hear(&child, 10000, -1, &line), FSC__HEARD_END);
    fsc__process_stop(&child, 10000, how, sizeof how);
    ck_assert_str_eq(how, "signal 11 (Segmentation fault)");
    start("exit 3", NULL);
    ck_assert_int_eq(fsc__process_hear(&child, 10000, -1, &line), FSC__HEARD_END);
    fsc__process_stop(&child, 10000, how, sizeof how);
    ck_assert_str_eq(how, "exit status 3");
}
END_TEST

START_TEST(a_late_child_is_killed)
{
    char *line = NULL;
    char how[96];
    start("exec sleep 1000", NULL);
    ck_assert_int_eq(fsc__process_hear(&child, 50, -1, &line), FSC__HEARD_NOTHING);
    fsc__process_stop(&child, 0, how, sizeof how);
    ck_assert_str_eq(how, "signal 9 (Killed)");
}
END_TEST

START_TEST(an_interrupt_ends_the_waiting)
{
    char *line = NULL;
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq((int)write(ends[1], "!", 1), 1);
    start("exec sleep 1000", NULL);
    ck_assert(fsc__process_interrupted(ends[0]));
    ck_assert(!fsc__process_interrupted(-1));
    ck_assert_int_eq(fsc__process_hear(&child, 10000, ends[0], &line), FSC__HEARD_INTERRUPT);
    fsc__process_stop(&child, 0, NULL, 0);
}
END_TEST

START_TEST(a_program_that_is_not_there_is_named)
{
    const char *args[] = {"x", NULL};
    fsc_error why = {.text = ""};
    ck_assert_int_eq(fsc__process_start("/no/such/program", args, NULL, &child, &why),
                     FSC_ERR_FILE);
    ck_assert_ptr_nonnull(strstr(why.text, "/no/such/program"));
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("process");
    TCase *tcase = tcase_create("process");
    tcase_add_test(tcase, lines_go_both_ways);
    tcase_add_test(tcase, long_lines_arrive_whole);
    tcase_add_test(tcase, the_environment_is_the_child_s);
    tcase_add_test(tcase, a_death_is_heard_and_named);
    tcase_add_test(tcase, a_late_child_is_killed);
    tcase_add_test(tcase, an_interrupt_ends_the_waiting);
    tcase_add_test(tcase, a_program_that_is_not_there_is_named);
    suite_add_tcase(suite, tcase);
    return suite;
}
