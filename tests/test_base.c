/* The bottom layer: errors, allocation, text, log, files, hashes and threads. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/parallel.h"
#include "base/text.h"

const int fsc__test_forks = 1;

START_TEST(errors_are_formatted_prefixed_and_cut)
{
    fsc_error why;
    ck_assert_int_eq(fsc__fail(NULL, FSC_ERR_FILE, "x"), FSC_ERR_FILE);
    ck_assert_int_eq(fsc__fail(&why, FSC_ERR_INPUT, "%s is %d", "K", 0), FSC_ERR_INPUT);
    ck_assert_int_eq(why.status, FSC_ERR_INPUT);
    ck_assert_str_eq(why.text, "K is 0");
    fsc__error_prefix(&why, "a.json: /%s: ", "shapes");
    ck_assert_str_eq(why.text, "a.json: /shapes: K is 0");
    fsc__fail(&why, FSC_ERR_BUILD, "again: %s", why.text);
    ck_assert_str_eq(why.text, "again: a.json: /shapes: K is 0");
    for (int i = 0; i < 12; i++)
        fsc__error_prefix(&why, "%0200d", 0);
    ck_assert_uint_eq(strlen(why.text), sizeof why.text - 1);
    fsc__error_prefix(NULL, "x");
}
END_TEST

START_TEST(every_status_has_a_word)
{
    for (int i = FSC_OK; i <= FSC_ERR_INTERNAL; i++) {
        ck_assert_str_ne(fsc_status_text((fsc_status)i), "unknown status");
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(fsc_status_text((fsc_status)i), fsc_status_text((fsc_status)j));
    }
    ck_assert_str_eq(fsc_status_text((fsc_status)(FSC_ERR_INTERNAL + 1)), "unknown status");
    ck_assert_str_eq(fsc_status_text((fsc_status)1000), "unknown status");
}
END_TEST

START_TEST(blocks_are_aligned_and_checked)
{
    for (size_t bytes = 0; bytes < 300; bytes += 7) {
        unsigned char *block = fsc__calloc(bytes, 1), *other = fsc__alloc(1, bytes);
        ck_assert_ptr_nonnull(block);
        ck_assert_uint_eq((uintptr_t)block % 64, 0);
        ck_assert_uint_eq((uintptr_t)other % 64, 0);
        for (size_t i = 0; i < bytes; i++)
            ck_assert_uint_eq(block[i], 0);
        fsc__free(block);
        fsc__free(other);
    }
    ck_assert_ptr_null(fsc__alloc(SIZE_MAX, 2));
    ck_assert_ptr_null(fsc__alloc(SIZE_MAX / 2, 2));
    ck_assert_ptr_null(fsc__alloc((size_t)1 << 32, (size_t)1 << 32));
    ck_assert_ptr_null(fsc__calloc((size_t)1 << 63, 2));
    ck_assert_ptr_null(fsc__realloc(NULL, SIZE_MAX / 4, 5));
    fsc__free(NULL);
}
END_TEST

START_TEST(realloc_keeps_contents)
{
    char *block = fsc__realloc(NULL, 3, 1);
    memcpy(block, "ab", 3);
    block = fsc__realloc(block, 1000, 100);
    ck_assert_str_eq(block, "ab");
    fsc__alloc_fail_after(0);
    ck_assert_ptr_null(fsc__realloc(block, 1000, 200));
    ck_assert_str_eq(block, "ab");
    fsc__free(block);
}
END_TEST

START_TEST(the_nth_allocation_fails_once)
{
    for (long n = 0; n < 5; n++) {
        fsc__alloc_fail_after(n);
        for (long i = 0; i < 8; i++) {
            char *block = i % 3 == 0   ? fsc__alloc(1, 1)
                          : i % 3 == 1 ? fsc__realloc(NULL, 1, 1)
                                       : fsc__strdup("x");
            ck_assert_int_eq(block == NULL, i == n);
            fsc__free(block);
        }
    }
    fsc__alloc_fail_after(0);
    fsc__alloc_fail_after(-1);
    char *block = fsc__strdup("text");
    ck_assert_str_eq(block, "text");
    fsc__free(block);
}
END_TEST

static void allocate_each(void *context, int64_t begin, int64_t end)
{
    atomic_int *failed = context;
    for (int64_t i = begin; i < end; i++) {
        void *block = fsc__alloc(1, 1);
        if (!block)
            atomic_fetch_add(failed, 1);
        fsc__free(block);
    }
}

START_TEST(one_allocation_fails_among_threads)
{
    atomic_int failed = 0;
    fsc__alloc_fail_after(5000);
    fsc__parallel(10000, 1, allocate_each, &failed);
    ck_assert_int_eq(failed, 1);
}
END_TEST

START_TEST(text_grows)
{
    fsc__text text = {0};
    fsc__text_add(&text, "%s", "");
    ck_assert_str_eq(text.data, "");
    for (int i = 0; i < 1000; i++)
        fsc__text_add(&text, "%d,", i);
    fsc__text_add_bytes(&text, "\0x", 2);
    fsc__text_add_bytes(&text, NULL, 0);
    ck_assert_uint_eq(text.length, 10 * 2 + 90 * 3 + 900 * 4 + 2);
    ck_assert_int_eq(memcmp(text.data + text.length - 6, "999,\0x", 7), 0);
    ck_assert_int_eq(memcmp(text.data, "0,1,2,3,", 8), 0);
    fsc__text_deinit(&text);
    ck_assert_ptr_null(text.data);
}
END_TEST

START_TEST(text_remembers_that_memory_ran_out)
{
    fsc__text text = {0};
    fsc__text_add(&text, "kept");
    fsc__alloc_fail_after(0);
    fsc__text_add(&text, "%200s", "x");
    ck_assert(text.failed);
    fsc__text_add(&text, "y");
    ck_assert_str_eq(text.data, "kept");
    fsc__text_deinit(&text);
    ck_assert(!text.failed);
}
END_TEST

START_TEST(the_nearest_word_is_found)
{
    static const char *const names[] = {"matmul", "softmax", "layernorm", "relu",
                                        "gelu",   "f16",     "bf16",      "add"};
    static const struct {
        const char *word, *nearest;
    } pairs[] = {
        {"matmull", "matmul"},
        {"mamtul", "matmul"},
        {"layrnorm", "layernorm"},
        {"Relu", "relu"},
        {"rleu", "relu"},
        {"fp16", "f16"},
        {"bfp16", "bf16"},
        {"gleu", "gelu"},
        {"lu", NULL},
        {"convolution", NULL},
        {"", NULL},
        {"ad", "add"},
        {"x", NULL},
        {"layernorm", "layernorm"},
    };
    const size_t count = sizeof names / sizeof names[0];
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const char *nearest = fsc__text_nearest(pairs[i].word, names, count);
        if (pairs[i].nearest)
            ck_assert_pstr_eq(nearest, pairs[i].nearest);
        else
            ck_assert_msg(!nearest, "%s gave %s", pairs[i].word, nearest);
    }
    char longer[500];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    ck_assert_ptr_null(fsc__text_nearest(longer, names, count));
    fsc__text list = {0};
    fsc__text_add_list(&list, names, 3);
    ck_assert_str_eq(list.data, "matmul, softmax, layernorm");
    fsc__text_deinit(&list);
}
END_TEST

START_TEST(globs_match)
{
    static const struct {
        const char *pattern, *word;
        bool matches;
    } cases[] = {
        {"", "", true},
        {"", "a", false},
        {"*", "", true},
        {"*", "abc", true},
        {"a*", "abc", true},
        {"a*c", "abc", true},
        {"a*c", "abcd", false},
        {"?", "", false},
        {"?", "a", true},
        {"??", "a", false},
        {"*b*b", "abab", true},
        {"*ab", "aab", true},
        {"a*b*c", "aXbYbc", true},
        {"a*b*c", "acb", false},
        {"matmul*f16", "matmul/1/f16", true},
        {"***a", "bba", true},
        {"a?c", "abc", true},
        {"[a]", "a", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_msg(fsc__text_glob(cases[i].pattern, cases[i].word) == cases[i].matches,
                      "%s on %s", cases[i].pattern, cases[i].word);
}
END_TEST

typedef struct seen_lines {
    int count;
    fsc__log_level level;
    char line[64];
} seen_lines;

static void keep_line(void *context, fsc__log_level level, const char *line)
{
    seen_lines *seen = context;
    seen->count++;
    seen->level = level;
    snprintf(seen->line, sizeof seen->line, "%s", line);
}

START_TEST(the_log_goes_to_its_callback)
{
    seen_lines seen = {0};
    fsc__log(FSC__LOG_WARN, "to nobody");
    fsc__log_set(keep_line, &seen, FSC__LOG_INFO);
    fsc__log(FSC__LOG_INFO, "%d kernels", 3);
    fsc__log(FSC__LOG_DEBUG, "too much");
    ck_assert_int_eq(seen.count, 1);
    ck_assert_int_eq(seen.level, FSC__LOG_INFO);
    ck_assert_str_eq(seen.line, "3 kernels");
    fsc__log_set(NULL, NULL, FSC__LOG_TRACE);
    fsc__log(FSC__LOG_WARN, "to nobody");
    ck_assert_int_eq(seen.count, 1);
}
END_TEST

START_TEST(files_are_written_whole_and_read_back)
{
    char folder[] = "/tmp/fusescope-file-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    fsc_error why;
    char deep[128], path[160];
    snprintf(deep, sizeof deep, "%s/a//b/c/", folder);
    snprintf(path, sizeof path, "%s/a/b/c/file", folder);
    ck_status_ok(fsc__folder_make(deep, &why), &why);
    ck_status_ok(fsc__folder_make(deep, &why), &why);
    ck_assert(!fsc__file_exists(path));
    ck_assert_int_eq(fsc__file_write(folder, "x", 1, &why), FSC_ERR_FILE);
    ck_assert_ptr_nonnull(strstr(why.text, folder));
    ck_assert_int_eq(fsc__file_write("/nowhere/at/all", "x", 1, &why), FSC_ERR_FILE);
    ck_assert_str_eq(why.text, "/nowhere/at/all: cannot write: No such file or directory");
    ck_status_ok(fsc__file_write(path, "old and longer", 14, &why), &why);
    ck_status_ok(fsc__file_write(path, "ne\0w", 4, &why), &why);
    char *data = NULL;
    size_t bytes = 0;
    ck_status_ok(fsc__file_read(path, &data, &bytes, &why), &why);
    ck_assert_uint_eq(bytes, 4);
    ck_assert_int_eq(memcmp(data, "ne\0w", 5), 0);
    fsc__free(data);
    /* A file in the way of a folder. */
    char blocked[200];
    snprintf(blocked, sizeof blocked, "%s/more", path);
    ck_assert_int_eq(fsc__folder_make(blocked, &why), FSC_ERR_FILE);
    for (long n = 0; n < 2; n++) {
        fsc__alloc_fail_after(n);
        if (n == 0)
            ck_assert_int_eq(fsc__file_read(path, &data, &bytes, &why), FSC_ERR_MEMORY);
        fsc__alloc_fail_after(0);
        ck_assert_int_eq(fsc__file_write(path, "x", 1, &why), FSC_ERR_MEMORY);
        fsc__alloc_fail_after(0);
        ck_assert_int_eq(fsc__folder_make(deep, &why), FSC_ERR_MEMORY);
    }
    unlink(path);
    /* rmdir fails if a temporary file was left behind. */
    static const char *const parts[] = {"a/b/c", "a/b", "a", ""};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, parts[i]);
        ck_assert_int_eq(rmdir(path), 0);
    }
}
END_TEST

START_TEST(paths_are_joined)
{
    static const struct {
        const char *base, *path, *joined;
    } cases[] = {
        {"configs/a.json", "x.npy", "configs/x.npy"},
        {"a.json", "x.npy", "x.npy"},
        {"/a.json", "x.npy", "/x.npy"},
        {"configs/a.json", "/x.npy", "/x.npy"},
        {"configs/", "../x", "configs/../x"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *joined = fsc__path_beside(cases[i].base, cases[i].path);
        ck_assert_str_eq(joined, cases[i].joined);
        fsc__free(joined);
    }
}
END_TEST

/* Published test vector: XXH3 of no bytes. */
START_TEST(hashes_are_xxh3)
{
    char hex[33];
    ck_assert_uint_eq(fsc__hash("", 0, 0), UINT64_C(0x2D06800538D394C2));
    fsc__hash_hex("", 0, hex);
    ck_assert_str_eq(hex, "99aa06d3014798d86001c324468d497f");
    ck_assert_uint_ne(fsc__hash("a", 1, 0), fsc__hash("a", 1, 1));
}
END_TEST

typedef struct visit {
    int64_t count, grain;
    atomic_int *visits;
    atomic_int bad_ranges;
} visit;

static void count_visits(void *context, int64_t begin, int64_t end)
{
    visit *seen = context;
    if (begin >= end || begin % seen->grain != 0 ||
        (end != seen->count && (end - begin) % seen->grain != 0))
        atomic_fetch_add(&seen->bad_ranges, 1);
    for (int64_t i = begin; i < end; i++)
        atomic_fetch_add(&seen->visits[i], 1);
}

START_TEST(a_parallel_loop_visits_each_index_once)
{
    static const int64_t counts[] = {0, 1, 2, 63, 64, 65, 1000, 100003};
    static const int64_t grains[] = {1, 7, 64, 1000000};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        for (size_t g = 0; g < sizeof grains / sizeof grains[0]; g++) {
            visit seen = {.count = counts[c], .grain = grains[g]};
            seen.visits = fsc__calloc((size_t)counts[c], sizeof *seen.visits);
            fsc__parallel(counts[c], grains[g], count_visits, &seen);
            ck_assert_int_eq(seen.bad_ranges, 0);
            for (int64_t i = 0; i < counts[c]; i++)
                ck_assert_int_eq(seen.visits[i], 1);
            fsc__free(seen.visits);
        }
    }
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("base");
    TCase *tc = tcase_create("base");
    tcase_add_test(tc, errors_are_formatted_prefixed_and_cut);
    tcase_add_test(tc, every_status_has_a_word);
    tcase_add_test(tc, blocks_are_aligned_and_checked);
    tcase_add_test(tc, realloc_keeps_contents);
    tcase_add_test(tc, the_nth_allocation_fails_once);
    tcase_add_test(tc, one_allocation_fails_among_threads);
    tcase_add_test(tc, text_grows);
    tcase_add_test(tc, text_remembers_that_memory_ran_out);
    tcase_add_test(tc, the_nearest_word_is_found);
    tcase_add_test(tc, globs_match);
    tcase_add_test(tc, the_log_goes_to_its_callback);
    tcase_add_test(tc, files_are_written_whole_and_read_back);
    tcase_add_test(tc, paths_are_joined);
    tcase_add_test(tc, hashes_are_xxh3);
    tcase_add_test(tc, a_parallel_loop_visits_each_index_once);
    suite_add_tcase(suite, tc);
    return suite;
}
