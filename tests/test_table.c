/* The table of a run: its columns, its last line, its colours. */
#include "folder.h"

#include "base/json.h"
#include "report/table.h"

const int fsc__test_forks = 1;

static cJSON *parse(const char *text)
{
    cJSON *root = NULL;
    fsc_error why = {.text = ""};
    ck_status_ok(fsc__json_parse("t", text, strlen(text), &root, &why), &why);
    return root;
}

/* One case of a run: what its row has that a table shows. */
typedef struct shown {
    const char *shape, *mode, *verdict, *delta, *direction, *more;
} shown;

static cJSON *row_of(const shown *s)
{
    char text[2048];
    snprintf(text, sizeof text,
             "{\"experiment\": \"e\", \"graph\": \"add+relu\", \"shape\": \"%s\", \"mode\": "
             "\"%s\", \"input\": \"normal\", \"seed\": 3, \"device\": \"Dev\", \"driver\": "
             "\"1.2\", \"verdict\": \"%s\", \"reason\": \"because of the reason\", "
             "\"conformance\": {\"fused\": {\"bits_differ\": 2}, \"unfused\": "
             "{\"bits_differ\": 1}}, \"delta\": {\"rel_norm\": %s}, \"error_fused\": "
             "{\"rel_norm\": 1.234e-7}, \"error_unfused\": {\"rel_norm\": \"inf\"}, "
             "\"direction\": \"%s\", \"repro\": \"fusescope case add+relu --shape 2x3\"%s}",
             s->shape, s->mode, s->verdict, s->delta, s->direction, s->more);
    return parse(text);
}

/* The table of rows, in a static text. */
static char *table_of(const char *cases_text, const shown *rows, int count, bool colour)
{
    static char text[16384];
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    cJSON *cases = parse(cases_text);
    fsc__table table;
    fsc__table_init(&table, (fsc__page){.out = file, .colour = colour}, cases);
    for (int i = 0; i < count; i++) {
        cJSON *row = row_of(&rows[i]);
        fsc__table_add(&table, row);
        cJSON_Delete(row);
    }
    fsc__table_end(&table);
    cJSON_Delete(cases);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static const char cases[] = "[{\"shape\": \"2x3\", \"mode\": \"f32\", \"input\": \"normal\", "
                            "\"seed\": 3}]";

START_TEST(a_row_says_what_was_found)
{
    static const shown rows[] = {
        {"2x3", "f32", "rounding", "3.5e-8", "fused is nearer the truth, 3.1x", ""}};
    const char *text = table_of(cases, rows, 1, false);
    ck_assert_ptr_nonnull(strstr(text, "Dev, driver 1.2\n"));
    ck_assert_ptr_nonnull(strstr(text, "e: add+relu\n"));
    ck_assert_ptr_nonnull(strstr(
        text, "  2x3   f32  normal rounding   3        3.5e-08  1.23e-07 inf      fused 3.1x\n"));
    ck_assert_ptr_null(strstr(text, "because"));
    ck_assert_ptr_null(strstr(text, "\033"));
}
END_TEST

START_TEST(the_last_line_has_every_word)
{
    static const shown rows[] = {{"2x3", "f32", "exact", "0", "equal", ""},
                                 {"2x3", "f32", "timeout", "0", "", ""},
                                 {"2x3", "f32", "exact", "0", "equal", ""}};
    const char *text = table_of(cases, rows, 3, false);
    static const char last[] =
        "\nrun: 3 cases: 2 exact, 0 negligible, 0 rounding, 0 differs, 0 rescued, 0 mistrusted, "
        "0 unsafe, 0 broken, 0 skipped, 0 error, 0 crash, 1 timeout\n";
    ck_assert_uint_gt(strlen(text), strlen(last));
    ck_assert_str_eq(text + strlen(text) - strlen(last), last);
}
END_TEST

START_TEST(what_is_not_as_expected_says_why_and_how_again)
{
    static const shown rows[] = {
        {"2x3", "f32", "broken", "0", "equal", ""},
        {"2x3", "f32", "exact", "0", "equal",
         ", \"limit\": {\"of\": \"delta\", \"met\": false, \"missed\": \"far off\"}"},
        {"2x3", "f32", "exact", "0", "equal", ", \"limit\": {\"of\": \"delta\", \"met\": true}"}};
    char *text = table_of(cases, rows, 3, false);
    char *at = strstr(text, "because of the reason\n      repro: fusescope case add+relu --shape "
                            "2x3\n");
    ck_assert_ptr_nonnull(at);
    at = strstr(at, "limit missed: far off\n      repro: ");
    ck_assert_ptr_nonnull(at);
    ck_assert_ptr_null(strstr(at + 30, "repro: "));
}
END_TEST

START_TEST(one_reason_of_many_skipped_cases_stands_once)
{
    static const shown rows[] = {{"2x3", "f32", "skipped", "0", "", ""},
                                 {"2x3", "f16", "skipped", "0", "", ""}};
    const char *text = table_of(cases, rows, 2, false);
    const char *first = strstr(text, "because");
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_null(strstr(first + 1, "because"));
}
END_TEST

/* Columns of the longest line but the last one. */
static size_t widest(const char *text)
{
    size_t most = 0;
    for (const char *end; strncmp(text, "run: ", 5) != 0 && (end = strchr(text, '\n')) != NULL;
         text = end + 1) {
        const size_t length = (size_t)(end - text);
        most = length > most ? length : most;
    }
    return most;
}

START_TEST(the_widest_row_fits)
{
    static const char wide[] =
        "[{\"shape\": \""
        "123456x1234567:1234567x12345678"
        "\", \"mode\": \""
        "bf16,boundary=round,order=chunk:1024,contract=off"
        "\", \"input\": \"uniform:-2000:20000\", \"seed\": 3}, {\"shape\": \"2\", \"mode\": "
        "\"f32\", \"input\": \"normal\", \"seed\": 4}]";
    static const shown rows[] = {{"123456x1234567:1234567x12345678",
                                  "bf16,boundary=round,order=chunk:1024,contract=off", "mistrusted",
                                  "1.5e-100", "unfused is nearer the truth, 1234x", ""}};
    const char *text = table_of(wide, rows, 1, false);
    ck_assert_uint_le(widest(text), 120);
    ck_assert_ptr_nonnull(strstr(text, ".."));
    ck_assert_ptr_nonnull(strstr(text, "normal/3"));
}
END_TEST

START_TEST(colours_come_and_go_with_the_verdict)
{
    static const shown rows[] = {{"2x3", "f32", "broken", "0", "equal", ""}};
    const char *text = table_of(cases, rows, 1, true);
    ck_assert_ptr_nonnull(strstr(text, "\033[1;31m broken    \033[0m"));
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("table");
    TCase *tcase = tcase_create("table");
    tcase_add_test(tcase, a_row_says_what_was_found);
    tcase_add_test(tcase, the_last_line_has_every_word);
    tcase_add_test(tcase, what_is_not_as_expected_says_why_and_how_again);
    tcase_add_test(tcase, one_reason_of_many_skipped_cases_stands_once);
    tcase_add_test(tcase, the_widest_row_fits);
    tcase_add_test(tcase, colours_come_and_go_with_the_verdict);
    suite_add_tcase(suite, tcase);
    return suite;
}
