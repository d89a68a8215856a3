/* Flattening of kernel text: what is kept, in which order, and that #line tells the truth. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "kernel/source.h"

const int fsc__test_forks = 1;

static char folder[64];

static void write_cl(const char *name, const char *text)
{
    char path[128];
    fsc_error why;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    ck_status_ok(fsc__file_write(path, text, strlen(text), &why), &why);
}

/* Four small files in a folder of their own. */
static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/fusescope-source-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    write_cl("words.h", "/* Opens the file. */\n"
                        "#ifndef FSC_WORDS_H\n"
                        "#define FSC_WORDS_H\n"
                        "\n"
                        "#ifndef __OPENCL_VERSION__\n"
                        "int only_in_c;\n"
                        "\n"
                        "#define TWICE(x) wrong\n"
                        "#else\n"
                        "#define TWICE(x) ((x) + (x))\n"
                        "#endif\n"
                        "\n"
                        "/* A type. */\n"
                        "typedef struct pair {\n"
                        "    int a;\n"
                        "\n"
                        "    int b;\n"
                        "} pair;\n"
                        "\n"
                        "enum { FIRST_WORD, SECOND_WORD = 2 };\n"
                        "\n"
                        "constant float table[2] = {1.0f, 2.0f};\n"
                        "\n"
                        "#endif\n");
    write_cl("helpers.h", "#include \"words.h\"\n"
                          "\n"
                          "/* Mentions unused(1) in words only. */\n"
                          "int helper(int x)\n"
                          "{\n"
                          "    return TWICE(x);\n"
                          "}\n"
                          "\n"
                          "int unused(int x)\n"
                          "{\n"
                          "    return helper(x) + SECOND_WORD;\n"
                          "}\n");
    write_cl("work.cl", "/* What the kernel does. */\n"
                        "#include \"words.h\"\n"
                        "#include \"helpers.h\"\n"
                        "\n"
                        "int other(int x)\n"
                        "{\n"
                        "    return x;\n"
                        "}\n"
                        "\n"
                        "kernel void work(global int *out)\n"
                        "{\n"
                        "    *out = GENERATED(helper(1));\n"
                        "}\n");
    write_cl("broken.cl", "#include \"absent.h\"\nkernel void broken(void)\n{\n}\n");
    fsc__source_folder(folder);
}

static void remove_folder(void)
{
    const char *const names[] = {"words.h", "helpers.h", "work.cl", "broken.cl"};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
    fsc__source_folder(NULL);
}

static const char PRELUDE[] = "#pragma OPENCL FP_CONTRACT OFF\n#define USED 1\n#define IDLE 2\n";

START_TEST(keeps_what_is_used_and_nothing_else)
{
    fsc__text text = {0};
    fsc_error why;
    const char *generated = "#define GENERATED(x) ((x) + USED)\n";
    ck_status_ok(fsc__source_flatten("work.cl", PRELUDE, generated, &text, &why), &why);
    const char *wanted = "#pragma OPENCL FP_CONTRACT OFF\n"
                         "#define USED 1\n"
                         "\n"
                         "#line 10 \"words.h\"\n"
                         "#define TWICE(x) ((x) + (x))\n"
                         "\n"
                         "#line 3 \"helpers.h\"\n"
                         "/* Mentions unused(1) in words only. */\n"
                         "int helper(int x)\n"
                         "{\n"
                         "    return TWICE(x);\n"
                         "}\n"
                         "\n"
                         "#line 1 \"generated\"\n"
                         "#define GENERATED(x) ((x) + USED)\n"
                         "\n"
                         "#line 1 \"work.cl\"\n"
                         "/* What the kernel does. */\n"
                         "\n"
                         "#line 10 \"work.cl\"\n"
                         "kernel void work(global int *out)\n"
                         "{\n"
                         "    *out = GENERATED(helper(1));\n"
                         "}\n";
    ck_assert_str_eq(text.data, wanted);
    fsc__text_deinit(&text);
}
END_TEST

/* Each row: a word that the generated text mentions, and a line that must then be there. */
START_TEST(follows_names)
{
    static const char *const rows[][2] = {
        {"pair", "} pair;"},
        {"FIRST_WORD", "enum { FIRST_WORD, SECOND_WORD = 2 };"},
        {"SECOND_WORD", "enum { FIRST_WORD, SECOND_WORD = 2 };"},
        {"table", "constant float table[2] = {1.0f, 2.0f};"},
        {"unused", "enum { FIRST_WORD, SECOND_WORD = 2 };"},
        {"other", "int other(int x)"},
        {"IDLE", "#define IDLE 2"},
    };
    const char *const *row = rows[_i];
    fsc__text text = {0}, generated = {0};
    fsc_error why;
    ck_status_ok(fsc__source_flatten("work.cl", PRELUDE, "", &text, &why), &why);
    ck_assert_ptr_null(strstr(text.data, row[1]));
    fsc__text_deinit(&text);
    fsc__text_add(&generated, "#define GENERATED(x) %s\n", row[0]);
    ck_status_ok(fsc__source_flatten("work.cl", PRELUDE, generated.data, &text, &why), &why);
    ck_assert_ptr_nonnull(strstr(text.data, row[1]));
    ck_assert_ptr_null(strstr(text.data, "only_in_c"));
    fsc__text_deinit(&text);
    fsc__text_deinit(&generated);
}
END_TEST

START_TEST(names_a_missing_file)
{
    fsc__text text = {0};
    fsc_error why = {0};
    ck_assert_int_eq(fsc__source_flatten("broken.cl", PRELUDE, "", &text, &why), FSC_ERR_FILE);
    ck_assert_ptr_nonnull(strstr(why.text, "absent.h"));
    fsc__source_folder(NULL);
    ck_assert_int_eq(fsc__source_flatten("absent.cl", PRELUDE, "", &text, &why), FSC_ERR_INTERNAL);
    ck_assert_ptr_nonnull(strstr(why.text, "absent.cl"));
    fsc__text_deinit(&text);
}
END_TEST

/* The line `number` of an embedded file starts with `line`. */
static void check_line(const char *name, int number, const char *line)
{
    const fsc__embedded_file *file = fsc__embedded_files;
    while (file->name && strcmp(file->name, name) != 0)
        file++;
    ck_assert_msg(file->name != NULL, "#line names %s", name);
    const char *at = file->text;
    for (int i = 1; i < number; i++)
        at = strchr(at, '\n') + 1;
    const size_t length = strcspn(line, "\n");
    ck_assert_msg(strncmp(at, line, length) == 0 && at[length] == '\n',
                  "line %d of %s is not \"%.*s\"", number, name, (int)length, line);
}

START_TEST(line_directives_are_true)
{
    static const char *const files[] = {"map.cl", "matmul_panel.cl", "pack_panel.cl"};
    const char *everything = "load_bf16 store_f16 round_f16 SUM sum_lanes PACK pack_cols pack_rows "
                             "portable_gelu portable_tanh\n";
    fsc__text text = {0};
    fsc_error why;
    fsc__source_folder(NULL);
    ck_status_ok(fsc__source_flatten(files[_i], PRELUDE, everything, &text, &why), &why);
    char name[64] = "";
    int number = 0, checked = 0;
    for (const char *line = text.data; *line; line += strcspn(line, "\n") + 1) {
        if (sscanf(line, "#line %d \"%63[^\"]\"", &number, name) == 2)
            continue;
        if (*name && strcmp(name, "generated") != 0 && *line != '\n') {
            check_line(name, number, line);
            checked++;
        }
        number++;
    }
    ck_assert_int_gt(checked, 50);
    fsc__text_deinit(&text);
}
END_TEST

START_TEST(survives_each_failed_allocation)
{
    fsc_error why;
    fsc_status status = FSC_ERR_MEMORY;
    fsc__source_folder(NULL);
    for (long n = 0; status != FSC_OK; n++) {
        fsc__text text = {0};
        fsc__alloc_fail_after(n);
        status = fsc__source_flatten("map.cl", PRELUDE, "real chain() { portable_exp(1); }\n",
                                     &text, &why);
        fsc__alloc_fail_after(-1);
        ck_assert(status == FSC_OK || status == FSC_ERR_MEMORY);
        ck_assert_int_lt(n, 1000);
        fsc__text_deinit(&text);
    }
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("source");
    TCase *small = tcase_create("small files");
    tcase_add_checked_fixture(small, make_folder, remove_folder);
    tcase_add_test(small, keeps_what_is_used_and_nothing_else);
    tcase_add_loop_test(small, follows_names, 0, 7);
    tcase_add_test(small, names_a_missing_file);
    suite_add_tcase(suite, small);
    TCase *own = tcase_create("own files");
    tcase_add_loop_test(own, line_directives_are_true, 0, 3);
    tcase_add_test(own, survives_each_failed_allocation);
    suite_add_tcase(suite, own);
    return suite;
}
