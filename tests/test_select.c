/* Choosing devices by words, on a made list. */
#include <stdio.h>
#include <string.h>

#include "device/device.h"
#include "harness.h"

const int fsc__test_forks = 1;

static const fsc__device_info list[] = {
    {.platform = 0,
     .device = 0,
     .suffix = "POCL",
     .platform_name = "Portable Computing Language",
     .name = "pthread-Intel(R) Xeon",
     .version = "OpenCL 1.2 pocl",
     .type = "cpu"},
    {.platform = 1,
     .device = 0,
     .suffix = "MESA",
     .platform_name = "rusticl",
     .name = "llvmpipe (LLVM 15.0.6, 256 bits)",
     .version = "OpenCL 3.0",
     .type = "gpu"},
    {.platform = 2,
     .device = 0,
     .suffix = "oclg",
     .platform_name = "Oclgrind",
     .name = "Oclgrind Simulator",
     .version = "OpenCL 1.2 (Oclgrind 21.10)",
     .type = "cpu gpu accelerator",
     .oclgrind = true},
    {.platform = 3,
     .device = 0,
     .suffix = "NV",
     .platform_name = "NVIDIA CUDA",
     .name = "H200",
     .version = "OpenCL 3.0 CUDA",
     .type = "gpu"},
    {.platform = 3,
     .device = 1,
     .suffix = "NV",
     .platform_name = "NVIDIA CUDA",
     .name = "H200",
     .version = "OpenCL 3.0 CUDA",
     .type = "gpu"},
};
enum { COUNT = sizeof list / sizeof list[0] };

/* "1 3" for the chosen indices, or what the failure says. */
static const char *choose_from(const fsc__device_info *from, int count, const char *select,
                               bool unique)
{
    static char text[2100];
    int chosen[COUNT] = {0};
    int found = -1;
    fsc_error why = {0};
    const fsc_status status =
        fsc__devices_select(from, count, select, unique, chosen, &found, &why);
    if (status != FSC_OK) {
        ck_assert_int_eq(status, FSC_ERR_NO_DEVICE);
        ck_assert_int_eq(found, -1);
        snprintf(text, sizeof text, "%s", why.text);
        return text;
    }
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < found; ++i)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", i ? " " : "", chosen[i]);
    return text;
}

static const char *choose(const char *select, bool unique)
{
    return choose_from(list, COUNT, select, unique);
}

START_TEST(words_mean_the_right_devices)
{
    static const struct {
        const char *select, *chosen;
    } rows[] = {
        {"0.0", "0"},
        {"3.1", "4"},
        {"pocl", "0"},
        {"PoCL", "0"},
        {"rusticl", "1"},
        {"LLVMpipe", "1"},
        {"oclgrind", "2"},
        {"2.0", "2"},
        {"cuda:h200", "3 4"},
        {"NVIDIA CUDA", "3 4"},
        {"cpu", "0"},
        {"gpu", "1 3 4"},
        {"all", "0 1 3 4"},
        {"ALL", "0 1 3 4"},
        {"all oclgrind", "0 1 2 3 4"},
        {"OpenCL", "0 1 3 4"}, /* Oclgrind is never meant by accident */
        {"xeon", "0"},
        {"pocl,rusticl", "0 1"},
        {"rusticl pocl rusticl", "0 1"},
        {"all !gpu", "0"},
        {"gpu !3.1", "1 3"},
        {"!gpu", "0"},
        {"!nvidia,!pocl", "1"},
        {NULL, "1"},
        {"", "1"},
        {"  ", "1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        ck_assert_msg(strcmp(choose(rows[i].select, false), rows[i].chosen) == 0,
                      "%s: %s, expected %s", rows[i].select ? rows[i].select : "NULL",
                      choose(rows[i].select, false), rows[i].chosen);
}
END_TEST

START_TEST(unique_refuses_several_and_lists_them)
{
    ck_assert_str_eq(choose("pocl", true), "0");
    ck_assert_str_eq(choose("", true), "1");
    ck_assert_str_eq(choose("!rusticl", true), "3"); /* the default among the rest */
    ck_assert_str_eq(choose("gpu !nvidia", true), "1");
    const char *text = choose("h200", true);
    ck_assert_ptr_nonnull(strstr(text, "several devices fit \"h200\""));
    ck_assert_ptr_nonnull(strstr(text, "3.0  NVIDIA CUDA: H200"));
    ck_assert_ptr_nonnull(strstr(text, "3.1  NVIDIA CUDA: H200"));
    ck_assert_ptr_null(strstr(text, "rusticl"));
}
END_TEST

START_TEST(no_match_lists_what_exists)
{
    static const char *const selects[] = {"radeon", "pocl radeon", "9.9", "3.2", "intel", "1.2"};
    for (size_t i = 0; i < sizeof selects / sizeof selects[0]; ++i) {
        const char *text = choose(selects[i], false);
        ck_assert_msg(strstr(text, "no device fits") != NULL, "%s: %s", selects[i], text);
        ck_assert_ptr_nonnull(strstr(text, "0.0  Portable Computing Language"));
        ck_assert_ptr_nonnull(strstr(text, "2.0  Oclgrind: Oclgrind Simulator (only when named)"));
    }
    const char *text = choose("pocl !cpu", false);
    ck_assert_ptr_nonnull(strstr(text, "no device is left by \"pocl !cpu\""));
}
END_TEST

START_TEST(defaults_prefer_gpu_then_cpu_and_never_oclgrind)
{
    ck_assert_str_eq(choose_from(list, 1, NULL, true), "0");
    const char *text = choose_from(&list[2], 1, NULL, true);
    ck_assert_ptr_nonnull(strstr(text, "Oclgrind"));
    text = choose_from(list, 0, NULL, true);
    ck_assert_ptr_nonnull(strstr(text, "none"));
    fsc__device_info other = list[0];
    snprintf(other.type, sizeof other.type, "accelerator");
    ck_assert_str_eq(choose_from(&other, 1, NULL, true), "0");
}
END_TEST

START_TEST(alias_names_a_device_in_short)
{
    ck_assert_str_eq(fsc__device_alias(&list[0]), "pocl");
    ck_assert_str_eq(fsc__device_alias(&list[2]), "oclgrind");
    ck_assert_str_eq(fsc__device_alias(&list[3]), "H200");
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("select");
    TCase *tests = tcase_create("select");
    tcase_add_test(tests, words_mean_the_right_devices);
    tcase_add_test(tests, unique_refuses_several_and_lists_them);
    tcase_add_test(tests, no_match_lists_what_exists);
    tcase_add_test(tests, defaults_prefer_gpu_then_cpu_and_never_oclgrind);
    tcase_add_test(tests, alias_names_a_device_in_short);
    suite_add_tcase(suite, tests);
    return suite;
}
