/* Finding the first error of a driver's build log. */
#include <string.h>

#include "device/build_log.h"
#include "harness.h"

const int fsc__test_forks = 1;

static const char text[] = "int a;\n"              /* 1 */
                           "#line 10 \"map.cl\"\n" /* 2 */
                           "int b;\n"              /* 3: map.cl:10 */
                           "int c;\n"              /* 4: map.cl:11 */
                           "#line 3 \"lanes.h\"\n" /* 5 */
                           "int d;\n"              /* 6: lanes.h:3 */
                           "#line 40\n"            /* 7 */
                           "int e;\n";             /* 8: lanes.h:40 */

static const char *error_of(const char *log)
{
    static char line[64];
    memset(line, 'x', sizeof line);
    fsc__build_log_error(text, log, line, sizeof line);
    return line;
}

START_TEST(first_error_line_is_found)
{
    ck_assert_str_eq(error_of("map.cl:3:1: warning: w\n  map.cl:10:5: error: no b\nerror: late\n"),
                     "map.cl:10:5: error: no b");
    ck_assert_str_eq(error_of("\n\n  something odd\nmore"), "something odd");
    ck_assert_str_eq(error_of(""), "it gave no log");
    ck_assert_str_eq(error_of(" \n"), "it gave no log");
}
END_TEST

START_TEST(flat_lines_become_ours)
{
    ck_assert_str_eq(error_of("input.cl:3:16: error: x"), "map.cl:10:16: error: x");
    ck_assert_str_eq(error_of("input.cl:4:1: error: x\n"), "map.cl:11:1: error: x");
    ck_assert_str_eq(error_of("input.cl:6:1: error: x"), "lanes.h:3:1: error: x");
    ck_assert_str_eq(error_of("input.cl:8:1: error: x"), "lanes.h:40:1: error: x");
    ck_assert_str_eq(error_of("input.cl:1:1: error: x"), "input.cl:1:1: error: x");
}
END_TEST

START_TEST(long_lines_are_cut)
{
    char log[300];
    memset(log, 'e', sizeof log);
    log[299] = '\0';
    ck_assert_uint_eq(strlen(error_of(log)), 63);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("build_log");
    TCase *tests = tcase_create("build_log");
    tcase_add_test(tests, first_error_line_is_found);
    tcase_add_test(tests, flat_lines_become_ours);
    tcase_add_test(tests, long_lines_are_cut);
    suite_add_tcase(suite, tests);
    return suite;
}
