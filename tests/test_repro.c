/* Command lines that run a case again. */
#include "folder.h"

#include "base/json.h"
#include "case/case.h"
#include "case/repro.h"

const int fsc__test_forks = 1;

static const struct {
    const char *case_json, *line;
} lines[] = {
    {"{\"graph\": \"add\", \"shape\": \"2\"}", "fusescope case add --shape 2"},
    {"{\"graph\": \"layernorm(eps=1e-12)\", \"shape\": \"2x3\", \"mode\": \"f16,order=lanes:8\", "
     "\"unfused_mode\": \"f16\", \"off\": [\"a\", \"b\"], \"input\": \"uniform:-2:2\", \"seed\": "
     "9007199254740992, \"device\": \"!intel cpu\", \"tensors\": {\"x\": \"/a b/it's.npy\"}, "
     "\"id\": \"i\", \"max_elements\": 5}",
     "fusescope case 'layernorm(eps=1e-12)' --shape 2x3 --mode f16,order=lanes:8 --unfused-mode "
     "f16 --off a --off b --tensor 'x=/a b/it'\\''s.npy' --input uniform:-2:2 --seed "
     "9007199254740992 --device '!intel cpu'"},
};

START_TEST(a_case_becomes_a_command_line)
{
    cJSON *root = NULL;
    fsc__text line = {0};
    fsc_error why = {.text = ""};
    ck_status_ok(
        fsc__json_parse("c", lines[_i].case_json, strlen(lines[_i].case_json), &root, &why), &why);
    fsc__case_repro(root, &line);
    ck_assert_str_eq(line.data, lines[_i].line);
    fsc__text_deinit(&line);
    cJSON_Delete(root);
}
END_TEST

START_TEST(a_shell_reads_every_word_as_it_was)
{
    static const char *const words[] = {"plain", "",    "a b",  "it's", "$HOME",   "`id`", "a\"b",
                                        "x*y?",  "(1)", "a\\b", "!x",   "a;b&c|d", "~",    "#x"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char out[256];
        fsc__text command = {0};
        fsc__text_add(&command, "printf %%s ");
        fsc__repro_word(&command, words[i]);
        ck_assert_int_eq(fsc__test_shell(command.data, out, sizeof out), 0);
        ck_assert_str_eq(out, words[i]);
        fsc__text_deinit(&command);
    }
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("repro");
    TCase *tcase = tcase_create("repro");
    tcase_add_loop_test(tcase, a_case_becomes_a_command_line, 0,
                        (int)(sizeof lines / sizeof lines[0]));
    tcase_add_test(tcase, a_shell_reads_every_word_as_it_was);
    suite_add_tcase(suite, tcase);
    return suite;
}
