/* A register tile of MR rows x NV vectors, and sums of products over k in a fixed order.

   a is a panel of packed rows [K][MR], b a panel of packed columns [K][NR], NR = NV * W. No loop
   passes 32,768 iterations: one driver stops at 65,535 in silence. */
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
    for (int left = count; left > 0; left -= 32768) {
        const int stretch = left < 32768 ? left : 32768;
        for (int j = 0; j < stretch; j++) {
            tile_step(tile, a, b);
            a += step * MR;
            b += step * NR;
        }
    }
}

void sum_sequential(real tile[MR][NV], global const float *a, global const float *b, int K)
{
    tile_zero(tile);
    tile_run(tile, a, b, 0, 1, K);
}

/* Runs of CHUNK products, added in order. FAR is CHUNK times 32,768 or less. */
void sum_chunk(real tile[MR][NV], global const float *a, global const float *b, int K)
{
    tile_zero(tile);
    for (int far = 0; far < K; far += FAR) {
        const int end = K - far < FAR ? K : far + FAR;
        for (int k = far; k < end; k += CHUNK) {
            real run[MR][NV];
            tile_zero(run);
            tile_run(run, a, b, k, 1, end - k < CHUNK ? end - k : CHUNK);
            tile_add(tile, run);
        }
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
            tile_run(tile, a, b, lane, LANES, (K - lane - 1) / LANES + 1);
        int level = 0;
        for (; (t >> level & 1) != 0; level++)
            tile_add(tile, waiting[level]);
        if (level < LEVELS)
            tile_copy(waiting[level], tile);
    }
}

#endif
