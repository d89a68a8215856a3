/* Batch files of benchdnn: problems, weights, comments, and mistakes by line and column. */
#include "folder.h"

#include "base/alloc.h"
#include "graph/benchdnn.h"

const int fsc__test_forks = 1;

static const char *folder;

static void make_folder(void)
{
    folder = fsc__test_folder();
}

static void remove_folder(void)
{
    fsc__test_remove(folder);
}

START_TEST(batch_file)
{
    const char *path = fsc__test_write(folder, "batch",
                                       "# a network\n"
                                       "\n"
                                       "mb1ic64ih56oc64oh56kh3ph1n\"net:a*2\"   # the first\r\n"
                                       "  \t# nothing\n"
                                       "mb1ic64ih56oc64oh56kh3ph1 *3\n"
                                       "\tmb1ic64ih56oc256kh1n\"net:b\" *7# behind\n"
                                       "384x1024:1024x1024n\"net:c*24\"\n"
                                       "384x1024:1024x4");
    const struct {
        const char *text;
        int weight, line;
    } want[] = {
        {"mb1ic64ih56oc64oh56kh3ph1n\"net:a*2\"", 2, 3},
        {"mb1ic64ih56oc64oh56kh3ph1", 3, 5},
        {"mb1ic64ih56oc256kh1n\"net:b\"", 7, 6},
        {"384x1024:1024x1024n\"net:c*24\"", 24, 7},
        {"384x1024:1024x4", 1, 8},
    };
    fsc__batch batch;
    fsc_error why;
    for (long fails = 0;; fails++) {
        fsc__alloc_fail_after(fails);
        const fsc_status status = fsc__benchdnn_batch_read(path, &batch, &why);
        fsc__alloc_fail_after(-1);
        if (status == FSC_OK)
            break;
        ck_assert_int_eq(status, FSC_ERR_MEMORY);
        ck_assert_int_lt(fails, 100);
    }
    ck_assert_int_eq(batch.count, 5);
    for (int i = 0; i < batch.count; i++) {
        ck_assert_str_eq(batch.lines[i].text, want[i].text);
        ck_assert_int_eq(batch.lines[i].weight, want[i].weight);
        ck_assert_int_eq(batch.lines[i].line, want[i].line);
    }
    fsc__benchdnn_batch_deinit(&batch);
}
END_TEST

START_TEST(bad_batch_file)
{
    const struct {
        const char *text, *words;
    } files[] = {
        {"", "batch has no problem in it"},
        {"# one\n\n", "batch has no problem in it"},
        {"mb1ic4ih8oc4kh3\n# two\nmb1ic4ih8oc4kh\n",
         "batch:3: shape \"mb1ic4ih8oc4kh\": column 15: expected the number of kh"},
        {"--dt=f32\n", "batch:1: column 1: options of benchdnn are not read"},
        {"\n mb1ic4ih8oc4kh3 *0\n", "batch:2: column 18: a weight is *1"},
        {"mb1ic4ih8oc4kh3 * 3\n", "batch:1: column 17: a weight is *1"},
        {"mb1ic4ih8oc4kh3n\"a*2\" *3\n", "batch:1: column 23: the name says a weight already, *2"},
        {"mb1ic4ih8oc4kh3 mb2ic4ih8oc4kh3\n", "batch:1: column 17: expected a weight"},
        {"4x8:8x\n", "batch:1: shape \"4x8:8x\": column 7: expected a size"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const char *path = fsc__test_write(folder, "batch", files[i].text);
        fsc__batch batch = {.count = -1};
        fsc_error why = {0};
        ck_assert_int_eq(fsc__benchdnn_batch_read(path, &batch, &why), FSC_ERR_INPUT);
        ck_assert_int_eq(batch.count, -1);
        ck_assert_msg(strstr(why.text, files[i].words), "\"%s\" is not in: %s", files[i].words,
                      why.text);
    }
    fsc__batch batch;
    fsc_error why;
    ck_assert_int_eq(fsc__benchdnn_batch_read("/nowhere/batch", &batch, &why), FSC_ERR_FILE);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("benchdnn_batch");
    TCase *tc = tcase_create("files");
    tcase_add_checked_fixture(tc, make_folder, remove_folder);
    tcase_add_test(tc, batch_file);
    tcase_add_test(tc, bad_batch_file);
    suite_add_tcase(suite, tc);
    return suite;
}
