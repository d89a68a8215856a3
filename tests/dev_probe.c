/* What the probe finds on known devices, that it finds what is broken on purpose, and that its
   result is kept. */
#include <dirent.h>
#include <string.h>

#include "base/file.h"
#include "device/handle.h"
#include "device/probe.h"
#include "device_fixture.h"
#include "numeric/dtype.h"

const int fsc__test_forks = 0;

/* Measured on each driver with other programs: the probe must come to the same. */
START_TEST(known_devices_are_recognised)
{
    static const struct {
        const char *alias;
        fsc__fma fma;
        bool timer;
        size_t group;
        int loops;
        const char *quirks;
    } known[] = {
        {"pocl", FSC__FMA_EXACT, true, 4096, 0, ""},
        {"rusticl", FSC__FMA_FLUSHES, false, 32, 65535, "fma-flushes"},
        {"oclgrind", FSC__FMA_EXACT, true, 1024, 0, ""},
    };
    fsc_device *device = fsc__test_device_open(NULL);
    const fsc__caps *caps = fsc__device_caps(device);
    const char *alias = fsc__device_alias(fsc__device_about(device));
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
        if (strcmp(alias, known[i].alias) == 0) {
            ck_assert_str_eq(fsc__fma_name(caps->fma), fsc__fma_name(known[i].fma));
            ck_assert_str_eq(fsc__round_way_name(caps->divide), "plain");
            ck_assert_str_eq(fsc__round_way_name(caps->sqrt), "plain");
            ck_assert(!caps->contracts && caps->keeps_subnormals && caps->converts_half);
            ck_assert_str_eq(caps->refused, "");
            ck_assert_str_eq(fsc__device_quirks(device), known[i].quirks);
            ck_assert_uint_le(caps->kernel_group, known[i].group);
            ck_assert_int_eq(caps->loop_limit, known[i].loops);
            if (!known[i].timer)
                ck_assert(!caps->timer);
        }
    fsc__device_close(device);
    ck_assert_int_eq(fsc__cl_live(), 0);
}
END_TEST

/* Faults put into the kernel by replacing words, and the one check that must see each; the others
   must see nothing. */
static const struct {
    const char *what, *amend;
    fsc__check_id check;
} faults[] = {
    {"division by reciprocal", "#undef DIV\n#define DIV(a, b) ((a) * (1.0f / (b)))\n",
     FSC__CHECK_DIVIDE},
    {"root by reciprocal", "#undef SQRT\n#define SQRT(x) ((x) * (1.0f / sqrt(x)))\n",
     FSC__CHECK_SQRT},
    {"fma rounded twice", "#undef FMA\n#define FMA(a, b, c) ((a) * (b) + (c))\n", FSC__CHECK_FMA},
    {"abs that keeps the sign of zero", "#undef ABS\n#define ABS(x) SELECT(x < 0.0f, -x, x)\n",
     FSC__CHECK_ABS},
    {"a product less its last bit", "#undef MUL\n#define MUL(a, b) ((a) * (b) * 0x1.000002p0f)\n",
     FSC__CHECK_MUL},
};

START_TEST(broken_arithmetic_is_found)
{
    fsc_device *device = fsc__test_device_open(NULL);
    for (size_t f = 0; f < sizeof faults / sizeof faults[0]; ++f) {
        fsc__caps trial = *fsc__device_caps(device);
        fsc__finding findings[FSC__CHECK_COUNT] = {{0}};
        fsc_error why = {0};
        ck_status_ok(fsc__probe_trial(device, &trial, 4, faults[f].amend, findings, &why), &why);
        for (int id = 0; id < FSC__CHECK_COUNT; ++id) {
            const bool products =
                faults[f].check == FSC__CHECK_MUL &&
                (id == FSC__CHECK_PRODUCT_SUM || id == FSC__CHECK_PRODUCT_DIFFERENCE);
            ck_assert_int_ge(findings[id].tried, FSC__CHECK_PATTERNS);
            if (id == (int)faults[f].check || products)
                ck_assert_msg(findings[id].differ > 20, "%s: \"%s\" differs on %lld",
                              faults[f].what, fsc__check_name((fsc__check_id)id),
                              (long long)findings[id].differ);
            else
                ck_assert_msg(findings[id].differ == 0, "%s: \"%s\" differs on %lld",
                              faults[f].what, fsc__check_name((fsc__check_id)id),
                              (long long)findings[id].differ);
        }
    }
    fsc__device_close(device);
}
END_TEST

/* Compilers that contract when they may: the probe sees it, and fma(a,b,-0) hides it. */
START_TEST(contraction_is_found_and_cured)
{
    fsc_device *device = fsc__test_device_open(NULL);
    const char *alias = fsc__device_alias(fsc__device_about(device));
    const bool fuses = strcmp(alias, "pocl") == 0 || strcmp(alias, "oclgrind") == 0;
    for (int cured = 0; cured < 2; ++cured) {
        fsc__caps trial = *fsc__device_caps(device);
        fsc__finding findings[FSC__CHECK_COUNT] = {{0}};
        fsc_error why = {0};
        trial.contracts = cured != 0;
        ck_status_ok(
            fsc__probe_trial(device, &trial, 1, "#pragma OPENCL FP_CONTRACT ON\n", findings, &why),
            &why);
        const bool seen = findings[FSC__CHECK_PRODUCT_SUM].differ > 1000 &&
                          findings[FSC__CHECK_PRODUCT_DIFFERENCE].differ > 1000;
        if (fuses)
            ck_assert_int_eq(seen, !cured);
        const fsc__quirk *quirk = fsc__quirk_next(&trial, findings);
        if (seen)
            ck_assert_str_eq(fsc__quirk_name(quirk), "contracts");
    }
    fsc__device_close(device);
}
END_TEST

/* The other ways to a correctly rounded quotient and root hold on a device that needs none. */
START_TEST(corrected_ways_are_exact)
{
    fsc_device *device = fsc__test_device_open(NULL);
    const fsc__caps *caps = fsc__device_caps(device);
    /* Oclgrind 21.10 makes 255 of a vector's comparison where 1 is asked for. */
    const int widest = fsc__device_about(device)->oclgrind ? 1 : 8;
    for (int way = FSC__ROUND_DOUBLE; way <= FSC__ROUND_REMAINDER; ++way) {
        if (way == FSC__ROUND_DOUBLE && !caps->fp64)
            continue;
        for (int width = 1; width <= widest; width += 7) {
            fsc__caps trial = *caps;
            fsc__finding findings[FSC__CHECK_COUNT] = {{0}};
            fsc_error why = {0};
            trial.divide = trial.sqrt = (fsc__round_way)way;
            ck_status_ok(fsc__probe_trial(device, &trial, width, "", findings, &why), &why);
            ck_assert_int_eq(findings[FSC__CHECK_DIVIDE].differ, 0);
            ck_assert_int_eq(findings[FSC__CHECK_SQRT].differ, 0);
        }
    }
    fsc__device_close(device);
}
END_TEST

/* OpenCL calls of an opening, which are few where the probe's result was kept. */
static long opening_calls(const fsc__device_options *options, fsc__caps *caps)
{
    const fsc__device_info info = fsc__test_device_info();
    fsc_device *device = NULL;
    fsc_error why = {0};
    const long before = fsc__cl_calls();
    ck_status_ok(fsc__device_open(&info, options, &device, &why), &why);
    *caps = *fsc__device_caps(device);
    fsc__device_close(device);
    return fsc__cl_calls() - before;
}

/* The probe's file in the folder; fails unless there is one alone. */
static char *probe_file(const char *folder)
{
    char *path = NULL;
    DIR *entries = opendir(folder);
    ck_assert_ptr_nonnull(entries);
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries))
        if (strncmp(entry->d_name, "probe-", 6) == 0) {
            ck_assert_ptr_null(path);
            path = fsc__device_path(folder, entry->d_name);
        }
    closedir(entries);
    ck_assert_ptr_nonnull(path);
    return path;
}

START_TEST(result_is_kept_and_damage_is_repaired)
{
    char folder[64];
    fsc__test_folder_make(folder);
    const fsc__device_options options = {.cache = folder};
    fsc__caps first, second;
    fsc_error why = {0};
    const long probing = opening_calls(&options, &first);
    const long keeping = opening_calls(&options, &second);
    ck_assert_int_lt(keeping, 40);
    ck_assert_int_gt(probing, 200);
    ck_assert_mem_eq(&first, &second, sizeof first);
    char *path = probe_file(folder), *text = NULL;
    size_t bytes = 0;
    ck_status_ok(fsc__file_read(path, &text, &bytes, &why), &why);
    ck_assert_ptr_nonnull(strstr(text, "\"fma\":"));
    static const struct {
        const char *from, *to;
    } damages[] = {{"\"plain\"", "\"plane\""},
                   {"\"key\":\t\"", "\"key\":\t\"0"},
                   {"\"timer\"", "\"tamer\""},
                   {"}", ""}};
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; ++i) {
        const char *at = strstr(text, damages[i].from);
        ck_assert_msg(at != NULL, "%s", damages[i].from);
        fsc__text damaged = {0};
        fsc__text_add_bytes(&damaged, text, (size_t)(at - text));
        fsc__text_add(&damaged, "%s%s", damages[i].to, at + strlen(damages[i].from));
        ck_status_ok(fsc__file_write(path, damaged.data, damaged.length, &why), &why);
        fsc__text_deinit(&damaged);
        ck_assert_int_gt(opening_calls(&options, &second), 200);
        ck_assert_int_lt(opening_calls(&options, &second), 40);
    }
    fsc__free(text);
    fsc__free(path);
    fsc__test_folder_remove(folder);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("probe");
    TCase *tests = tcase_create("probe");
    tcase_add_test(tests, known_devices_are_recognised);
    tcase_add_test(tests, broken_arithmetic_is_found);
    tcase_add_test(tests, contraction_is_found_and_cured);
    tcase_add_test(tests, corrected_ways_are_exact);
    tcase_add_test(tests, result_is_kept_and_damage_is_repaired);
    suite_add_tcase(suite, tests);
    return suite;
}
