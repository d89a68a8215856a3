/* Listing and opening devices, and that no failing OpenCL call leaks or lingers. */
#include <string.h>

#include "device/opencl.h"
#include "device_fixture.h"

const int fsc__test_forks = 0;

START_TEST(listed_devices_are_described)
{
    const fsc__device_info info = fsc__test_device_info();
    ck_assert_int_ge(info.platform, 0);
    ck_assert(info.name[0] != '\0' && info.platform_name[0] != '\0');
    ck_assert(strncmp(info.version, "OpenCL ", 7) == 0);
    ck_assert(info.driver[0] != '\0' && info.platform_version[0] != '\0');
    ck_assert(strstr(info.type, "cpu") || strstr(info.type, "gpu"));
}
END_TEST

START_TEST(open_device_has_limits_and_options)
{
    const fsc__device_options options = {.no_probe = true};
    fsc_device *device = fsc__test_device_open(&options);
    const fsc__caps *caps = fsc__device_caps(device);
    ck_assert_int_ge(caps->native_width, 1);
    ck_assert_int_ge(caps->compute_units, 1);
    ck_assert_uint_ge(caps->kernel_group, 1);
    ck_assert_uint_ge(caps->local_bytes,
                      16384); /* the standard's least for a full profile is 32K */
    ck_assert_uint_ge(caps->buffer_bytes, 1 << 20);
    ck_assert_uint_ge(caps->memory_bytes, caps->buffer_bytes);
    ck_assert_int_ge(caps->max_arguments, 16);
    ck_assert(strncmp(fsc__device_build_options(device), "-cl-std=CL1.2", 13) == 0);
    ck_assert_str_eq(fsc__device_about(device)->name, fsc__test_device_info().name);
    fsc__device_close(device);
    fsc__device_close(NULL);
    ck_assert_int_eq(fsc__cl_live(), 0);
}
END_TEST

START_TEST(device_that_went_away_is_named)
{
    fsc__device_info info = fsc__test_device_info();
    info.device += 60;
    fsc_device *device = NULL;
    fsc_error why = {0};
    ck_assert_int_eq(fsc__device_open(&info, NULL, &device, &why), FSC_ERR_NO_DEVICE);
    ck_assert_ptr_null(device);
    ck_assert_ptr_nonnull(strstr(why.text, info.name));
    ck_assert_int_eq(fsc__cl_live(), 0);
}
END_TEST

START_TEST(errors_name_the_call_and_the_code)
{
    fsc_error why = {0};
    ck_assert_int_eq(fsc__cl_status(CL_OUT_OF_RESOURCES, "clFinish(queue)", &why), FSC_ERR_DEVICE);
    ck_assert_str_eq(why.text, "clFinish: CL_OUT_OF_RESOURCES (-5)");
    ck_assert_int_eq(fsc__cl_status(CL_MEM_OBJECT_ALLOCATION_FAILURE,
                                    "((decline) = (clCreateBuffer(a, b)), code)", &why),
                     FSC_ERR_MEMORY);
    ck_assert_str_eq(why.text, "clCreateBuffer: CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)");
    fsc__cl_at(FSC_ERR_MEMORY, &why, "%s on %s", "matmul", "pocl");
    ck_assert_str_eq(why.text,
                     "clCreateBuffer: CL_MEM_OBJECT_ALLOCATION_FAILURE (-4) (matmul on pocl)");
    ck_assert_int_eq(fsc__cl_status(CL_SUCCESS, "clFinish(queue)", &why), FSC_OK);
}
END_TEST

/* Fails the n-th OpenCL call of an opening: it is reported or worked round, and nothing stays. */
static int open_with_failure(const fsc__device_info *info, const fsc__device_options *options,
                             long n)
{
    fsc_device *device = NULL;
    fsc_error why = {0};
    fsc__cl_fail_after(n);
    const fsc_status status = fsc__device_open(info, options, &device, &why);
    fsc__cl_fail_after(-1);
    if (status != FSC_OK) {
        ck_assert_ptr_null(device);
        ck_assert_msg(strstr(why.text, "made to fail by a test") != NULL, "call %ld: %s", n,
                      why.text);
    }
    fsc__device_close(device);
    ck_assert_msg(fsc__cl_live() == 0, "call %ld leaves %ld objects", n, fsc__cl_live());
    return status != FSC_OK;
}

static long calls_of_open(const fsc__device_info *info, const fsc__device_options *options)
{
    fsc_device *device = NULL;
    fsc_error why = {0};
    const long before = fsc__cl_calls();
    ck_status_ok(fsc__device_open(info, options, &device, &why), &why);
    fsc__device_close(device);
    return fsc__cl_calls() - before;
}

START_TEST(every_failing_call_of_open_is_clean)
{
    const fsc__device_info info = fsc__test_device_info();
    const fsc__device_options plain = {.no_probe = true};
    const long calls = calls_of_open(&info, &plain);
    ck_assert_int_gt(calls, 10);
    int reported = 0;
    for (long n = 0; n < calls; ++n)
        reported += open_with_failure(&info, &plain, n);
    ck_assert_int_eq(reported, calls);
    fsc__device_close(fsc__test_device_open(&plain));
    ck_assert_int_eq(fsc__cl_live(), 0);
}
END_TEST

/* With the probe there are hundreds: the first of each kind, then samples. */
START_TEST(failing_calls_of_the_probe_are_clean)
{
    const fsc__device_info info = fsc__test_device_info();
    const long calls = calls_of_open(&info, NULL);
    ck_assert_int_gt(calls, 100);
    int reported = 0, tried = 0;
    for (long n = 0; n < calls; n += n < 60 ? 1 : 97, ++tried)
        reported += open_with_failure(&info, NULL, n);
    ck_assert_int_gt(reported, tried - 10); /* the build log and event times are done without */
    fsc__device_close(fsc__test_device_open(NULL));
    ck_assert_int_eq(fsc__cl_live(), 0);
}
END_TEST

/* The same for the list. */
START_TEST(every_failing_call_of_list_is_clean)
{
    fsc__device_info *list = NULL;
    int count = 0;
    fsc_error why;
    const long before = fsc__cl_calls();
    ck_status_ok(fsc__devices_list(&list, &count, &why), &why);
    const long calls = fsc__cl_calls() - before;
    fsc__free(list);
    const int all = count;
    for (long n = 0; n < calls; ++n) {
        list = NULL;
        fsc__cl_fail_after(n);
        const fsc_status status = fsc__devices_list(&list, &count, &why);
        fsc__cl_fail_after(-1);
        if (status == FSC_OK)
            fsc__free(list);
        else
            ck_assert_ptr_null(list);
    }
    ck_status_ok(fsc__devices_list(&list, &count, &why), &why);
    ck_assert_int_eq(count, all);
    fsc__free(list);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("device");
    TCase *tests = tcase_create("device");
    tcase_add_test(tests, listed_devices_are_described);
    tcase_add_test(tests, open_device_has_limits_and_options);
    tcase_add_test(tests, device_that_went_away_is_named);
    tcase_add_test(tests, errors_name_the_call_and_the_code);
    tcase_add_test(tests, every_failing_call_of_open_is_clean);
    tcase_add_test(tests, failing_calls_of_the_probe_are_clean);
    tcase_add_test(tests, every_failing_call_of_list_is_clean);
    suite_add_tcase(suite, tests);
    return suite;
}
