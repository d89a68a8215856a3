/* JSON values: each way one can be wrong is named by file and pointer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"

const int fsc__test_forks = 1;

static fsc_status parse(const char *text, cJSON **root, fsc_error *why)
{
    return fsc__json_parse("a.json", text, strlen(text), root, why);
}

typedef struct bad_value {
    const char *text, *message;
} bad_value;

static const bad_value bad_values[] = {
    {"{\"a\": 1, \"b\": 2, \"a\": 3}", "a.json: /a: this key stands twice; once is allowed"},
    {"{\"x\": [0, {\"q/r~\": 1, \"q/r~\": 1}]}",
     "a.json: /x/1/q~1r~0: this key stands twice; once is allowed"},
    {"{\"\": 1, \"\": 1}", "a.json: /: this key stands twice; once is allowed"},
    {"{\"\\u0061\": 1, \"a\": 1}", "a.json: /a: this key stands twice; once is allowed"},
    {"[[], [1, 1e999]]", "a.json: /1/1: this number is too large; at most 1.7e308 is allowed"},
    {"-1e999", "a.json: this number is too large; at most 1.7e308 is allowed"},
};

START_TEST(bad_values_are_named_by_pointer)
{
    cJSON *root = NULL;
    fsc_error why;
    ck_assert_int_eq(parse(bad_values[_i].text, &root, &why), FSC_ERR_INPUT);
    ck_assert_ptr_null(root);
    ck_assert_str_eq(why.text, bad_values[_i].message);
}
END_TEST

START_TEST(keys_that_differ_in_case_are_two)
{
    cJSON *root = NULL;
    fsc_error why;
    ck_status_ok(parse("{\"a\": 1, \"A\": 2}", &root, &why), &why);
    const fsc__json at = fsc__json_root("a.json", root);
    const fsc__json lower = fsc__json_member(&at, "a"), upper = fsc__json_member(&at, "A");
    ck_assert_double_eq(lower.node->valuedouble, 1);
    ck_assert_double_eq(upper.node->valuedouble, 2);
    cJSON_Delete(root);
}
END_TEST

START_TEST(every_failing_allocation_is_reported)
{
    static const char text[] = "{\"a\": [1, \"two\", {\"b\": true}], \"c\": {\"d\": null}}";
    cJSON *root = NULL;
    fsc_error why;
    long failures = 0;
    for (;; failures++) {
        fsc__alloc_fail_after(failures);
        const fsc_status status = parse(text, &root, &why);
        fsc__alloc_fail_after(-1);
        if (status == FSC_OK)
            break;
        ck_assert_int_eq(status, FSC_ERR_MEMORY);
        ck_assert_str_eq(why.text, "a.json: out of memory");
        ck_assert_ptr_null(root);
    }
    ck_assert_int_ge(failures, 16); /* 8 nodes, 4 keys, 1 string, 3 lists of keys */
    cJSON_Delete(root);
}
END_TEST

static const char *const keys[] = {"shapes", "modes", "seed"};

START_TEST(unknown_keys_name_the_nearest)
{
    cJSON *root = NULL;
    fsc_error why;
    ck_status_ok(
        parse("[{\"seed\": 1, \"sahpes\": 2}, {\"device\": 1}, 7, {\"modes\": 1}]", &root, &why),
        &why);
    const fsc__json at = fsc__json_root("a.json", root);
    static const char *const messages[] = {
        "a.json: /0/sahpes: unknown key, did you mean \"shapes\"? allowed are shapes, modes, seed",
        "a.json: /1/device: unknown key; allowed are shapes, modes, seed",
        "a.json: /2: must be an object; not 7",
    };
    for (int i = 0; i < 3; i++) {
        const fsc__json item = fsc__json_item(&at, i);
        ck_assert_int_eq(fsc__json_keys(&item, keys, 3, &why), FSC_ERR_INPUT);
        ck_assert_str_eq(why.text, messages[i]);
    }
    const fsc__json last = fsc__json_item(&at, 3);
    ck_status_ok(fsc__json_keys(&last, keys, 3, &why), &why);
    cJSON_Delete(root);
}
END_TEST

START_TEST(values_are_read)
{
    cJSON *root = NULL;
    fsc_error why;
    ck_status_ok(parse("{\"t\": \"\\u00e4\\ud83d\\ude00\", \"n\": -2.5e-3, \"i\": "
                       "-9007199254740992, \"f\": true, \"a\": [5, 6]}",
                       &root, &why),
                 &why);
    const fsc__json at = fsc__json_root("a.json", root);
    const char *text = NULL;
    double number = 0;
    int64_t integer = 0;
    bool flag = false;
    fsc__json member = fsc__json_member(&at, "t");
    ck_status_ok(fsc__json_text(&member, &text, &why), &why);
    ck_assert_str_eq(text, "\xC3\xA4\xF0\x9F\x98\x80");
    member = fsc__json_member(&at, "n");
    ck_status_ok(fsc__json_number(&member, -1, 1, &number, &why), &why);
    ck_assert_double_eq(number, -2.5e-3);
    member = fsc__json_member(&at, "i");
    ck_status_ok(fsc__json_integer(&member, INT64_MIN, INT64_MAX, &integer, &why), &why);
    ck_assert_int_eq(integer, -INT64_C(9007199254740992));
    member = fsc__json_member(&at, "f");
    ck_status_ok(fsc__json_flag(&member, &flag, &why), &why);
    ck_assert(flag);
    member = fsc__json_member(&at, "a");
    ck_status_ok(fsc__json_array(&member, &why), &why);
    ck_assert_int_eq(fsc__json_size(&member), 2);
    const fsc__json item = fsc__json_item(&member, 1);
    ck_assert_str_eq(item.pointer, "/a/1");
    ck_status_ok(fsc__json_integer(&item, 6, 6, &integer, &why), &why);
    ck_assert_int_eq(integer, 6);
    ck_assert(fsc__json_has(&at, "a"));
    ck_assert(!fsc__json_has(&at, "A"));
    ck_assert_int_eq(fsc__json_size(&at), 5);
    ck_assert_int_eq(fsc__json_size(&item), 0);
    cJSON_Delete(root);
}
END_TEST

START_TEST(wrong_types_say_what_is_needed_and_found)
{
    cJSON *root = NULL;
    fsc_error why;
    ck_status_ok(
        parse("{\"n\": 2.5, \"t\": \"12\", \"z\": null, \"o\": {}, \"big\": 1e300, \"esc\": "
              "\"\\u001b[2J\", \"long\": "
              "\"123456789012345678901234567890123456789\xC3\xA4 and more\"}",
              &root, &why),
        &why);
    const fsc__json at = fsc__json_root("a.json", root);
    const fsc__json n = fsc__json_member(&at, "n"), t = fsc__json_member(&at, "t"),
                    z = fsc__json_member(&at, "z"), o = fsc__json_member(&at, "o"),
                    big = fsc__json_member(&at, "big"), missing = fsc__json_member(&at, "q"),
                    escape = fsc__json_member(&at, "esc"), longer = fsc__json_member(&at, "long");
    const char *text = "untouched";
    double number = 7;
    int64_t integer = 7;
    bool flag = true;
    ck_assert_int_eq(fsc__json_text(&n, &text, &why), FSC_ERR_INPUT);
    ck_assert_str_eq(why.text, "a.json: /n: must be a text; not 2.5");
    ck_assert_int_eq(fsc__json_integer(&n, 0, 9, &integer, &why), FSC_ERR_INPUT);
    ck_assert_str_eq(why.text, "a.json: /n: must be a whole number from 0 to 9; not 2.5");
    ck_assert_int_eq(fsc__json_number(&n, 3, 4.5, &number, &why), FSC_ERR_INPUT);
    ck_assert_str_eq(why.text, "a.json: /n: must be a number from 3 to 4.5; not 2.5");
    ck_assert_int_eq(fsc__json_integer(&big, INT64_MIN, INT64_MAX, &integer, &why), FSC_ERR_INPUT);
    ck_assert_str_eq(why.text, "a.json: /big: must be a whole number from -9007199254740992 to "
                               "9007199254740992; not 1.0000000000000001e+300");
    ck_assert_int_eq(fsc__json_number(&t, 0, 9, &number, &why), FSC_ERR_INPUT);
    ck_assert_str_eq(why.text, "a.json: /t: must be a number from 0 to 9; not \"12\"");
    ck_assert_int_eq(fsc__json_flag(&o, &flag, &why), FSC_ERR_INPUT);
    ck_assert_str_eq(why.text, "a.json: /o: must be true or false; not an object");
    ck_assert_int_eq(fsc__json_text(&z, &text, &why), FSC_ERR_INPUT);
    ck_assert_str_eq(why.text, "a.json: /z: must be a text; not null");
    ck_assert_int_eq(fsc__json_text(&missing, &text, &why), FSC_ERR_INPUT);
    ck_assert_str_eq(why.text, "a.json: /q: must be a text; it is missing");
    ck_assert_int_eq(fsc__json_flag(&escape, &flag, &why), FSC_ERR_INPUT);
    ck_assert_str_eq(why.text, "a.json: /esc: must be true or false; not \"?[2J\"");
    ck_assert_int_eq(fsc__json_array(&longer, &why), FSC_ERR_INPUT);
    ck_assert_str_eq(why.text, "a.json: /long: must be an array; not "
                               "\"123456789012345678901234567890123456789...\"");
    ck_assert_str_eq(text, "untouched");
    ck_assert_double_eq(number, 7);
    ck_assert_int_eq(integer, 7);
    ck_assert(flag);
    cJSON_Delete(root);
}
END_TEST

START_TEST(a_long_pointer_is_cut)
{
    char key[400];
    memset(key, '~', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    fsc__json at = fsc__json_root("a.json", NULL);
    for (int i = 0; i < 3; i++)
        at = fsc__json_member(&at, key);
    const size_t length = strlen(at.pointer);
    ck_assert_uint_lt(length, sizeof at.pointer);
    ck_assert_uint_gt(length, sizeof at.pointer - 8);
    ck_assert_str_eq(at.pointer + length - 5, "~0...");
}
END_TEST

START_TEST(files_that_hold_no_document)
{
    char folder[] = "/tmp/fusescope-json-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    char path[128], pipe_path[128];
    snprintf(path, sizeof path, "%s/a.json", folder);
    snprintf(pipe_path, sizeof pipe_path, "%s/pipe", folder);
    ck_assert_int_eq(mkfifo(pipe_path, 0600), 0);
    const struct {
        const char *path, *message;
    } files[] = {
        {path, "cannot open: No such file or directory"},
        {folder, "is a folder, not a file"},
        {"/dev/null", "is not a regular file"},
        {"/dev/zero", "is not a regular file"},
        {pipe_path, "is not a regular file"},
        {"", "cannot open: No such file or directory"},
    };
    cJSON *root = NULL;
    fsc_error why;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char wanted[256];
        snprintf(wanted, sizeof wanted, "%s: %s", files[i].path, files[i].message);
        ck_assert_int_eq(fsc__json_read(files[i].path, &root, &why), FSC_ERR_FILE);
        ck_assert_str_eq(why.text, wanted);
    }
    ck_status_ok(fsc__file_write(path, "", 0, &why), &why);
    ck_assert_int_eq(fsc__json_read(path, &root, &why), FSC_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(why.text, "a.json:1:1: the text is empty"));
    ck_status_ok(fsc__file_write(path, "{\"a\":1}\n", 8, &why), &why);
    ck_status_ok(fsc__json_read(path, &root, &why), &why);
    ck_assert_int_eq(cJSON_GetArraySize(root), 1);
    cJSON_Delete(root);
    unlink(path);
    unlink(pipe_path);
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("json");
    TCase *tc = tcase_create("json");
    tcase_add_loop_test(tc, bad_values_are_named_by_pointer, 0,
                        (int)(sizeof bad_values / sizeof bad_values[0]));
    tcase_add_test(tc, keys_that_differ_in_case_are_two);
    tcase_add_test(tc, every_failing_allocation_is_reported);
    tcase_add_test(tc, unknown_keys_name_the_nearest);
    tcase_add_test(tc, values_are_read);
    tcase_add_test(tc, wrong_types_say_what_is_needed_and_found);
    tcase_add_test(tc, a_long_pointer_is_cut);
    tcase_add_test(tc, files_that_hold_no_document);
    suite_add_tcase(suite, tc);
    return suite;
}
