/* The program cache with a driver behind it: kept, found again, repaired, and done without. */
#include <dirent.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "device/handle.h"
#include "device/launch.h"
#include "device_fixture.h"

const int fsc__test_forks = 0;

static char folder[64];
static int warnings, repairs;

static void count_lines(void *context, fsc__log_level level, const char *line)
{
    (void)context;
    warnings += level == FSC__LOG_WARN;
    repairs += strstr(line, "is built again") != NULL;
}

static void setup(void)
{
    fsc__test_folder_make(folder);
    warnings = repairs = 0;
    fsc__log_set(count_lines, NULL, FSC__LOG_INFO);
}

static void teardown(void)
{
    fsc__log_set(NULL, NULL, FSC__LOG_WARN);
    fsc__test_folder_remove(folder);
}

/* The path of the one file in a folder whose name ends so, or NULL; freed by the caller. */
static char *find_file(const char *in, const char *ending)
{
    char *path = NULL;
    DIR *entries = opendir(in);
    for (struct dirent *entry = entries ? readdir(entries) : NULL; entry;
         entry = readdir(entries)) {
        const size_t length = strlen(entry->d_name), tail = strlen(ending);
        if (length > tail && strcmp(entry->d_name + length - tail, ending) == 0) {
            ck_assert_ptr_null(path);
            path = fsc__device_path(in, entry->d_name);
        }
    }
    if (entries)
        closedir(entries);
    return path;
}

static fsc_device *open_device(const char *cache, const char *dump)
{
    const fsc__device_options options = {.cache = cache, .dump = dump, .no_probe = true};
    return fsc__test_device_open(&options);
}

/* Builds "out[i] = i + add" and checks what it computes; says whether it came from the cache. */
static bool build_and_run(fsc_device *device, int add)
{
    enum { ELEMS = 64 };
    fsc__arg arg = {.name = "out", .kind = FSC__ARG_SCRATCH, .index = 0};
    fsc__text text = {0};
    fsc__text_add(&text,
                  "kernel void iota(global int *out)\n{\n    const int i = "
                  "(int)get_global_id(0);\n    out[i] = i + %d;\n}\n",
                  add);
    const fsc__step step = {.name = "iota",
                            .text = text.data,
                            .args = &arg,
                            .arg_count = 1,
                            .global = {ELEMS, 1, 1},
                            .local = {8, 1, 1},
                            .work = ELEMS};
    fsc__program *program = NULL;
    fsc__buffer *buffer = NULL;
    fsc_error why = {0};
    bool cached = false;
    int32_t out[ELEMS];
    ck_status_ok(fsc__program_create(device, &step, &program, &cached, NULL, &why), &why);
    ck_status_ok(fsc__buffer_create(device, sizeof out, &buffer, &why), &why);
    const fsc__bindings bindings = {.scratch = &buffer};
    ck_status_ok(fsc__step_run(device, program, &step, &bindings, NULL, &why), &why);
    ck_status_ok(fsc__buffer_read(buffer, out, sizeof out, &why), &why);
    for (int i = 0; i < ELEMS; ++i)
        ck_assert_int_eq(out[i], i + add);
    fsc__buffer_free(buffer);
    fsc__program_free(program);
    fsc__text_deinit(&text);
    return cached;
}

START_TEST(program_is_kept_and_found_again)
{
    fsc_device *device = open_device(folder, NULL);
    ck_assert(!build_and_run(device, 5));
    ck_assert(build_and_run(device, 5));
    ck_assert(!build_and_run(device, 6)); /* another text is another program */
    fsc__device_close(device);
    device = open_device(folder, NULL);
    ck_assert(build_and_run(device, 5));
    ck_assert(build_and_run(device, 6));
    fsc__device_close(device);
    ck_assert_int_eq(warnings + repairs, 0);
}
END_TEST

START_TEST(damaged_program_is_built_again_and_replaced)
{
    fsc_device *device = open_device(folder, NULL);
    ck_assert(!build_and_run(device, 5));
    char *path = find_file(folder, ".clbin");
    char *file = NULL;
    size_t bytes = 0;
    fsc_error why = {0};
    ck_status_ok(fsc__file_read(path, &file, &bytes, &why), &why);
    ck_assert_uint_gt(bytes, 100);
    const size_t cuts[] = {0, 1, 71, 72, bytes / 2, bytes - 1};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; ++i) {
        ck_status_ok(fsc__file_write(path, file, cuts[i], &why), &why);
        ck_assert(!build_and_run(device, 5));
        ck_assert(build_and_run(device, 5));
        ck_assert_int_eq(repairs, (int)i + 1);
    }
    for (size_t at = 3; at < bytes; at += bytes / 7) {
        const int before = repairs;
        file[at] ^= 0x10;
        ck_status_ok(fsc__file_write(path, file, bytes, &why), &why);
        file[at] ^= 0x10;
        ck_assert(!build_and_run(device, 5));
        ck_assert_int_eq(repairs, before + 1);
    }
    ck_assert(build_and_run(device, 5));
    ck_assert_int_eq(warnings, 0);
    fsc__free(file);
    fsc__free(path);
    fsc__device_close(device);
}
END_TEST

/* A cache folder that cannot be (its parent is a file) is a warning, once, and nothing else. */
START_TEST(unwritable_cache_is_done_without)
{
    fsc_error why = {0};
    char *blocker = fsc__device_path(folder, "file"), *beneath = fsc__device_path(blocker, "cache");
    ck_status_ok(fsc__file_write(blocker, "x", 1, &why), &why);
    fsc_device *device = open_device(beneath, NULL);
    ck_assert(!build_and_run(device, 5));
    ck_assert_int_eq(warnings, 1);
    ck_assert(!build_and_run(device, 5));
    ck_assert(!build_and_run(device, 6));
    ck_assert_int_eq(warnings, 1);
    fsc__device_close(device);
    fsc__free(beneath);
    fsc__free(blocker);
}
END_TEST

START_TEST(dump_shows_text_and_binary)
{
    char *dump = fsc__device_path(folder, "dump/deep");
    fsc_device *device = open_device(NULL, dump);
    ck_assert(!build_and_run(device, 5));
    ck_assert(!build_and_run(device, 5)); /* a dump is no cache */
    char *path = find_file(dump, ".cl"), *text = NULL;
    size_t bytes = 0;
    fsc_error why = {0};
    ck_assert_ptr_nonnull(strstr(path, "/iota-"));
    ck_status_ok(fsc__file_read(path, &text, &bytes, &why), &why);
    ck_assert_ptr_nonnull(strstr(text, "out[i] = i + 5;"));
    fsc__free(text);
    fsc__free(path);
    path = find_file(dump, ".bin");
    ck_assert_ptr_nonnull(path);
    fsc__free(path);
    fsc__device_close(device);
    fsc__free(dump);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("cache");
    TCase *tests = tcase_create("cache");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, program_is_kept_and_found_again);
    tcase_add_test(tests, damaged_program_is_built_again_and_replaced);
    tcase_add_test(tests, unwritable_cache_is_done_without);
    tcase_add_test(tests, dump_shows_text_and_binary);
    suite_add_tcase(suite, tests);
    return suite;
}
