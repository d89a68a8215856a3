/* out[rows, cols] = epilogue((d * rstd) * gamma + beta), d the deviation of x = prologue() from its
   row's mean. A work-item makes a row; x is loaded again in each pass. */
#include "vocabulary.h"
#include "rounded.h"
#include "portable.h"
#include "storage.h"
#include "lanes.h"

/* Adds d (power 1) or d * d of columns [begin, end) to the lanes, d = (x - m) - e. */
void row_add(float lanes[LANES + W], int power, real m, real e, int r, int begin, int end,
             int cols PARAMS)
{
    for (int c = begin; c < end; c += W) {
        const int n = end - c;
        const real old = VLOAD(lanes + (c & (LANES - 1)));
        const real d = (prologue(r, c, r * cols + c, n ARGS) - m) - e;
        const real sum = power == 1 ? old + d : ADD_PRODUCT(d, d, old);
        VSTORE(SELECT(LANE < (bits)(n), sum, old), lanes + (c & (LANES - 1)));
    }
}

real row_sum_lanes(int power, real m, real e, int r, int cols PARAMS)
{
    float lanes[LANES + W];
    lanes_clear(lanes);
    row_add(lanes, power, m, e, r, 0, cols, cols ARGS);
    return lanes_total(lanes);
}

/* Runs of CHUNK columns, added in order. */
real row_sum_chunk(int power, real m, real e, int r, int cols PARAMS)
{
    real total = CONST(0.0f);
    for (int c = 0; c < cols; c += CHUNK) {
        float run[LANES + W];
        lanes_clear(run);
        row_add(run, power, m, e, r, c, cols - c < CHUNK ? cols : c + CHUNK, cols ARGS);
        total = total + run[0];
    }
    return total;
}

void row_welford(welford *lanes, int r, int begin, int end, int cols PARAMS)
{
    for (int c = begin; c < end; c += W) {
        const int n = end - c;
        const real x = prologue(r, c, r * cols + c, n ARGS);
        welford_add(lanes, c & (LANES - 1), x, LANE < (bits)(n));
    }
}

void row_welford_lanes(welford *all, int r, int cols PARAMS)
{
    welford_clear(all);
    row_welford(all, r, 0, cols, cols ARGS);
    welford_total(all);
}

void row_welford_chunk(welford *all, int r, int cols PARAMS)
{
    welford_clear(all);
    for (int c = 0; c < cols; c += CHUNK) {
        welford run;
        welford_clear(&run);
        row_welford(&run, r, c, cols - c < CHUNK ? cols : c + CHUNK, cols ARGS);
        welford_merge(all, 0, &run, 0);
    }
}

/* Mean m, its error e (a second, small mean), variance; number is cols. */
void moments_corrected(real *m, real *e, real *variance, real number, int r, int cols PARAMS)
{
    const real zero = CONST(0.0f);
    *m = DIV(ROW_SUM(1, zero, zero, r, cols ARGS), number);
    *e = DIV(ROW_SUM(1, *m, zero, r, cols ARGS), number);
    *variance = DIV(ROW_SUM(2, *m, *e, r, cols ARGS), number);
}

void moments_two_pass(real *m, real *e, real *variance, real number, int r, int cols PARAMS)
{
    const real zero = CONST(0.0f);
    *m = DIV(ROW_SUM(1, zero, zero, r, cols ARGS), number);
    *e = zero;
    *variance = DIV(ROW_SUM(2, *m, zero, r, cols ARGS), number);
}

void moments_one_pass(real *m, real *e, real *variance, real number, int r, int cols PARAMS)
{
    const real zero = CONST(0.0f);
    *m = DIV(ROW_SUM(1, zero, zero, r, cols ARGS), number);
    *e = zero;
    *variance = DIV(ROW_SUM(2, zero, zero, r, cols ARGS), number) - MUL(*m, *m);
}

void moments_welford(real *m, real *e, real *variance, real number, int r, int cols PARAMS)
{
    welford all;
    ROW_WELFORD(&all, r, cols ARGS);
    *m = CONST(all.mean[0]);
    *e = CONST(0.0f);
    *variance = DIV(CONST(all.squares[0]), number);
}

/* rmsnorm: the mean square, about zero. */
void moments_about_zero(real *m, real *e, real *variance, real number, int r, int cols PARAMS)
{
    const real zero = CONST(0.0f);
    *m = zero;
    *e = zero;
    *variance = DIV(ROW_SUM(2, zero, zero, r, cols ARGS), number);
}

kernel void norm(global STORED *out, int rows, int cols, float eps PARAMS)
{
    const int r = (int)get_global_id(0);
    if (r >= rows)
        return;
    real m, e, variance;
    MOMENTS(&m, &e, &variance, CONST((float)cols), r, cols ARGS);
    const real rstd = DIV(CONST(1.0f), SQRT(variance + CONST(eps)));
    for (int c = 0; c < cols; c += W) {
        const int i = r * cols + c;
        const int n = cols - c;
        const real d = (prologue(r, c, i, n ARGS) - m) - e;
        const real y = affine(MUL(d, rstd), r, c, i, n ARGS);
        STORE(out, i, n, epilogue(y, r, c, i, n ARGS));
    }
}
