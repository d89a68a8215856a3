/* Sums in lanes: VECTORS vectors of W lanes, VECTORS * W of them, combined as lane[i] += lane[i + s]
   for s = half of them .. 1. */
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

/* Number, mean and sum of squared deviations of some values, per lane. Functions take it const: in
   rusticl, changing a struct that was passed by value changes the caller's. */
typedef struct welford {
    real number, mean, squares;
} welford;

welford welford_none(void)
{
    const welford none = {CONST(0.0f), CONST(0.0f), CONST(0.0f)};
    return none;
}

welford welford_select(bits chosen, const welford a, const welford b)
{
    const welford either = {SELECT(chosen, a.number, b.number), SELECT(chosen, a.mean, b.mean),
                            SELECT(chosen, a.squares, b.squares)};
    return either;
}

welford welford_add(const welford a, real x)
{
    const real delta = x - a.mean;
    const real number = a.number + CONST(1.0f);
    const real mean = a.mean + DIV(delta, number);
    const welford more = {number, mean, ADD_PRODUCT(delta, x - mean, a.squares)};
    return more;
}

/* Two sets as one; a set of none changes nothing. */
welford welford_merge(const welford a, const welford b)
{
    const real number = a.number + b.number;
    const real delta = b.mean - a.mean;
    const real mean = a.mean + MUL(delta, DIV(b.number, number));
    const real between = MUL(MUL(delta, delta), DIV(MUL(a.number, b.number), number));
    const welford both = {number, mean, (a.squares + b.squares) + between};
    return welford_select(b.number == CONST(0.0f), a,
                          welford_select(a.number == CONST(0.0f), b, both));
}

/* All lanes as one, in every lane. */
welford welford_total(welford lanes[VECTORS])
{
    for (int s = VECTORS / 2; s > 0; s /= 2)
        for (int v = 0; v < s; v++)
            lanes[v] = welford_merge(lanes[v], lanes[v + s]);
    welford all = lanes[0];
    for (int s = W / 2; s > 0; s /= 2) {
        const welford upper = {lanes_shifted(all.number, s), lanes_shifted(all.mean, s),
                               lanes_shifted(all.squares, s)};
        all = welford_merge(all, upper);
    }
    const welford total = {CONST(FIRST(all.number)), CONST(FIRST(all.mean)),
                           CONST(FIRST(all.squares))};
    return total;
}

#endif
