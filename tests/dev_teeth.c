/* Proves that the comparison with the prediction bites: kernels that are wrong in one place, in
   every pattern, are caught at exactly that place. Built with its own copy of src/kernel in which
   faults can be switched on (FSC_FAULTS). */
#include <stdio.h>

#include "harness.h"
#include "kernel/fault.h"
#include "pipeline.h"
#include "verdict/compare.h"

const int fsc__test_forks = 0;

/* All end in a*b+c and gelu, so that each fault has something to break. */
static const struct {
    const char *name, *chain, *shape;
    int64_t rows, cols;
} patterns[] = {
    /* A map has no rows in its index space; 48 columns are whole vectors. */
    {"map", "mul+add+gelu", "5x48", 5, 48},
    {"matmul", "matmul+mul+add+gelu", "5x1:1x37", 5, 37},
    {"norm", "layernorm+mul+add+gelu", "5x37", 5, 37},
};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

static pipeline p;
static int64_t differing[8];
static int64_t different;

static void run(int pattern, fsc__fault_kind fault, const fsc__tile *tile)
{
    fsc_device *device = pipeline_device();
    fsc__fault = fault;
    pipeline_run(&p, device, tile);
    fsc__fault = FSC__FAULT_NONE;
    pipeline_predict(&p, fsc__device_caps(device)->fma);
    const uint32_t *got = p.out.data, *want = p.predicted.data;
    different = 0;
    for (int64_t i = 0; i < patterns[pattern].rows * patterns[pattern].cols; i++)
        if (got[i] != want[i]) {
            if (different < 8)
                differing[different] = i;
            different++;
        }
    fsc_error why;
    fsc_metrics metrics;
    ck_status_ok(fsc__compare(&p.out, &p.predicted, &metrics, &why), &why);
    ck_assert_int_eq(metrics.bits_differ, different);
    ck_assert_int_eq(metrics.first_differ, different ? differing[0] : -1);
}

static const fsc__tile tiles[] = {{1, 3, 2}, {8, 4, 1}, {16, 8, 2}};
enum { TILES = sizeof tiles / sizeof *tiles };

static void open_pattern(int pattern)
{
    pipeline_open(&p, patterns[pattern].chain, patterns[pattern].shape, "f32", false);
    pipeline_fill(&p, "normal", 5);
}

START_TEST(right_kernels_pass)
{
    for (int t = 0; t < TILES; t++) {
        open_pattern(_i);
        run(_i, FSC__FAULT_NONE, &tiles[t]);
        ck_assert_int_eq(different, 0);
        pipeline_close(&p);
    }
}
END_TEST

START_TEST(one_output_is_wrong)
{
    static const fsc__fault_kind faults[] = {FSC__FAULT_FLIP_BIT, FSC__FAULT_UNWRITTEN};
    for (int t = 0; t < TILES; t++)
        for (int f = 0; f < 2; f++) {
            open_pattern(_i);
            run(_i, faults[f], &tiles[t]);
            ck_assert_int_eq(different, 1);
            ck_assert_int_eq(differing[0], patterns[_i].rows * patterns[_i].cols / 2);
            pipeline_close(&p);
        }
}
END_TEST

START_TEST(last_row_is_missing)
{
    for (int t = 0; t < TILES; t++) {
        open_pattern(_i);
        run(_i, FSC__FAULT_DROP_ROW, &tiles[t]);
        ck_assert_int_eq(different, patterns[_i].cols);
        ck_assert_int_eq(differing[0], (patterns[_i].rows - 1) * patterns[_i].cols);
        pipeline_close(&p);
    }
}
END_TEST

START_TEST(columns_are_swapped)
{
    for (int t = 0; t < TILES; t++) {
        open_pattern(_i);
        run(_i, FSC__FAULT_SWAP_COLUMNS, &tiles[t]);
        ck_assert_int_eq(different, 2 * patterns[_i].rows);
        ck_assert_int_eq(differing[0], 0);
        ck_assert_int_eq(differing[1], 1);
        ck_assert_int_eq(differing[2], patterns[_i].cols);
        pipeline_close(&p);
    }
}
END_TEST

/* Zero everywhere but for a*b+c at one element. */
static int64_t single_element(int pattern, double a, double b, double c)
{
    const int64_t cols = patterns[pattern].cols, at = 3 * cols + 20;
    pipeline_open(&p, patterns[pattern].chain, patterns[pattern].shape, "f32", false);
    pipeline_set_all(&p, "x", 1);
    if (fsc__graph_input(p.graph, "gamma") >= 0) {
        pipeline_set_all(&p, "gamma", 0);
        pipeline_set_all(&p, "beta", a);
    } else if (fsc__graph_input(p.graph, "w") >= 0) {
        pipeline_set_all(&p, "w", a);
    } else {
        pipeline_set_all(&p, "x", a);
    }
    fsc__dtype_store(FSC_F32, p.in[fsc__graph_input(p.graph, "x2")].data, at, b);
    fsc__dtype_store(FSC_F32, p.in[fsc__graph_input(p.graph, "x3")].data, at, c);
    return at;
}

START_TEST(one_product_is_contracted)
{
    const int64_t at = single_element(_i, 1.0000001f, 1.0000001f, -1.0000002f);
    run(_i, FSC__FAULT_CONTRACT, NULL);
    ck_assert_int_eq(different, 1);
    ck_assert_int_eq(differing[0], at);
    pipeline_close(&p);
}
END_TEST

START_TEST(gelu_is_the_other_one)
{
    const int64_t at = single_element(_i, 0, 1, -2);
    run(_i, FSC__FAULT_TANH_GELU, NULL);
    ck_assert_int_eq(different, 1);
    ck_assert_int_eq(differing[0], at);
    pipeline_close(&p);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("faults are caught");
    TCase *tests = tcase_create("teeth");
    tcase_add_loop_test(tests, right_kernels_pass, 0, PATTERNS);
    tcase_add_loop_test(tests, one_output_is_wrong, 0, PATTERNS);
    tcase_add_loop_test(tests, last_row_is_missing, 0, PATTERNS);
    tcase_add_loop_test(tests, columns_are_swapped, 0, PATTERNS);
    tcase_add_loop_test(tests, one_product_is_contracted, 0, PATTERNS);
    tcase_add_loop_test(tests, gelu_is_the_other_one, 0, PATTERNS);
    suite_add_tcase(suite, tests);
    return suite;
}
