/* What the emitter refuses, and that it says why. */
#include "emit_fixture.h"

const int fsc__test_forks = 1;

static void refused(emitted *e, fsc_status status, const char *words)
{
    ck_assert_int_eq(emitted_emit(e), status);
    ck_assert_msg(strstr(e->why.text, words) != NULL, "no \"%s\" in: %s", words, e->why.text);
    ck_assert_ptr_null(e->kernels.steps);
}

START_TEST(tiles)
{
    static const fsc__tile wrong[] = {{3, 8, 2},  {32, 8, 2}, {0, 8, 2}, {8, 0, 2},
                                      {8, 17, 2}, {8, 8, 0},  {8, 8, 5}};
    emitted e;
    emitted_open(&e, "add", "4x9", "f32");
    e.options.tile = wrong[_i];
    refused(&e, FSC_ERR_INPUT, "1 to 16");
    emitted_close(&e);
}
END_TEST

START_TEST(devices_that_cannot_be_predicted)
{
    emitted e;
    emitted_open(&e, "add", "4x9", "f32");
    strcpy(e.caps.refused, "its fma is a mystery");
    refused(&e, FSC_UNSUPPORTED, "its fma is a mystery");
    emitted_close(&e);
}
END_TEST

START_TEST(halves_on_a_device_without)
{
    emitted e;
    emitted_open(&e, "add", "4x9", "f16");
    e.caps.converts_half = false;
    refused(&e, FSC_UNSUPPORTED, "f16");
    emitted_close(&e);
    emitted_open(&e, "add", "4x9", "bf16");
    e.caps.converts_half = false;
    ck_status_ok(emitted_emit(&e), &e.why);
    emitted_close(&e);
}
END_TEST

START_TEST(sizes)
{
    static const struct {
        const char *chain, *shape, *words;
    } rows[] = {
        {"relu", "2147483647", "2147483647 elements"},
        {"matmul", "3x300000000:300000000x1", "A of the matmul"},
        {"matmul", "1x300000000:300000000x1", "B of the matmul"},
        {"layernorm", "1x1500000000", "1500000000"},
    };
    emitted e;
    emitted_open(&e, rows[_i].chain, rows[_i].shape, "f32");
    e.options.tile = (fsc__tile){8, _i == 1 ? 4 : 1, 2};
    refused(&e, FSC_UNSUPPORTED, rows[_i].words);
    emitted_close(&e);
}
END_TEST

/* The packed operand, not the stored one, passes the device's largest buffer. */
START_TEST(buffers)
{
    emitted e;
    emitted_open(&e, "matmul", "1x1000:1000x1", "f32");
    e.caps.buffer_bytes = 1000 * 4 * 16;
    ck_status_ok(emitted_emit(&e), &e.why);
    e.caps.buffer_bytes -= 1;
    refused(&e, FSC_UNSUPPORTED, "16000 elements when packed in panels of 16");
    emitted_close(&e);
}
END_TEST

/* A device that ends a work-item's loops after 65,535 iterations: what is too long is made narrow
   or wide, with the same sums, or refused. */
START_TEST(loops)
{
    static const struct {
        const char *chain, *shape, *mode;
        const char *words; /* in the text, or of the refusal where it ends in a full stop */
    } rows[] = {
        {"matmul", "1x1000:1000x1", "f32", "#define TILE_RUN tile_run\n"},
        {"matmul", "1x5000:5000x1", "f32", "#define TILE_RUN tile_run_narrow\n"},
        {"matmul", "1x100000:100000x1", "f32", "#define MR 1\n#define NV 1\n#define NR 8\n"},
        {"matmul", "1x100000:100000x1", "f32,order=lanes:64", "#define TILE_RUN tile_run_narrow\n"},
        {"layernorm", "1x10000", "f32", "#define W 1\n"},
        {"layernorm", "1x65537", "f32", "#define W 8\n"},
        {"layernorm", "1x65537", "f32,variance=welford", "#define W 4\n"},
        {"rmsnorm", "1x65537", "f32,order=lanes:4", "#define W 4\n"},
        {"matmul", "1x600000:600000x1", "f32", "a matmul's sum of 600000 terms."},
        {"matmul", "1x100000:100000x1", "f32,order=chunk:5", "a matmul's sum of 100000 terms."},
        {"layernorm", "1x65537", "f32,order=sequential", "a norm's sum of 65537 terms."},
    };
    const char *words = rows[_i].words;
    const size_t length = strlen(words);
    emitted e;
    emitted_open(&e, rows[_i].chain, rows[_i].shape, rows[_i].mode);
    e.caps.loop_limit = 65535;
    e.options.tile = (fsc__tile){e.plan->groups[0].pattern == FSC__PATTERN_NORM ? 1 : 8, 3, 2};
    if (words[length - 1] == '.') {
        char refusal[64] = "";
        memcpy(refusal, words, length - 1);
        refused(&e, FSC_UNSUPPORTED, refusal);
    } else {
        ck_status_ok(emitted_emit(&e), &e.why);
        ck_assert_ptr_nonnull(strstr(emitted_last(&e)->text, words));
    }
    e.caps.loop_limit = 0;
    ck_status_ok(emitted_emit(&e), &e.why);
    ck_assert_ptr_null(strstr(emitted_last(&e)->text, "tile_run_narrow"));
    emitted_close(&e);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("emit limits");
    TCase *tcase = tcase_create("emit limits");
    tcase_add_loop_test(tcase, tiles, 0, 7);
    tcase_add_test(tcase, devices_that_cannot_be_predicted);
    tcase_add_test(tcase, halves_on_a_device_without);
    tcase_add_loop_test(tcase, sizes, 0, 4);
    tcase_add_test(tcase, buffers);
    tcase_add_loop_test(tcase, loops, 0, 11);
    suite_add_tcase(suite, tcase);
    return suite;
}
