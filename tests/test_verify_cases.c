/* The cases of verify: every cell has them, each is one group of its pattern, and those of conv2d
   have between them what a convolution can have. */
#include "harness.h"

#include <string.h>

#include "base/alloc.h"
#include "case/verify.h"
#include "fusion/plan.h"
#include "graph/conv2d.h"

const int fsc__test_forks = 1;

/* Kinds of convolutions met. */
enum {
    BATCH = 1 << 0,
    NHWC = 1 << 1,
    GROUPS = 1 << 2,
    DEPTHWISE = 1 << 3,
    STRIDE = 1 << 4,
    PADS = 1 << 5,
    UNEVEN_PADS = 1 << 6,
    DILATION = 1 << 7,
    POINTWISE = 1 << 8,
    LARGE_WINDOW = 1 << 9,
    LONG_SUM = 1 << 10,
    ALL_KINDS = (1 << 11) - 1
};

static int kinds_of(const fsc__conv2d_dims *d)
{
    int kinds = 0;
    kinds |= d->n > 1 ? BATCH : 0;
    kinds |= d->layout == FSC__LAYOUT_NHWC ? NHWC : 0;
    kinds |= d->groups > 1 && d->c > d->groups ? GROUPS : 0;
    kinds |= d->groups > 1 && d->c == d->groups ? DEPTHWISE : 0;
    kinds |= d->stride_h > 1 ? STRIDE : 0;
    kinds |= d->top > 0 && d->bottom > 0 ? PADS : 0;
    kinds |= d->left != d->right && d->top != d->bottom ? UNEVEN_PADS : 0;
    kinds |= d->dilation_w > 1 && d->kw > 1 ? DILATION : 0;
    kinds |= d->kh == 1 && d->kw == 1 ? POINTWISE : 0;
    kinds |= d->kh >= 5 && d->kw >= 5 ? LARGE_WINDOW : 0;
    kinds |= d->terms > 32768 ? LONG_SUM : 0;
    return kinds;
}

/* The kinds of the case's convolution; 0 without one. */
static int check_case(const fsc__verify_case *made)
{
    fsc_graph *graph = NULL;
    fsc__plan *plan = NULL;
    fsc_mode mode;
    fsc_error why;
    int kinds = 0;
    ck_status_ok(fsc__graph_parse(made->chain, made->shape, &graph, &why), &why);
    ck_status_ok(fsc__mode_parse(made->mode, &mode, &why), &why);
    ck_status_ok(fsc__plan_create(graph, &mode, &(fsc__plan_options){0}, &plan, &why), &why);
    ck_assert_msg(plan->group_count == 1 && plan->groups[0].pattern == made->pattern,
                  "%s on %s is not one group of its pattern", made->chain, made->shape);
    ck_assert_uint_lt(strlen(made->shape), sizeof made->shape - 1);
    if (made->alone)
        ck_assert_ptr_nonnull(strstr(made->shape, "37"));
    if (made->alone && made->pattern == FSC__PATTERN_CONV2D)
        ck_assert_int_eq(strncmp(made->shape, "37x", 3), 0);
    for (int n = 0; n < graph->node_count; n++) {
        if (graph->nodes[n].op->kind == FSC__OP_CONV2D) {
            const fsc__conv2d_dims dims = fsc__graph_conv2d(graph, &graph->nodes[n]);
            kinds |= kinds_of(&dims);
        }
    }
    fsc__plan_free(plan);
    fsc__graph_free(graph);
    return kinds;
}

static int check_cell(const fsc__verify_options *options, const fsc__verify_cell *cell)
{
    fsc__verify_case made;
    int index = 0, kinds = 0;
    for (; fsc__verify_make(options, cell, index, &made); index++) {
        ck_assert_int_eq(made.pattern, cell->pattern);
        kinds |= check_case(&made);
    }
    ck_assert_int_eq(index, options->full ? 30 : 1);
    return kinds;
}

static const fsc__verify_options kinds_of_runs[] = {
    {.full = true}, {.full = true, .seed = 1}, {.small = true}, {.narrow = true}, {.seed = 2}};

START_TEST(every_cell_has_cases)
{
    fsc__verify_cell *cells = NULL;
    fsc_error why;
    int count = 0;
    ck_status_ok(fsc__verify_cells(&cells, &count, &why), &why);
    for (int c = 0; c < count; c++)
        check_cell(&kinds_of_runs[_i], &cells[c]);
    ck_assert_int_gt(count, 0);
    fsc__free(cells);
}
END_TEST

START_TEST(convolutions)
{
    const char *const modes[] = {"f32",
                                 "f32,contract=off",
                                 "f32,order=lanes:64",
                                 "f32,order=chunk:100",
                                 "f16",
                                 "f16,boundary=round",
                                 "bf16",
                                 "bf16,order=chunk:256"};
    const int often = NHWC | STRIDE | PADS | DILATION | GROUPS | DEPTHWISE;
    int kinds = 0;
    for (size_t m = 0; m < sizeof modes / sizeof modes[0]; m++) {
        for (fsc__family family = 0; family < FSC__FAMILY_COUNT; family++) {
            const fsc__verify_cell cell = {
                .pattern = FSC__PATTERN_CONV2D, .mode = modes[m], .family = family};
            kinds |= check_cell(&kinds_of_runs[_i], &cell);
        }
    }
    const int wanted = kinds_of_runs[_i].full ? ALL_KINDS : often;
    ck_assert_int_eq(kinds & wanted, wanted);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("verify_cases");
    TCase *tc = tcase_create("cases");
    tcase_add_loop_test(tc, every_cell_has_cases, 0, 5);
    tcase_add_loop_test(tc, convolutions, 0, 5);
    suite_add_tcase(suite, tc);
    return suite;
}
