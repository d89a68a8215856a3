/* A register tile of MR rows x NV vectors, and sums of products over k in a fixed order.

   a is a panel of packed rows [K][MR], b a panel of packed columns [K][NR], NR = NV * W. */
#ifndef FSC_TILE_H
#define FSC_TILE_H

#include "vocabulary.h"

void tile_zero(real tile[MR][NV])
{
#pragma unroll
    for (int m = 0; m < MR; m++)
#pragma unroll
        for (int v = 0; v < NV; v++)
            tile[m][v] = CONST(0.0f);
}

void tile_copy(real tile[MR][NV], real from[MR][NV])
{
#pragma unroll
    for (int m = 0; m < MR; m++)
#pragma unroll
        for (int v = 0; v < NV; v++)
            tile[m][v] = from[m][v];
}

void tile_add(real tile[MR][NV], real other[MR][NV])
{
#pragma unroll
    for (int m = 0; m < MR; m++)
#pragma unroll
        for (int v = 0; v < NV; v++)
            tile[m][v] = other[m][v] + tile[m][v];
}

/* One k: an outer product. */
void tile_step(real tile[MR][NV], global const float *a, global const float *b)
{
    real row[NV];
#pragma unroll
    for (int v = 0; v < NV; v++)
        row[v] = VLOAD(b + v * W);
#pragma unroll
    for (int m = 0; m < MR; m++)
#pragma unroll
        for (int v = 0; v < NV; v++)
            tile[m][v] = ADD_PRODUCT(CONST(a[m]), row[v], tile[m][v]);
}

/* Continues each sum of the tile with count products: k, k + step, ... */
void tile_run(real tile[MR][NV], global const float *a, global const float *b, int k, int step,
              int count)
{
    a += k * MR;
    b += k * NR;
    for (int j = 0; j < count; j++) {
        tile_step(tile, a, b);
        a += step * MR;
        b += step * NR;
    }
}

/* The same for a tile of one vector, without inner loops and eight products at a time: for drivers
   that end the loops of a work-item after some number of iterations, unrolled ones included. */
void tile_run_narrow(real tile[MR][NV], global const float *a, global const float *b, int k,
                     int step, int count)
{
    real sum = tile[0][0];
    const int s = step * NR;
    int left = count;
    a += k;
    b += k * NR;
    for (; left >= 8; left -= 8) {
        sum = ADD_PRODUCT(CONST(a[0]), VLOAD(b), sum);
        sum = ADD_PRODUCT(CONST(a[step]), VLOAD(b + s), sum);
        sum = ADD_PRODUCT(CONST(a[2 * step]), VLOAD(b + 2 * s), sum);
        sum = ADD_PRODUCT(CONST(a[3 * step]), VLOAD(b + 3 * s), sum);
        sum = ADD_PRODUCT(CONST(a[4 * step]), VLOAD(b + 4 * s), sum);
        sum = ADD_PRODUCT(CONST(a[5 * step]), VLOAD(b + 5 * s), sum);
        sum = ADD_PRODUCT(CONST(a[6 * step]), VLOAD(b + 6 * s), sum);
        sum = ADD_PRODUCT(CONST(a[7 * step]), VLOAD(b + 7 * s), sum);
        a += 8 * step;
        b += 8 * s;
    }
    for (; left > 0; left--) {
        sum = ADD_PRODUCT(CONST(a[0]), VLOAD(b), sum);
        a += step;
        b += s;
    }
    tile[0][0] = sum;
}

void sum_sequential(real tile[MR][NV], global const float *a, global const float *b, int K)
{
    tile_zero(tile);
    TILE_RUN(tile, a, b, 0, 1, K);
}

/* Runs of CHUNK products, added in order. */
void sum_chunk(real tile[MR][NV], global const float *a, global const float *b, int K)
{
    tile_zero(tile);
    for (int k = 0; k < K; k += CHUNK) {
        real run[MR][NV];
        tile_zero(run);
        TILE_RUN(run, a, b, k, 1, K - k < CHUNK ? K - k : CHUNK);
        tile_add(tile, run);
    }
}

/* LANES sums of every LANES-th product, then lane[i] += lane[i + s] for s = LANES/2 .. 1. The lanes
   are visited depth first, so that one tile per level waits for its partner: the leaf of number t
   is the lane whose bits are those of t reversed. */
void sum_lanes(real tile[MR][NV], global const float *a, global const float *b, int K)
{
    real waiting[LEVELS][MR][NV];
    for (int t = 0; t < LANES; t++) {
        int lane = 0;
        for (int level = 0; level < LEVELS; level++)
            lane = lane << 1 | (t >> level & 1);
        tile_zero(tile);
        if (lane < K)
            TILE_RUN(tile, a, b, lane, LANES, (K - lane - 1) / LANES + 1);
        int level = 0;
        for (; (t >> level & 1) != 0; level++)
            tile_add(tile, waiting[level]);
        if (level < LEVELS)
            tile_copy(waiting[level], tile);
    }
}

#endif
