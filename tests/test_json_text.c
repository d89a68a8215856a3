/* JSON texts: each way one can be wrong is named by line and column, and none crashes. */
#include <string.h>

#include "harness.h"

#include "base/alloc.h"
#include "base/json.h"
#include "base/text.h"

const int fsc__test_forks = 1;

static fsc_status parse(const char *text, cJSON **root, fsc_error *why)
{
    return fsc__json_parse("a.json", text, strlen(text), root, why);
}

typedef struct bad_text {
    const char *text, *message; /* after "a.json:" */
} bad_text;

static const bad_text bad_texts[] = {
    {"", "1:1: the text is empty; a JSON value is needed"},
    {" \n\n ", "3:2: the text is empty; a JSON value is needed"},
    {"\xEF\xBB\xBF", "1:2: the text is empty; a JSON value is needed"},
    {"{", "1:2: the text ends too early: expected a key in double quotes or '}', for '{' of "
          "line 1"},
    {"{\n \"a\": [1,\n  2\n", "4:1: the text ends too early: expected ',' or ']', for '[' of "
                              "line 2"},
    {"{\"a\"", "1:5: the text ends too early: expected ':', for '{' of line 1"},
    {"{\"a\":", "1:6: the text ends too early: expected a value, for '{' of line 1"},
    {"{\"a\": \"bc", "1:7: the text ends inside this string"},
    {"{\"a\": tru", "1:7: expected a value, not 't'"},
    {"{\"a\": 1}}", "1:9: expected nothing after the value, not '}'"},
    {"1 2", "1:3: expected nothing after the value, not '2'"},
    {"{\"a\": 1 \"b\": 2}", "1:9: expected ',' or '}', not '\"'"},
    {"{\"a\": 1,}", "1:9: expected a key in double quotes, not '}'"},
    {"[1,]", "1:4: expected a value, not ']'"},
    {"[1}", "1:3: expected ',' or ']', not '}'"},
    {"[,1]", "1:2: expected a value or ']', not ','"},
    {"{\"a\" 1}", "1:6: expected ':', not '1'"},
    {"{a: 1}", "1:2: expected a key in double quotes or '}', not 'a'"},
    {"{'a': 1}", "1:2: expected a key in double quotes or '}', not '''"},
    {"// no\n1", "1:1: expected a value, not '/'"},
    {"NaN", "1:1: expected a value, not 'N'"},
    {"[\f1]", "1:2: expected a value or ']', not byte 0x0c"},
    {"[\"\xC3\xA4\", \xC3\xA4]", "1:7: expected a value, not byte 0xc3"},
    {"[01]", "1:2: a number does not start with 0 and another digit"},
    {"[-]", "1:3: a digit is missing in this number"},
    {"[1.]", "1:4: a digit is missing in this number"},
    {"[1e+]", "1:5: a digit is missing in this number"},
    {"[.5]", "1:2: expected a value or ']', not '.'"},
    {"[+1]", "1:2: expected a value or ']', not '+'"},
    {"[1234567890123456789012345678901234567890123456789012345678901]",
     "1:2: this number has more than 60 characters"},
    {"[\"a\nb\"]", "1:2: this string has no closing quote on its line"},
    {"[\"a\tb\"]", "1:4: byte 0x09 in a string; write it as an escape"},
    {"[\"\\x\"]", "1:3: unknown escape; allowed are \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX"},
    {"[\"\\u12g4\"]", "1:3: \\u needs four hexadecimal digits"},
    {"[\"\\u1", "1:3: \\u needs four hexadecimal digits"},
    {"[\"\\", "1:3: unknown escape; allowed are \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX"},
    {"[\"\\u0000\"]", "1:3: \\u0000 is not allowed in a string"},
    {"[\"\\ud800\"]", "1:3: \\ud800 is half of a surrogate pair"},
    {"[\"\\udc00\\ud800\"]", "1:3: \\udc00 is half of a surrogate pair"},
    {"[\"\\ud800\\u0041\"]", "1:3: \\ud800 is half of a surrogate pair"},
    {"{\n\"a\": \"\xFF\"}", "2:7: byte 0xff is not valid UTF-8"},
    {"[\"\xC0\x80\"]", "1:3: byte 0xc0 is not valid UTF-8"},
    {"[\"\xE0\x9F\xBF\"]", "1:3: byte 0xe0 is not valid UTF-8"},
    {"[\"\xED\xA0\x80\"]", "1:3: byte 0xed is not valid UTF-8"},
    {"[\"\xF4\x90\x80\x80\"]", "1:3: byte 0xf4 is not valid UTF-8"},
    {"[\"\xE2\x82\"]", "1:3: byte 0xe2 is not valid UTF-8"},
    {"\"\xE2\x82", "1:2: byte 0xe2 is not valid UTF-8"},
};

START_TEST(bad_text_is_named_by_line_and_column)
{
    const bad_text *bad = &bad_texts[_i];
    cJSON *root = NULL;
    fsc_error why;
    ck_assert_int_eq(parse(bad->text, &root, &why), FSC_ERR_INPUT);
    ck_assert_ptr_null(root);
    ck_assert_int_eq(strncmp(why.text, "a.json:", 7), 0);
    ck_assert_str_eq(why.text + 7, bad->message);
}
END_TEST

START_TEST(nesting_ends_at_100)
{
    for (int depth = 100; depth <= 101; depth++) {
        fsc__text text = {0};
        for (int i = 0; i < depth; i++)
            fsc__text_add(&text, i % 2 == 0 ? "[" : "{\"k\":");
        fsc__text_add(&text, "0");
        for (int i = depth - 1; i >= 0; i--)
            fsc__text_add(&text, i % 2 == 0 ? "]" : "}");
        cJSON *root = NULL;
        fsc_error why;
        const fsc_status status = parse(text.data, &root, &why);
        if (depth == 100) {
            ck_status_ok(status, &why);
        } else {
            ck_assert_int_eq(status, FSC_ERR_INPUT);
            ck_assert_str_eq(why.text, "a.json:1:301: nested deeper than 100 levels");
        }
        cJSON_Delete(root);
        fsc__text_deinit(&text);
    }
}
END_TEST

START_TEST(endless_brackets_are_refused)
{
    enum { COUNT = 1 << 20 };
    char *text = fsc__alloc(COUNT, 1);
    memset(text, '[', COUNT);
    cJSON *root = NULL;
    fsc_error why;
    ck_assert_int_eq(fsc__json_parse("a.json", text, COUNT, &root, &why), FSC_ERR_INPUT);
    ck_assert_str_eq(why.text, "a.json:1:101: nested deeper than 100 levels");
    fsc__free(text);
}
END_TEST

START_TEST(nul_bytes_are_refused)
{
    static const char zeros[4096];
    cJSON *root = NULL;
    fsc_error why;
    for (size_t bytes = 1; bytes <= sizeof zeros; bytes = bytes * 4) {
        ck_assert_int_eq(fsc__json_parse("a.json", zeros, bytes, &root, &why), FSC_ERR_INPUT);
        ck_assert_str_eq(why.text, "a.json:1:1: expected a value, not byte 0x00");
    }
    ck_assert_int_eq(fsc__json_parse("a.json", "1\0", 2, &root, &why), FSC_ERR_INPUT);
    ck_assert_str_eq(why.text, "a.json:1:2: expected nothing after the value, not byte 0x00");
    ck_assert_int_eq(fsc__json_parse("a.json", "\"\0\"", 3, &root, &why), FSC_ERR_INPUT);
    ck_assert_str_eq(why.text, "a.json:1:2: byte 0x00 in a string; write it as an escape");
    ck_assert_int_eq(fsc__json_parse("a.json", "[\"\\\0\"]", 6, &root, &why), FSC_ERR_INPUT);
}
END_TEST

/* Each byte of a good text replaced by each of 256, and each prefix in a block of exactly its
   size, so that the address sanitizer sees a read past the end. */
START_TEST(damaged_text_never_crashes)
{
    static const char good[] = "{\"a\": [1, -2.5e+3, true, null], \"b\\u00e4\\ud83d\\ude00\": "
                               "{\"c\": \"\xC3\xA4\\n\"}}";
    const size_t bytes = sizeof good - 1;
    char *text = fsc__alloc(bytes, 1);
    fsc_error why;
    int accepted = 0;
    for (size_t i = 0; i < bytes; i++) {
        for (int byte = 0; byte < 256; byte++) {
            memcpy(text, good, bytes);
            text[i] = (char)byte;
            cJSON *root = NULL;
            const fsc_status status = fsc__json_parse("a.json", text, bytes, &root, &why);
            ck_assert(status == FSC_OK ? root != NULL : status == FSC_ERR_INPUT && !root);
            accepted += status == FSC_OK;
            cJSON_Delete(root);
        }
    }
    ck_assert_int_gt(accepted, (int)bytes); /* at least the undamaged ones */
    fsc__free(text);
    for (size_t length = 0; length < bytes; length++) {
        char *prefix = fsc__realloc(NULL, length, 1);
        memcpy(prefix, good, length);
        cJSON *root = NULL;
        ck_assert_int_eq(fsc__json_parse("a.json", prefix, length, &root, &why), FSC_ERR_INPUT);
        fsc__free(prefix);
    }
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("json text");
    TCase *tc = tcase_create("json text");
    tcase_add_loop_test(tc, bad_text_is_named_by_line_and_column, 0,
                        (int)(sizeof bad_texts / sizeof bad_texts[0]));
    tcase_add_test(tc, nesting_ends_at_100);
    tcase_add_test(tc, endless_brackets_are_refused);
    tcase_add_test(tc, nul_bytes_are_refused);
    tcase_add_test(tc, damaged_text_never_crashes);
    tcase_set_timeout(tc, 60);
    suite_add_tcase(suite, tc);
    return suite;
}
