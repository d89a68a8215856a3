/* Sums in lanes: VECTORS vectors of W lanes, combined as lane[i] += lane[i + s] for s from half the
   number of lanes down to 1. */
#ifndef FSC_LANES_H
#define FSC_LANES_H

#include "vocabulary.h"

/* Lane i of the result is lane i + s of x; the upper lanes are of no use. */
real lanes_shifted(real x, int s)
{
    float twice[2 * W];
    VSTORE(x, twice);
    VSTORE(x, twice + W);
    return VLOAD(twice + s);
}

/* The sum, in every lane. */
real lanes_total(real lanes[VECTORS])
{
    for (int s = VECTORS / 2; s > 0; s /= 2)
        for (int v = 0; v < s; v++)
            lanes[v] = lanes[v] + lanes[v + s];
    real x = lanes[0];
    for (int s = W / 2; s > 0; s /= 2)
        x = x + lanes_shifted(x, s);
    return CONST(FIRST(x));
}

/* Number, mean and sum of squared deviations of some values, per lane. Handed on by pointer:
   rusticl changes the caller's copy of a struct passed by value, and Oclgrind cannot run what clang
   makes of one returned. */
typedef struct welford {
    real number, mean, squares;
} welford;

void welford_clear(welford *a)
{
    a->number = CONST(0.0f);
    a->mean = CONST(0.0f);
    a->squares = CONST(0.0f);
}

/* Adds x in the chosen lanes. */
void welford_add(welford *a, real x, bits chosen)
{
    const real delta = x - a->mean;
    const real number = a->number + CONST(1.0f);
    const real mean = a->mean + DIV(delta, number);
    const real squares = ADD_PRODUCT(delta, x - mean, a->squares);
    a->number = SELECT(chosen, number, a->number);
    a->mean = SELECT(chosen, mean, a->mean);
    a->squares = SELECT(chosen, squares, a->squares);
}

real welford_either(const welford *a, const welford *b, real of_a, real of_b, real of_both)
{
    const real of_some = SELECT(a->number == CONST(0.0f), of_b, of_both);
    return SELECT(b->number == CONST(0.0f), of_a, of_some);
}

/* Two sets as one, in a; a set of none changes nothing. */
void welford_merge(welford *a, const welford *b)
{
    const real number = a->number + b->number;
    const real delta = b->mean - a->mean;
    const real mean = a->mean + MUL(delta, DIV(b->number, number));
    const real between = MUL(MUL(delta, delta), DIV(MUL(a->number, b->number), number));
    const real squares = (a->squares + b->squares) + between;
    a->mean = welford_either(a, b, a->mean, b->mean, mean);
    a->squares = welford_either(a, b, a->squares, b->squares, squares);
    a->number = number;
}

/* All lanes as one, in every lane of lanes[0]. */
void welford_total(welford lanes[VECTORS])
{
    for (int s = VECTORS / 2; s > 0; s /= 2)
        for (int v = 0; v < s; v++)
            welford_merge(&lanes[v], &lanes[v + s]);
    welford *all = &lanes[0];
    for (int s = W / 2; s > 0; s /= 2) {
        welford upper;
        upper.number = lanes_shifted(all->number, s);
        upper.mean = lanes_shifted(all->mean, s);
        upper.squares = lanes_shifted(all->squares, s);
        welford_merge(all, &upper);
    }
    all->mean = CONST(FIRST(all->mean));
    all->squares = CONST(FIRST(all->squares));
}

#endif
