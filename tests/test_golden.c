/* Golden values, from MPFR by scripts/golden.py: prediction and truth of every op of the table. An
   op without tests/data/golden/NAME.txt fails. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numeric/ulp.h"
#include "reference/predict.h"
#include "reference/truth.h"

const int fsc__test_forks = 1;

enum { LINE_BYTES = 512, FEWEST_ROWS = 20 };

typedef struct row {
    float operand[FSC__OP_MAX_INPUTS];
    float rounded; /* the true value as a float */
    double value;
} row;

static bool parse_row(const char *line, int operands, row *r)
{
    char *end = NULL;
    for (int i = 0; i < operands; i++, line = end) {
        r->operand[i] = strtof(line, &end);
        if (end == line)
            return false;
    }
    r->rounded = strtof(line, &end);
    if (end == line)
        return false;
    line = end;
    r->value = strtod(line, &end);
    return end != line && strspn(end, " \n") == strlen(end);
}

/* A zero, an infinity and NaN are exact, the sign of a zero included. */
static bool special(double value)
{
    return value == 0.0 || !isfinite(value);
}

static bool same_special(double got, double want)
{
    return isnan(want) ? isnan(got) : got == want && !signbit(got) == !signbit(want);
}

static void check_prediction(const fsc__op *op, fsc__fma fma, const float *attr, const row *r)
{
    float got;
    const float *in[FSC__OP_MAX_INPUTS];
    for (int i = 0; i < FSC__OP_MAX_INPUTS; i++)
        in[i] = &r->operand[i];
    fsc__predict_op(op, fma, in, attr, &got, 1);
    if (fma == FSC__FMA_FLUSHES && got == 0.0f && fabs(r->value) < 0x1p-126)
        return;
    const bool exact = op->ulp <= 0.5 || special(r->value);
    const bool right = exact ? same_special((double)got, (double)r->rounded)
                             : fsc__ulp_error(FSC_F32, (double)got, r->value) <= op->ulp;
    ck_assert_msg(right, "%s(%a, %a) is %a in the prediction, %a (%.17g) in the golden values",
                  op->name, (double)r->operand[0], (double)r->operand[1], (double)got,
                  (double)r->rounded, r->value);
}

static void check_truth(const fsc__op *op, const float *attr, const row *r)
{
    double in[FSC__OP_MAX_INPUTS];
    for (int i = 0; i < FSC__OP_MAX_INPUTS; i++)
        in[i] = (double)r->operand[i];
    const double got = fsc__truth_op(op, in, attr);
    const bool right = special(r->value)
                           ? same_special(got, r->value)
                           : fabs(got - r->value) <= 1e-12 * fabs(r->value) + 0x1p-1060;
    ck_assert_msg(right, "%s(%a, %a) is %.17g in the truth, %.17g in the golden values", op->name,
                  (double)r->operand[0], (double)r->operand[1], got, r->value);
}

/* "# attributes: 0.2 0.5" */
static const float *parse_attributes(const char *line, float attr[FSC__OP_MAX_ATTRS])
{
    const char *at = strchr(line, ':') + 1;
    char *end = NULL;
    for (int i = 0; i < FSC__OP_MAX_ATTRS; i++, at = end) {
        attr[i] = strtof(at, &end);
        if (end == at)
            break;
    }
    return attr;
}

START_TEST(golden)
{
    const fsc__op *op = fsc__op_at((size_t)_i);
    if (op->kind != FSC__OP_POINTWISE)
        return;
    char path[LINE_BYTES], line[LINE_BYTES];
    snprintf(path, sizeof path, "%s/golden/%s.txt", FSC_TEST_DATA, op->name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file, "op %s has no golden values: %s", op->name, path);
    float values[FSC__OP_MAX_ATTRS] = {0};
    const float *attr = NULL;
    int rows = 0, nans = 0, infinities = 0, zeros = 0;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "# attributes:", 13) == 0)
            attr = parse_attributes(line, values);
        if (line[0] == '#')
            continue;
        row r = {0};
        ck_assert_msg(parse_row(line, op->inputs, &r), "%s: malformed line: %s", path, line);
        check_prediction(op, FSC__FMA_EXACT, attr, &r);
        check_prediction(op, FSC__FMA_FLUSHES, attr, &r);
        check_truth(op, attr, &r);
        rows++;
        nans += isnan(r.operand[0]) != 0;
        infinities += isinf(r.operand[0]) != 0;
        zeros += r.operand[0] == 0.0f;
    }
    fclose(file);
    ck_assert_msg(rows >= FEWEST_ROWS && nans >= 1 && infinities >= 2 && zeros >= 2,
                  "%s: %d values with %d NaN, %d infinities, %d zeros are too few", path, rows,
                  nans, infinities, zeros);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("golden");
    TCase *tcase = tcase_create("golden");
    tcase_add_loop_test(tcase, golden, 0, (int)fsc__op_count());
    suite_add_tcase(suite, tcase);
    return suite;
}
