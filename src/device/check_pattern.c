/* Directed operands. All are made from bits or by exact operations. */
#include "device/check_pattern.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "numeric/dtype.h"

/* splitmix64: the same operands on every machine. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint32_t below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)((next_random(state) >> 32) * limit >> 32);
}

/* Any sign, exponent in [low, high], any mantissa. */
static float random_float(uint64_t *state, int low, int high)
{
    const uint64_t bits = next_random(state);
    const uint32_t exponent = (uint32_t)(low + 127) + below(state, (uint32_t)(high - low + 1));
    return fsc__f32_of_bits((uint32_t)(bits & 0x807fffffu) | exponent << 23);
}

static float random_subnormal(uint64_t *state)
{
    return fsc__f32_of_bits((uint32_t)next_random(state) & 0x807fffffu);
}

static const uint32_t extremes[32] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00400000, 0x80000010,
    0x00800000, 0x80800000, 0x00800001, 0x80ffffff, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff,
    0x40000000, 0xc0400000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
    0x7f800001, 0x4b800000, 0xb3800000, 0x1f800000, 0x9f800000, 0x5f000000, 0x20000000, 0xa0800001,
};

void fsc__pattern_shared(float *x, float *y, float *z, int n)
{
    uint64_t state = 1;
    for (int i = 0; i < n; ++i) {
        if (i < 1024) {
            x[i] = fsc__f32_of_bits(extremes[i % 32]);
            y[i] = fsc__f32_of_bits(extremes[i / 32]);
            z[i] = fsc__f32_of_bits(extremes[below(&state, 32)]);
        } else if (i < 2048) {
            x[i] = fsc__f32_of_bits((uint32_t)next_random(&state));
            y[i] = fsc__f32_of_bits((uint32_t)next_random(&state));
            z[i] = fsc__f32_of_bits((uint32_t)next_random(&state));
        } else {
            x[i] = random_float(&state, -3, 3);
            y[i] = random_float(&state, -3, 3);
            z[i] = random_float(&state, -5, 5);
        }
    }
}

void fsc__pattern_subnormals(float *x, float *y, float *z, int n)
{
    uint64_t state = 2;
    for (int i = 0; i < n; ++i) {
        x[i] = i % 4 == 0 ? random_float(&state, -126, -120) : random_subnormal(&state);
        y[i] = z[i] = 1.0f;
    }
}

void fsc__pattern_sums(float *x, float *y, float *z, int n)
{
    uint64_t state = 3;
    for (int i = 0; i < n; ++i) {
        z[i] = 0.0f;
        if (i % 3 == 0) { /* two near the smallest normal: the result is subnormal */
            x[i] = random_float(&state, -126, -124);
            y[i] = i % 2 ? random_subnormal(&state) : random_float(&state, -126, -124);
            continue;
        }
        x[i] = random_float(&state, -90, 90);
        int exponent;
        frexpf(x[i], &exponent);
        const float half = ldexpf(i % 2 ? 1.0f : -1.0f, exponent - 25); /* of x's last place */
        const float factor[] = {1.0f, 0x1.000002p0f, 0x1.fffffep-1f, 1.5f};
        y[i] = half * factor[below(&state, 4)];
    }
}

/* Odd numbers of 12 and 13 bits: their product has 24 or 25, an exact tie where it has 25. Scaled
   by 2^-150 any odd product is a tie between subnormals. */
void fsc__pattern_products(float *x, float *y, float *z, int n)
{
    uint64_t state = 4;
    for (int i = 0; i < n; ++i) {
        const bool tiny = i % 2 == 0;
        const uint32_t a = 1u | (tiny ? 0 : 2048u) | below(&state, 4096);
        const uint32_t b = 1u | (tiny ? 0 : 4096u) | below(&state, 8192);
        const int scale = tiny ? -75 : (int)below(&state, 80) - 40;
        x[i] = ldexpf(i % 4 < 2 ? (float)a : -(float)a, scale);
        y[i] = ldexpf((float)b, scale);
        z[i] = 0.0f;
        if (i % 8 >= 6)
            x[i] = nextafterf(x[i], 0.0f);
    }
}

void fsc__pattern_cancellations(float *x, float *y, float *z, int n)
{
    uint64_t state = 5;
    for (int i = 0; i < n; ++i) {
        x[i] = random_float(&state, -30, 30);
        y[i] = random_float(&state, -30, 30);
        z[i] = i % 2 ? x[i] * y[i] : -(x[i] * y[i]);
    }
}

/* The inverse of an odd number modulo 2^64, by Newton's iteration. */
static uint64_t inverse(uint64_t odd)
{
    uint64_t y = odd;
    for (int i = 0; i < 5; ++i)
        y *= 2 - odd * y;
    return y;
}

/* x/y = (Q + r/Y) 2^-e where Q is odd and one bit longer than the quotient's precision: a midpoint,
   missed by the least that a fraction with the divisor Y can miss it (r is 1 to 7). From
   X 2^bits = Q Y + r follows Q = -r/Y modulo 2^bits. Every second quotient is subnormal, where the
   precision is smaller. */
void fsc__pattern_quotients(float *x, float *y, float *z, int n)
{
    uint64_t state = 6;
    for (int i = 0; i < n;) {
        const int bits = i % 2 ? 25 : 2 + (int)below(&state, 23);
        const uint64_t mask = ((uint64_t)1 << bits) - 1;
        const uint64_t divisor = 0x800001u | (next_random(&state) & 0x7ffffeu);
        const int64_t r = (int64_t)(1 + 2 * below(&state, 4)) * (below(&state, 2) ? 1 : -1);
        const uint64_t q = (uint64_t)(-r) * inverse(divisor) & mask;
        if (q >> (bits - 1) == 0)
            continue; /* Q must have all its bits */
        const uint64_t dividend = (q * divisor + (uint64_t)r) >> bits;
        /* the quotient is about Q 2^-scale, and a subnormal midpoint a multiple of 2^-150 */
        const int scale = i % 2 ? 25 + (int)below(&state, 40) - 20 : 150;
        const int up = i % 2 ? (int)below(&state, 60) - 30 : 60 + (int)below(&state, 30);
        x[i] = ldexpf((float)dividend, bits - scale + up);
        y[i] = ldexpf((float)divisor, up);
        x[i] = below(&state, 2) ? x[i] : -x[i];
        z[i] = 0.0f;
        ++i;
    }
}

/* sqrt(X 2^26) = Q + tiny, where Q is odd and has 25 bits: from X 2^26 = Q^2 - c follows
   Q^2 = c modulo 2^26, which has solutions for c = 1 modulo 8, found bit by bit. */
static uint64_t root_modulo(uint64_t c, int bits)
{
    uint64_t y = 1;
    for (int i = 3; i < bits; ++i)
        if (((y * y - c) >> i & 1) != 0)
            y += (uint64_t)1 << (i - 1);
    return y;
}

void fsc__pattern_roots(float *x, float *y, float *z, int n)
{
    uint64_t state = 7;
    for (int i = 0; i < n; ++i) {
        const int64_t c = 8 * (int64_t)(i / 2 - n / 4) + 1;
        uint64_t q = root_modulo((uint64_t)c, 26) & 0x1ffffffu;
        if (q < 0x1000000u)
            q = 0x2000000u - q;
        const uint64_t square = (q * q - (uint64_t)c) >> 26;
        const int scale = 2 * ((int)below(&state, 60) - 30);
        switch (i % 4) {
        case 0: /* beside a square */
            x[i] = (float)(4097 + below(&state, 4095));
            x[i] = nextafterf(x[i] * x[i], below(&state, 2) ? 0.0f : INFINITY);
            break;
        case 1:
            x[i] = fabsf(random_subnormal(&state));
            break;
        default:
            x[i] = ldexpf((float)square, scale);
            break;
        }
        y[i] = z[i] = 0.0f;
    }
}

/* x*y is half of z's last place times 1/v*v, which misses 1 by less than 2^-23 and often by much
   less: the result is near a tie that the last bits of the product decide. */
static void near_tie(uint64_t *state, float *x, float *y, float *z)
{
    const float v = fabsf(random_float(state, 0, 0));
    const int exponent = (int)below(state, 160) - 80;
    *z = ldexpf(random_float(state, 0, 0), exponent);
    *x = ldexpf(v, exponent - 24 - (int)below(state, 2));
    *y = 1.0f / v;
    if (below(state, 2))
        *y = nextafterf(*y, 2.0f);
    if (below(state, 2))
        *x = -*x;
}

/* z is a little beyond the smallest normal and x*y takes it back to within an eighth of a subnormal
   spacing: where a result is rounded before or after it is found tiny shows. */
static void near_normal(uint64_t *state, float *x, float *y, float *z)
{
    const uint32_t over = below(state, 64);
    const double back = -0x1p-149 * (over + 0.125 * below(state, 16));
    *z = fsc__f32_of_bits(0x00800000u + over);
    *x = random_float(state, -90, -40);
    *y = (float)(back / (double)*x);
    if (below(state, 2)) {
        *z = -*z;
        *y = -*y;
    }
}

void fsc__pattern_fmas(float *x, float *y, float *z, int n)
{
    uint64_t state = 8;
    for (int i = 0; i < n; ++i) {
        x[i] = random_float(&state, -1, 1);
        y[i] = random_float(&state, -1, 1);
        switch (i % 8) {
        case 0: /* what is left of a product */
            z[i] = -(x[i] * y[i]);
            break;
        case 1: /* half of z's last place, missed by 2^-46 of it: double rounding shows */
            z[i] = random_float(&state, 23, 23);
            x[i] = below(&state, 2) ? 0x1.000002p-1f : -0x1.000002p-1f;
            y[i] = 0x1.fffffcp-1f;
            break;
        case 2: /* an addend below the smallest normal */
            x[i] = ldexpf(x[i], -60);
            y[i] = ldexpf(y[i], -60 - (int)below(&state, 10));
            z[i] = random_subnormal(&state);
            break;
        case 3: /* a result below it */
            x[i] = ldexpf(x[i], -63);
            y[i] = ldexpf(y[i], -63);
            z[i] = -copysignf(random_float(&state, -126, -125), x[i] * y[i]);
            break;
        case 4: /* an operand below it, of weight */
            x[i] = random_subnormal(&state);
            y[i] = ldexpf(y[i], 100);
            z[i] = random_float(&state, -40, -20);
            break;
        case 5: /* near overflow */
            x[i] = ldexpf(x[i], 63);
            y[i] = ldexpf(y[i], 63);
            z[i] = random_float(&state, 120, 127);
            break;
        case 6:
            near_tie(&state, &x[i], &y[i], &z[i]);
            break;
        default:
            near_normal(&state, &x[i], &y[i], &z[i]);
            break;
        }
    }
}

void fsc__pattern_ties(float *x, float *y, float *z, int n)
{
    uint64_t state = 9;
    for (int i = 0; i < n; ++i) {
        x[i] =
            fsc__f32_of_bits(i % 3 ? (uint32_t)next_random(&state) : extremes[below(&state, 32)]);
        y[i] = i % 2 ? x[i] : fsc__f32_of_bits(extremes[below(&state, 32)]);
        z[i] = fsc__f32_of_bits((uint32_t)next_random(&state));
    }
}
