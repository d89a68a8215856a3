/* The check of cached programs: thousands of damaged files, none accepted. */
#include <string.h>

#include "base/alloc.h"
#include "device/cache.h"
#include "harness.h"

const int fsc__test_forks = 1;

enum { BINARY_BYTES = 1501, FILE_BYTES = FSC__CACHE_HEADER_BYTES + BINARY_BYTES };

static const fsc__device_info info = {.platform_name = "Portable Computing Language",
                                      .name = "pthread",
                                      .driver = "3.1",
                                      .version = "OpenCL 1.2",
                                      .platform_version = "OpenCL 2.0 pocl 3.1"};
static char key[FSC__CACHE_KEY_BYTES];
static unsigned char file[FILE_BYTES + 64];

static void make_file(void)
{
    fsc_error why;
    ck_status_ok(fsc__cache_key("kernel void k() {}", "-cl-std=CL1.2", &info, key, &why), &why);
    for (int i = 0; i < BINARY_BYTES; ++i)
        file[FSC__CACHE_HEADER_BYTES + i] = (unsigned char)(i * 37 + i / 256);
    fsc__cache_header(key, file + FSC__CACHE_HEADER_BYTES, BINARY_BYTES, file);
}

static bool accepted(const void *data, size_t bytes)
{
    const void *binary = NULL;
    size_t binary_bytes = 0;
    const char *reason = NULL;
    const bool good = fsc__cache_check(key, data, bytes, &binary, &binary_bytes, &reason);
    if (good) {
        ck_assert_ptr_eq(binary, (const unsigned char *)data + FSC__CACHE_HEADER_BYTES);
        ck_assert_uint_eq(binary_bytes, bytes - FSC__CACHE_HEADER_BYTES);
        ck_assert_ptr_null(reason);
    } else {
        ck_assert_ptr_null(binary);
        ck_assert_ptr_nonnull(reason);
    }
    return good;
}

/* A copy of exactly `bytes`, so that the address sanitizer sees a read beyond it. */
static bool copy_accepted(size_t bytes)
{
    unsigned char *copy = fsc__realloc(NULL, bytes, 1);
    memcpy(copy, file, bytes);
    const bool good = accepted(copy, bytes);
    fsc__free(copy);
    return good;
}

START_TEST(untouched_file_is_accepted)
{
    make_file();
    ck_assert(copy_accepted(FILE_BYTES));
}
END_TEST

START_TEST(truncated_and_extended_files_are_refused)
{
    make_file();
    for (size_t bytes = 0; bytes < FILE_BYTES; ++bytes)
        ck_assert_msg(!copy_accepted(bytes), "%zu bytes", bytes);
    for (size_t bytes = FILE_BYTES + 1; bytes <= sizeof file; ++bytes)
        ck_assert_msg(!copy_accepted(bytes), "%zu bytes", bytes);
}
END_TEST

START_TEST(each_flipped_bit_is_refused)
{
    make_file();
    for (size_t bit = 0; bit < 8 * FILE_BYTES; ++bit) {
        file[bit / 8] ^= (unsigned char)(1u << bit % 8);
        ck_assert_msg(!accepted(file, FILE_BYTES), "bit %zu", bit);
        file[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    ck_assert(accepted(file, FILE_BYTES));
}
END_TEST

START_TEST(swapped_bytes_are_refused)
{
    make_file();
    int tried = 0;
    for (size_t i = 0; i < FILE_BYTES; ++i) {
        const size_t j = (i * 7919 + 101) % FILE_BYTES;
        if (file[i] == file[j])
            continue;
        const unsigned char kept = file[i];
        file[i] = file[j];
        file[j] = kept;
        ck_assert_msg(!accepted(file, FILE_BYTES), "bytes %zu and %zu", i, j);
        file[j] = file[i];
        file[i] = kept;
        ++tried;
    }
    ck_assert_int_gt(tried, 1000);
    ck_assert(accepted(file, FILE_BYTES));
}
END_TEST

START_TEST(another_programs_file_is_refused)
{
    make_file();
    fsc_error why;
    char other[FSC__CACHE_KEY_BYTES];
    ck_status_ok(fsc__cache_key("kernel void k() { }", "-cl-std=CL1.2", &info, other, &why), &why);
    fsc__cache_header(other, file + FSC__CACHE_HEADER_BYTES, BINARY_BYTES, file);
    ck_assert(!accepted(file, FILE_BYTES));
}
END_TEST

/* Everything that a binary depends on is in the key, and fields cannot run into each other. */
START_TEST(key_depends_on_everything)
{
    char keys[9][FSC__CACHE_KEY_BYTES];
    fsc__device_info changed[6];
    fsc_error why;
    for (int i = 0; i < 6; ++i)
        changed[i] = info;
    strcpy(changed[0].platform_name, "rusticl");
    strcpy(changed[1].name, "pthread2");
    strcpy(changed[2].driver, "3.2");
    strcpy(changed[3].version, "OpenCL 3.0");
    strcpy(changed[4].platform_version, "OpenCL 2.0 pocl 3.2");
    ck_status_ok(fsc__cache_key("ab", "c", &info, keys[0], &why), &why);
    ck_status_ok(fsc__cache_key("a", "bc", &info, keys[1], &why), &why);
    ck_status_ok(fsc__cache_key("ab", "d", &info, keys[2], &why), &why);
    ck_status_ok(fsc__cache_key("ab\n1 c", "", &info, keys[3], &why), &why);
    for (int i = 0; i < 5; ++i)
        ck_status_ok(fsc__cache_key("ab", "c", &changed[i], keys[4 + i], &why), &why);
    for (int i = 0; i < 9; ++i)
        for (int j = 0; j < i; ++j)
            ck_assert_str_ne(keys[i], keys[j]);
    ck_status_ok(fsc__cache_key("ab", "c", &changed[5], keys[1], &why), &why);
    ck_assert_str_eq(keys[0], keys[1]);
    ck_assert_uint_eq(strlen(keys[0]), FSC__CACHE_KEY_BYTES - 1);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("cache");
    TCase *tests = tcase_create("cache");
    tcase_add_test(tests, untouched_file_is_accepted);
    tcase_add_test(tests, truncated_and_extended_files_are_refused);
    tcase_add_test(tests, each_flipped_bit_is_refused);
    tcase_add_test(tests, swapped_bytes_are_refused);
    tcase_add_test(tests, another_programs_file_is_refused);
    tcase_add_test(tests, key_depends_on_everything);
    suite_add_tcase(suite, tests);
    return suite;
}
