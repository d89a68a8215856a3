/* Sums in LANES lanes, a multiple of W. Arrays of lanes are W longer: the last steps of the tree
   read that far, into lanes of no use. */
#ifndef FSC_LANES_H
#define FSC_LANES_H

#include "vocabulary.h"

void lanes_clear(float lanes[LANES + W])
{
    for (int i = 0; i < LANES + W; i++)
        lanes[i] = 0.0f;
}

/* lane[i] += lane[i + s] for s = LANES/2 .. 1: the sum, in every lane. */
real lanes_total(float lanes[LANES + W])
{
    for (int s = LANES / 2; s > 0; s /= 2)
        for (int i = 0; i < s; i += W)
            VSTORE(VLOAD(lanes + i) + VLOAD(lanes + i + s), lanes + i);
    return CONST(lanes[0]);
}

/* Number, mean and sum of squared deviations of the values of each lane. Handed on by pointer:
   rusticl changes the caller's copy of a struct passed by value, and Oclgrind cannot run what clang
   makes of one returned. */
typedef struct welford {
    float number[LANES + W], mean[LANES + W], squares[LANES + W];
} welford;

void welford_clear(welford *a)
{
    lanes_clear(a->number);
    lanes_clear(a->mean);
    lanes_clear(a->squares);
}

/* Adds x to W lanes from i on, where chosen. */
void welford_add(welford *a, int i, real x, bits chosen)
{
    const real number = VLOAD(a->number + i);
    const real mean = VLOAD(a->mean + i);
    const real squares = VLOAD(a->squares + i);
    const real delta = x - mean;
    const real more = number + CONST(1.0f);
    const real nearer = mean + DIV(delta, more);
    VSTORE(SELECT(chosen, more, number), a->number + i);
    VSTORE(SELECT(chosen, nearer, mean), a->mean + i);
    VSTORE(SELECT(chosen, ADD_PRODUCT(delta, x - nearer, squares), squares), a->squares + i);
}

/* Takes W lanes of b, from j on, into those of a from i on; lanes without values change nothing. */
void welford_merge(welford *a, int i, const welford *b, int j)
{
    const real number_a = VLOAD(a->number + i), number_b = VLOAD(b->number + j);
    const real mean_a = VLOAD(a->mean + i), mean_b = VLOAD(b->mean + j);
    const real squares_a = VLOAD(a->squares + i), squares_b = VLOAD(b->squares + j);
    const real number = number_a + number_b;
    const real delta = mean_b - mean_a;
    const real mean = mean_a + MUL(delta, DIV(number_b, number));
    const real between = MUL(MUL(delta, delta), DIV(MUL(number_a, number_b), number));
    const real squares = (squares_a + squares_b) + between;
    const bits no_a = number_a == CONST(0.0f), no_b = number_b == CONST(0.0f);
    VSTORE(number, a->number + i);
    VSTORE(SELECT(no_b, mean_a, SELECT(no_a, mean_b, mean)), a->mean + i);
    VSTORE(SELECT(no_b, squares_a, SELECT(no_a, squares_b, squares)), a->squares + i);
}

/* All lanes as one, in lane 0. */
void welford_total(welford *a)
{
    for (int s = LANES / 2; s > 0; s /= 2)
        for (int i = 0; i < s; i += W)
            welford_merge(a, i, a, i + s);
}

#endif
