/* The command's words: help, unknown words, bad input, exit statuses. Nothing here needs a device.
 */
#include "folder.h"

const int fsc__test_forks = 1;

/* A command line, its exit status, and words of its standard output and error. */
static const struct {
    const char *words;
    int status;
    const char *out, *err;
} lines[] = {
    {"", 0, "fusescope run", ""},
    {"help", 0, "FUSESCOPE_CACHE", ""},
    {"--help", 0, "fusescope devices", ""},
    {"version", 0, "fusescope 0.", ""},
    {"--version", 0, "fusescope 0.", ""},
    {"help run", 0, "--filter GLOB", ""},
    {"run -h", 0, "Example:\n  fusescope run", ""},
    {"case -h", 0, "Example:\n  fusescope case", ""},
    {"source --help", 0, "Example:\n  fusescope source", ""},
    {"devices -h", 0, "Example:\n  fusescope devices", ""},
    {"verify -h", 0, "Example:\n  fusescope verify", ""},
    {"verify extra", 2, "", "extra"},
    {"ops -h", 0, "Example:\n  fusescope ops", ""},
    {"ops", 0, "layernorm", ""},
    {"rnu", 2, "", "did you mean run?"},
    {"hlep", 2, "", "did you mean help?"},
    {"zzzzzz", 2, "", "unknown subcommand \"zzzzzz\""},
    {"help zzzzzz", 2, "", "unknown subcommand"},
    {"run", 2, "", "which configuration?"},
    {"run --filtre x c.json", 2, "", "did you mean --filter?"},
    {"run --out", 2, "", "--out: missing argument"},
    {"run a.json b.json", 2, "", "\"b.json\""},
    {"run /no/such.json", 2, "", "/no/such.json"},
    {"ops extra", 2, "", "\"extra\""},
    {"devices extra", 2, "", "\"extra\""},
    {"case", 2, "", "which graph?"},
    {"case relu", 2, "", "--shape"},
    {"case relu add --shape 2", 2, "", "\"add\""},
    {"case relu --shape 2 --seed -1", 2, "", "2^53"},
    {"case relu --shape 2 --seed 9007199254740993", 2, "", "2^53"},
    {"case relu --shape 2 --seed 1.5", 2, "", "2^53"},
    {"case relu --shape 2 --tensor x", 2, "", "NAME=FILE"},
    {"case relu --shape 2 --tensor =x", 2, "", "NAME=FILE"},
    {"case rleu --shape 2", 2, "", "did you mean relu"},
    {"case relu+ --shape 2", 2, "", "/graph: "},
    {"case 'layernorm(epz=1)' --shape 2x3", 2, "", "eps"},
    {"case relu --shape 2y", 2, "", "/shape: "},
    {"case relu --shape 2x0", 2, "", "/shape: "},
    {"case relu --shape 65536x32768", 2, "", "2^31"},
    {"case matmul --shape 2x3:4x5", 2, "", "/shape: "},
    {"case matmul --shape 2x3", 2, "", "/shape: "},
    {"case relu --shape 2 --mode fp16", 2, "", "f32 f16 bf16"},
    {"case relu --shape 2 --mode f16_acc", 2, "", "not in this version"},
    {"case relu --shape 2 --mode f32,order=lanes:8", 2, "", "/mode: "},
    {"case relu --shape 2 --unfused-mode f32,variance=welford", 2, "", "/unfused_mode: "},
    {"case relu --shape 2 --input normall", 2, "", "normal"},
    {"case relu --shape 2 --input uniform:a", 2, "", "/input: "},
    {"case relu --shape 2 --off no_rule", 2, "", "/off/0: "},
    {"case relu --shape 2 --tensor y=y.npy", 2, "", "/tensors/y: "},
    {"source relu", 2, "", "--shape"},
    {"source relu --shape 2 --seed 3", 2, "", "unknown option --seed"},
};

/* Runs the command in a shell; standard output and error by themselves. */
static int run(const char *before, const char *words, char *out, char *err, size_t bytes)
{
    static char command[2048];
    char path[256];
    const char *folder = fsc__test_folder();
    snprintf(path, sizeof path, "%s/err", folder);
    snprintf(command, sizeof command, "%s '%s' %s 2>%s", before, FSC_COMMAND, words, path);
    const int status = fsc__test_shell(command, out, bytes);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    err[fread(err, 1, bytes - 1, file)] = '\0';
    fclose(file);
    fsc__test_remove(folder);
    return status;
}

static char out[65536], err[65536];

START_TEST(each_line_answers_as_it_must)
{
    const int status = run("", lines[_i].words, out, err, sizeof out);
    ck_assert_msg(status == lines[_i].status, "%s: exit status %d, expected %d\n%s%s",
                  lines[_i].words, status, lines[_i].status, out, err);
    ck_assert_msg(strstr(out, lines[_i].out) != NULL, "%s: no \"%s\" in: %s", lines[_i].words,
                  lines[_i].out, out);
    ck_assert_msg(strstr(err, lines[_i].err) != NULL, "%s: no \"%s\" in: %s", lines[_i].words,
                  lines[_i].err, err);
    /* Results and messages never share a stream. */
    ck_assert_msg(lines[_i].status == 0 ? err[0] == '\0' : out[0] == '\0', "%s: \"%s\" \"%s\"",
                  lines[_i].words, out, err);
}
END_TEST

START_TEST(no_driver_is_status_3)
{
    static const char *const words[] = {"devices", "case relu --shape 2",
                                        "run " FSC_SOURCE_DIR "/configs/quickstart.json"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const int status = run("OCL_ICD_VENDORS=/no/such/folder", words[i], out, err, sizeof out);
        ck_assert_msg(status == 3, "%s: %d %s", words[i], status, err);
        ck_assert_str_eq(out, "");
        ck_assert_ptr_nonnull(strstr(err, "driver"));
    }
}
END_TEST

START_TEST(the_quickstart_lists_its_cases)
{
    ck_assert_int_eq(
        run("", "run " FSC_SOURCE_DIR "/configs/quickstart.json --list", out, err, sizeof out), 0);
    ck_assert_ptr_nonnull(strstr(out, "add_relu/add+relu/1024x1024/f32/normal/42\n"));
    ck_assert_ptr_nonnull(strstr(
        out, "bert_attention_out/matmul+bias+add(skip)+layernorm(eps=1e-12)/13x384:384x384/bf16/"
             "normal/42\n"));
    ck_assert_int_eq(run("",
                         "run " FSC_SOURCE_DIR "/configs/quickstart.json --list --filter "
                         "'bert_*/f16/*'",
                         out, err, sizeof out),
                     0);
    int count = 0;
    for (const char *c = out; *c != '\0'; c++)
        count += *c == '\n';
    ck_assert_int_eq(count, 3);
    ck_assert_int_eq(run("", "run " FSC_SOURCE_DIR "/configs/quickstart.json --filter nothing", out,
                         err, sizeof out),
                     77);
}
END_TEST

START_TEST(a_wrong_log_level_is_refused)
{
    ck_assert_int_eq(run("FUSESCOPE_LOG=loud", "version", out, err, sizeof out), 2);
    ck_assert_ptr_nonnull(strstr(err, "FUSESCOPE_LOG=loud"));
}
END_TEST

START_TEST(output_that_cannot_be_written_is_noticed)
{
    ck_assert_int_eq(run("", "ops >/dev/full", out, err, sizeof out), 4);
    ck_assert_ptr_nonnull(strstr(err, "No space left"));
    ck_assert_int_eq(run("", "ops >&-", out, err, sizeof out), 4);
    ck_assert_ptr_nonnull(strstr(err, "Bad file descriptor"));
}
END_TEST

START_TEST(a_reader_that_left_needs_no_message)
{
    const char *folder = fsc__test_folder();
    char command[1024];
    snprintf(command, sizeof command,
             "cd %s; { sleep 0.3; '%s' ops 2>err; echo $? >status; } | true; cat status err",
             folder, FSC_COMMAND);
    ck_assert_int_eq(fsc__test_shell(command, out, sizeof out), 0);
    ck_assert_str_eq(out, "4\n");
    fsc__test_remove(folder);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("cli");
    TCase *tcase = tcase_create("cli");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, each_line_answers_as_it_must, 0,
                        (int)(sizeof lines / sizeof lines[0]));
    tcase_add_test(tcase, no_driver_is_status_3);
    tcase_add_test(tcase, the_quickstart_lists_its_cases);
    tcase_add_test(tcase, a_wrong_log_level_is_refused);
    tcase_add_test(tcase, a_reader_that_left_needs_no_message);
    tcase_add_test(tcase, output_that_cannot_be_written_is_noticed);
    suite_add_tcase(suite, tcase);
    return suite;
}
