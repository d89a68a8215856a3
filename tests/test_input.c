/* The text of an input family, "uniform:-2:2", and how wrong text is answered. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "numeric/fill.h"

const int fsc__test_forks = 1;

START_TEST(texts_are_parsed)
{
    static const struct {
        const char *text;
        fsc__input input;
    } rows[] = {
        {"normal", {FSC__NORMAL, false, false, 0, 0}},
        {"uniform:-2:2", {FSC__UNIFORM, true, true, -2, 2}},
        {"normal:40000", {FSC__NORMAL, true, false, 40000, 0}},
        {"ramp:1000:1e-3", {FSC__RAMP, true, true, 1000, 1e-3}},
        {"integers:-3:3", {FSC__INTEGERS, true, true, -3, 3}},
        {"zeros", {FSC__ZEROS, false, false, 0, 0}},
        {"ones", {FSC__ONES, false, false, 0, 0}},
        {"small", {FSC__SMALL, false, false, 0, 0}},
        {"large", {FSC__LARGE, false, false, 0, 0}},
        {"positive", {FSC__POSITIVE, false, false, 0, 0}},
        {"negative", {FSC__NEGATIVE, false, false, 0, 0}},
        {"special", {FSC__SPECIAL, false, false, 0, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fsc__input input;
        fsc_error why;
        const fsc_status status = fsc__input_parse(rows[i].text, &input, &why);
        ck_status_ok(status, &why);
        ck_assert_int_eq(input.family, rows[i].input.family);
        ck_assert_int_eq(input.has_a, rows[i].input.has_a);
        ck_assert_int_eq(input.has_b, rows[i].input.has_b);
        ck_assert(input.a == rows[i].input.a && input.b == rows[i].input.b);
    }
}
END_TEST

START_TEST(wrong_texts_are_answered)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"nrmal", "\"nrmal\" is not an input family; did you mean normal; families: normal uniform "
                  "zeros ones integers ramp small large positive negative special"},
        {"", "\"\" is not an input family; families: normal uniform zeros ones integers ramp small "
             "large positive negative special"},
        {"zeros:1", "zeros takes no numbers"},
        {"uniform:1:2:3", "more than two numbers; an input is FAMILY[:A[:B]]"},
        {"uniform:a", "\"a\" is not a finite number"},
        {"uniform:", "\"\" is not a finite number"},
        {"uniform: 1:2", "\" 1\" is not a finite number"},
        {"uniform:1x:2", "\"1x\" is not a finite number"},
        {"uniform:-inf:2", "\"-inf\" is not a finite number"},
        {"normal:nan", "\"nan\" is not a finite number"},
        {"normal:1e999", "\"1e999\" is not a finite number"},
        {"uniform:2:1", "the low end 2 is above the high end 1"},
        {"uniform:2", "the low end 2 is above the high end 1"},
        {"normal:0:-1", "the deviation -1 is below 0"},
        {"integers:0:1.5", "the ends are whole numbers within 2^30"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fsc__input input = {.family = FSC__RAMP};
        fsc_error why;
        char message[512];
        ck_assert_int_eq(fsc__input_parse(rows[i].text, &input, &why), FSC_ERR_INPUT);
        snprintf(message, sizeof message, "input \"%s\": %s", rows[i].text, rows[i].message);
        ck_assert_str_eq(why.text, message);
        ck_assert_int_eq(input.family, FSC__RAMP);
    }
    char endless[600];
    fsc__input input;
    memset(endless, '1', sizeof endless);
    endless[sizeof endless - 1] = '\0';
    ck_assert_int_eq(fsc__input_parse(endless, &input, NULL), FSC_ERR_INPUT);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("input");
    TCase *tc = tcase_create("input");
    tcase_add_test(tc, texts_are_parsed);
    tcase_add_test(tc, wrong_texts_are_answered);
    suite_add_tcase(suite, tc);
    return suite;
}
