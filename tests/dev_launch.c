/* Programs, buffers and launches: values, slices, arguments by name, build errors, failing calls.
 */
#include <stdio.h>
#include <string.h>

#include "device/launch.h"
#include "device/opencl.h"
#include "device_fixture.h"

const int fsc__test_forks = 0;

/* out[i] = 3*a[i] + n + i, then each element counts how often it was visited. */
static const char text[] =
    "#line 7 \"tally.cl\"\n"
    "kernel void tally(global const int *a, global int *out, global int *visits, int n,\n"
    "                  float unit)\n"
    "{\n"
    "    const int i = (int)get_global_id(0) + 64 * (int)get_global_id(1);\n"
    "    out[i] = 3 * a[i] + n + i * (int)unit;\n"
    "    visits[i] += 1;\n"
    "}\n";

enum { COLS = 64, ROWS = 48, ELEMS = COLS * ROWS };

static fsc__arg arguments[] = {
    {.name = "a", .kind = FSC__ARG_VALUE, .index = 1},
    {.name = "out", .kind = FSC__ARG_SCRATCH, .index = 0},
    {.name = "visits", .kind = FSC__ARG_TAP, .index = 2},
    {.name = "n", .kind = FSC__ARG_INT, .integer = -7},
    {.name = "unit", .kind = FSC__ARG_FLOAT, .number = 1.0f},
};

static fsc__step make_step(void)
{
    fsc__step step = {.name = "tally", .args = arguments, .arg_count = 5};
    step.text = fsc__strdup(text);
    step.global[0] = COLS;
    step.global[1] = ROWS;
    step.global[2] = 1;
    step.local[0] = 16;
    step.local[1] = 2;
    step.local[2] = 1;
    step.slice_axis = 1;
    step.work = ELEMS;
    return step;
}

/* Runs the step on fresh buffers and checks each element. */
static fsc_status run_once(fsc_device *device, const fsc__step *step, int32_t out[ELEMS],
                           int32_t visits[ELEMS], fsc_error *why)
{
    fsc_status status = FSC_OK;
    fsc__program *program = NULL;
    fsc__buffer *buffers[3] = {NULL, NULL, NULL};
    int32_t a[ELEMS];
    for (int i = 0; i < ELEMS; ++i)
        a[i] = i % 11;
    for (int i = 0; i < 3; ++i)
        FSC_GO(fsc__buffer_create(device, sizeof a, &buffers[i], why));
    FSC_GO(fsc__buffer_write(buffers[0], a, sizeof a, why));
    FSC_GO(fsc__buffer_poison(buffers[1], 0xdeadbeefu, why));
    FSC_GO(fsc__buffer_poison(buffers[2], 0, why));
    FSC_GO(fsc__program_create(device, step, &program, NULL, NULL, why));
    fsc__buffer *values[] = {NULL, buffers[0]}, *taps[] = {NULL, NULL, buffers[2]};
    const fsc__bindings bindings = {.values = values, .scratch = &buffers[1], .taps = taps};
    FSC_GO(fsc__step_run(device, program, step, &bindings, NULL, why));
    FSC_GO(fsc__buffer_read(buffers[1], out, sizeof a, why));
    FSC_GO(fsc__buffer_read(buffers[2], visits, sizeof a, why));
done:
    for (int i = 0; i < 3; ++i)
        fsc__buffer_free(buffers[i]);
    fsc__program_free(program);
    return status;
}

static void check_values(const int32_t out[ELEMS], const int32_t visits[ELEMS])
{
    for (int i = 0; i < ELEMS; ++i) {
        ck_assert_int_eq(visits[i], 1);
        ck_assert_int_eq(out[i], 3 * (i % 11) - 7 + i);
    }
}

static int32_t out_values[ELEMS], visit_values[ELEMS];

START_TEST(launch_computes_every_element_once)
{
    fsc_device *device = fsc__test_device_open(NULL);
    fsc__step step = make_step();
    fsc_error why = {0};
    ck_status_ok(run_once(device, &step, out_values, visit_values, &why), &why);
    check_values(out_values, visit_values);
    fsc__free(step.text);
    fsc__device_close(device);
    ck_assert_int_eq(fsc__cl_live(), 0);
}
END_TEST

/* Work that is claimed to be enormous is cut: one work-group first, the rest as its speed allows.
   Nothing changes in the result. */
START_TEST(slices_cover_the_index_space_once)
{
    fsc_device *device = fsc__test_device_open(NULL);
    for (int axis = 0; axis < 2; ++axis) {
        fsc__step step = make_step();
        step.slice_axis = axis;
        fsc_error why = {0};
        const long start = fsc__cl_calls();
        ck_status_ok(run_once(device, &step, out_values, visit_values, &why), &why);
        const long whole = fsc__cl_calls() - start;
        step.work = 1e18;
        ck_status_ok(run_once(device, &step, out_values, visit_values, &why), &why);
        check_values(out_values, visit_values);
        const long cut = fsc__cl_calls() - start - whole;
        ck_assert_int_ge(cut, whole + 2);
        fsc__free(step.text);
    }
    fsc__device_close(device);
}
END_TEST

/* A local size beyond what the kernel can have is made smaller, not refused. */
START_TEST(large_work_groups_are_clamped)
{
    fsc_device *device = fsc__test_device_open(NULL);
    fsc__step step = make_step();
    step.local[0] = COLS;
    step.local[1] = ROWS;
    fsc_error why = {0};
    ck_status_ok(run_once(device, &step, out_values, visit_values, &why), &why);
    check_values(out_values, visit_values);
    fsc__free(step.text);
    fsc__device_close(device);
}
END_TEST

START_TEST(misnamed_and_missing_arguments_are_refused)
{
    fsc_device *device = fsc__test_device_open(NULL);
    fsc__step step = make_step();
    fsc_error why = {0};
    fsc__program *program = NULL;
    step.arg_count = 4;
    ck_assert_int_eq(fsc__program_create(device, &step, &program, NULL, NULL, &why),
                     FSC_ERR_INTERNAL);
    ck_assert_ptr_nonnull(strstr(why.text, "5 parameters and its step 4 arguments"));
    step.arg_count = 5;
    fsc__arg swapped[5];
    memcpy(swapped, arguments, sizeof swapped);
    snprintf(swapped[3].name, sizeof swapped[3].name, "m");
    step.args = swapped;
    ck_assert_int_eq(fsc__program_create(device, &step, &program, NULL, NULL, &why),
                     FSC_ERR_INTERNAL);
    ck_assert_ptr_nonnull(strstr(why.text, "parameter 3 of kernel tally is n; the step passes m"));
    ck_assert_ptr_null(program);
    fsc__free(step.text);
    fsc__device_close(device);
    ck_assert_int_eq(fsc__cl_live(), 0);
}
END_TEST

START_TEST(build_errors_name_our_file_and_line)
{
    fsc_device *device = fsc__test_device_open(NULL);
    fsc__step step = make_step();
    strcpy(strstr(step.text, "visits[i] += 1;"), "visits[i] +; }");
    fsc_error why = {0};
    fsc__text log = {0};
    fsc__program *program = NULL;
    ck_assert_int_eq(fsc__program_create(device, &step, &program, NULL, &log, &why), FSC_ERR_BUILD);
    ck_assert_msg(strstr(why.text, "tally does not build on") && strstr(why.text, "tally.cl:12"),
                  "%s", why.text);
    ck_assert_ptr_null(strchr(why.text, '\n'));
    ck_assert_ptr_nonnull(strstr(log.data, "error"));
    ck_assert_ptr_null(program);
    fsc__text_deinit(&log);
    fsc__free(step.text);
    fsc__device_close(device);
    ck_assert_int_eq(fsc__cl_live(), 0);
}
END_TEST

START_TEST(too_large_a_buffer_is_unsupported)
{
    fsc_device *device = fsc__test_device_open(NULL);
    const size_t limit = (size_t)fsc__device_caps(device)->buffer_bytes;
    char number[32];
    fsc__buffer *buffer = NULL;
    fsc_error why = {0};
    ck_assert_int_eq(fsc__buffer_create(device, limit + 1, &buffer, &why), FSC_UNSUPPORTED);
    ck_assert_ptr_null(buffer);
    snprintf(number, sizeof number, "%zu", limit);
    ck_assert_ptr_nonnull(strstr(why.text, number));
    snprintf(number, sizeof number, "%zu", limit + 1);
    ck_assert_ptr_nonnull(strstr(why.text, number));
    fsc__device_close(device);
}
END_TEST

START_TEST(poison_fills_odd_sizes)
{
    fsc_device *device = fsc__test_device_open(NULL);
    fsc__buffer *buffer = NULL;
    fsc_error why = {0};
    unsigned char bytes[7];
    ck_status_ok(fsc__buffer_create(device, sizeof bytes, &buffer, &why), &why);
    ck_assert_uint_eq(fsc__buffer_bytes(buffer), sizeof bytes);
    ck_status_ok(fsc__buffer_poison(buffer, 0x7fa57fa5u, &why), &why);
    ck_status_ok(fsc__buffer_read(buffer, bytes, sizeof bytes, &why), &why);
    ck_assert_mem_eq(bytes, "\xa5\x7f\xa5\x7f\xa5\x7f\xa5", 7);
    fsc__buffer_free(buffer);
    fsc__device_close(device);
}
END_TEST

START_TEST(every_failing_call_of_a_run_is_clean)
{
    fsc_device *device = fsc__test_device_open(NULL);
    fsc__step step = make_step();
    fsc_error why = {0};
    const long live = fsc__cl_live(), before = fsc__cl_calls();
    ck_status_ok(run_once(device, &step, out_values, visit_values, &why), &why);
    const long calls = fsc__cl_calls() - before;
    int reported = 0;
    for (long n = 0; n < calls; ++n) {
        fsc__cl_fail_after(n);
        const fsc_status status = run_once(device, &step, out_values, visit_values, &why);
        fsc__cl_fail_after(-1);
        reported += status != FSC_OK;
        if (status == FSC_ERR_DEVICE)
            ck_assert_msg(strstr(why.text, "made to fail by a test") != NULL, "%s", why.text);
        ck_assert_msg(fsc__cl_live() == live, "call %ld leaves %ld objects", n,
                      fsc__cl_live() - live);
        ck_status_ok(run_once(device, &step, out_values, visit_values, &why), &why);
        check_values(out_values, visit_values);
    }
    ck_assert_int_gt(reported, 15);
    fsc__free(step.text);
    fsc__device_close(device);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("launch");
    TCase *tests = tcase_create("launch");
    tcase_add_test(tests, launch_computes_every_element_once);
    tcase_add_test(tests, slices_cover_the_index_space_once);
    tcase_add_test(tests, large_work_groups_are_clamped);
    tcase_add_test(tests, misnamed_and_missing_arguments_are_refused);
    tcase_add_test(tests, build_errors_name_our_file_and_line);
    tcase_add_test(tests, too_large_a_buffer_is_unsupported);
    tcase_add_test(tests, poison_fills_odd_sizes);
    tcase_add_test(tests, every_failing_call_of_a_run_is_clean);
    suite_add_tcase(suite, tests);
    return suite;
}
