/* Broadcast operands as kernels read them: the view, and each element that the formula finds. */
#include "fusion/access.h"
#include "graph/shape.h"
#include "harness.h"

const int fsc__test_forks = 1;

static fsc__shape shape_of(const char *text)
{
    fsc__shape_parts parts;
    fsc_error why;
    ck_status_ok(fsc__shape_parse(text, &parts, &why), &why);
    return parts.part[0];
}

/* Row-major index of the operand's element under element `index` of out, axis by axis. */
static int64_t broadcast_index(const fsc__shape *operand, const fsc__shape *out, int64_t index)
{
    int64_t found = 0, step = 1;
    for (int back = 1; back <= out->rank; back++) {
        const int64_t coordinate = index % out->dims[out->rank - back];
        index /= out->dims[out->rank - back];
        if (back > operand->rank)
            continue;
        const int64_t size = operand->dims[operand->rank - back];
        if (size > 1)
            found += coordinate * step;
        step *= size;
    }
    return found;
}

/* Whether the formula finds the operand's element under every element of out. */
static bool is_right(const fsc__shape *operand, const fsc__shape *out, int64_t cols,
                     const fsc__access *access)
{
    for (int64_t i = 0; i < fsc__shape_elems(out); i++) {
        const int64_t r = i / cols, c = access->along_cols ? i % cols : 0;
        const int64_t found = ((r / access->div) % access->mod) * access->stride + c;
        if (found != broadcast_index(operand, out, i))
            return false;
    }
    return true;
}

static const struct {
    const char *operand, *out;
    int64_t cols; /* of the view; 0: not to be reached there */
    fsc__access want;
} rows[] = {
    {"4x8", "4x8", 32, {true, 1, 1, 32}},
    {"8", "4x8", 8, {true, 1, 1, 8}},
    {"4x1", "4x8", 8, {false, 1, 4, 1}},
    {"1", "4x8", 32, {false, 1, 1, 1}},
    {"1x1", "4x8", 32, {false, 1, 1, 1}},
    {"3x1x1", "2x3x5x7", 35, {false, 1, 3, 1}},
    {"3x1", "2x3x5", 5, {false, 1, 3, 1}},
    {"2x1x1x1", "2x3x5x7", 105, {false, 1, 2, 1}},
    {"2x3x5x1", "2x3x5x7", 7, {false, 1, 30, 1}},
    {"2x1x5x7", "2x3x5x7", 35, {true, 3, 2, 35}},
    {"3x1x7", "2x3x5x7", 7, {true, 5, 3, 7}},
    {"5x7", "2x3x5x7", 35, {true, 1, 1, 35}},
    {"1x7x1", "4x7x1", 7, {true, 1, 1, 7}},
    {"4x1x1", "4x1x1", 4, {true, 1, 1, 4}},
    {"4x1x1", "4x6x1", 6, {false, 1, 4, 1}},
    {"1x1x1", "1x1x1", 1, {false, 1, 1, 1}},
    {"2x1x5x1", "2x3x5x7", 0, {0}},
    {"2x1x4x1x6", "2x3x4x5x6", 0, {0}},
};

START_TEST(alone_in_its_view)
{
    const fsc__shape operand = shape_of(rows[_i].operand), out = shape_of(rows[_i].out);
    const fsc__shape *const operands[] = {&operand};
    const int64_t cols = fsc__access_view(&out, operands, 1);
    fsc__access access;
    const bool found = fsc__access_of(&operand, &out, cols, &access);
    ck_assert_int_eq(found, rows[_i].cols != 0);
    if (!found)
        return;
    ck_assert_int_eq(cols, rows[_i].cols);
    ck_assert_int_eq(access.along_cols, rows[_i].want.along_cols);
    ck_assert_int_eq(access.div, rows[_i].want.div);
    ck_assert_int_eq(access.mod, rows[_i].want.mod);
    ck_assert_int_eq(access.stride, rows[_i].want.stride);
    ck_assert(is_right(&operand, &out, cols, &access));
}
END_TEST

/* Whether any numbers in the formula do. */
static bool exists(const fsc__shape *operand, const fsc__shape *out, int64_t cols)
{
    const int64_t count = fsc__shape_elems(out) / cols;
    for (int along = 0; along < 2; along++)
        for (int64_t div = 1; div <= count; div++)
            for (int64_t mod = 1; mod <= count; mod++)
                if (is_right(operand, out, cols, &(fsc__access){along, div, mod, along ? cols : 1}))
                    return true;
    return false;
}

/* Every pattern of repeated axes over 2x3x1x4x5, for every width of the columns: found exactly when
   the formula can, and the view of a map is one where it can if any is. */
START_TEST(every_broadcast)
{
    const fsc__shape out = shape_of("2x3x1x4x5");
    for (int repeated = 0; repeated < 32; repeated++) {
        fsc__shape operand = out;
        for (int axis = 0; axis < 5; axis++)
            if (repeated >> axis & 1)
                operand.dims[axis] = 1;
        static const int64_t widths[] = {1, 5, 20, 60, 120};
        bool somewhere = false;
        fsc__access access;
        for (int i = 0; i < 5; i++) {
            const bool found = fsc__access_of(&operand, &out, widths[i], &access);
            ck_assert_int_eq(found, exists(&operand, &out, widths[i]));
            if (found)
                ck_assert(is_right(&operand, &out, widths[i], &access));
            somewhere |= found;
        }
        const fsc__shape *const operands[] = {&operand};
        const int64_t cols = fsc__access_view(&out, operands, 1);
        ck_assert_int_eq(fsc__access_of(&operand, &out, cols, &access), somewhere);
    }
}
END_TEST

START_TEST(views_of_several)
{
    const fsc__shape out = shape_of("2x3x5x7"), channel = shape_of("3x1x1"), col = shape_of("7");
    const fsc__shape row = shape_of("2x3x5x1"), full = out;
    const fsc__shape *const with_channel[] = {&full, &channel};
    ck_assert_int_eq(fsc__access_view(&out, with_channel, 2), 35);
    const fsc__shape *const with_both[] = {&full, &channel, &col};
    ck_assert_int_eq(fsc__access_view(&out, with_both, 3), 7);
    const fsc__shape *const with_row[] = {&full, &row};
    ck_assert_int_eq(fsc__access_view(&out, with_row, 2), 7);
    ck_assert_int_eq(fsc__access_view(&out, NULL, 0), 210);
    const fsc__shape scalar = {.rank = 0};
    const fsc__shape *const only_scalar[] = {&scalar};
    ck_assert_int_eq(fsc__access_view(&scalar, only_scalar, 1), 1);
    fsc__access access;
    ck_assert(fsc__access_of(&scalar, &out, 35, &access));
    ck_assert(!access.along_cols);
    ck_assert_int_eq(access.mod, 1);
}
END_TEST

START_TEST(what_does_not_fit)
{
    const fsc__shape out = shape_of("4x8");
    static const char *const operands[] = {"4", "8x4", "2x8", "1x4x8", "4x4"};
    for (int i = 0; i < 5; i++) {
        const fsc__shape operand = shape_of(operands[i]);
        fsc__access access = {.div = -1};
        ck_assert(!fsc__access_of(&operand, &out, 8, &access));
        ck_assert_int_eq(access.div, -1);
    }
    const fsc__shape full = out;
    fsc__access access;
    ck_assert(!fsc__access_of(&full, &out, 4, &access)); /* no product of trailing axes */
    ck_assert(!fsc__access_of(&full, &out, 64, &access));
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("access");
    TCase *tcase = tcase_create("access");
    tcase_add_loop_test(tcase, alone_in_its_view, 0, (int)(sizeof rows / sizeof rows[0]));
    tcase_add_test(tcase, every_broadcast);
    tcase_add_test(tcase, views_of_several);
    tcase_add_test(tcase, what_does_not_fit);
    suite_add_tcase(suite, tcase);
    return suite;
}
