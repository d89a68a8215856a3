/* Correctly rounded quotient and square root for devices whose own are not: through double, or from
   a rough result (a few units in the last place off) and the remainder that an fma leaves. */
#ifndef FSC_ROUNDED_H
#define FSC_ROUNDED_H

#include "vocabulary.h"

/* Double has more than twice as many bits and two: rounding again is rounding once. */
static inline real divide_double(real a, real b)
{
    return TO_REAL(TO_DOUBLE(a) / TO_DOUBLE(b));
}

static inline real sqrt_double(real x)
{
    return TO_REAL(sqrt(TO_DOUBLE(x)));
}

/* |x| = significand * 2^(exponent - 127), 1 <= significand < 2, for finite x but zero. */
static inline bits rounded_exponent(real x)
{
    const real size = ABS(x);
    const bits code = AS_BITS(size);
    const bits scaled = AS_BITS(MUL(size, CONST(0x1p64f)));
    return SELECT(code < 0x00800000, (scaled >> 23) - 64, code >> 23);
}

static inline real rounded_significand(real x)
{
    const real size = ABS(x);
    const bits code = AS_BITS(size);
    const bits scaled = AS_BITS(MUL(size, CONST(0x1p64f)));
    const bits normal = SELECT(code < 0x00800000, scaled, code);
    return AS_REAL((normal & 0x007fffff) | 0x3f800000);
}

/* Whether x is zero, infinite or NaN: there the rough results are exact. */
static inline bits rounded_special(real x)
{
    const bits code = AS_BITS(x) & 0x7fffffff;
    return (code == 0) | (code >= 0x7f800000);
}

/* To nearest even: a significand of 24 bits, then one for the half, then one for what lies beyond.
   exponent is that of a float; below 1 the result is subnormal. */
static inline bits rounded_code(bits wide, bits exponent)
{
    const bits limited = SELECT(exponent > 255, (bits)(255), exponent);
    const bits below = SELECT(limited < 1, 1 - limited, (bits)(0));
    const bits shift = SELECT(below > 27, (bits)(27), below);
    const bits kept = wide >> shift;
    const bits lost = SELECT(kept << shift == wide, (bits)(0), (bits)(1));
    const bits all = kept | lost;
    const bits nearest = (all + 1 + ((all >> 2) & 1)) >> 2;
    const bits code = nearest + (SELECT(limited < 1, (bits)(0), limited - 1) << 23);
    return SELECT(code > 0x7f800000, (bits)(0x7f800000), code);
}

static inline real divide_remainder(real a, real b)
{
    const real divisor = rounded_significand(b);
    const real whole = rounded_significand(a);
    const bits less = whole < divisor;
    const real dividend = SELECT(less, whole + whole, whole); /* 1 <= quotient < 2 */
    const real rough = ROUGH_DIV(dividend, divisor);
    const real near = rough + ROUGH_DIV(FMA(-rough, divisor, dividend), divisor);
    const bits code = AS_BITS(near);
    const bits down = SELECT(FMA(-near, divisor, dividend) < CONST(0.0f), code - 1, code);
    const real left = FMA(-AS_REAL(down), divisor, dividend);
    const real twice = left + left;
    const real unit = MUL(divisor, CONST(0x1p-23f));
    const bits half_bit = SELECT(twice < unit, (bits)(0), (bits)(2));
    const real rest = SELECT(twice < unit, twice, twice - unit);
    const bits beyond = SELECT(rest == CONST(0.0f), (bits)(0), (bits)(1));
    const bits wide = ((down & 0x007fffff) | 0x00800000) << 2 | half_bit | beyond;
    const bits exponent = rounded_exponent(a) - rounded_exponent(b) + 127;
    const bits size = rounded_code(wide, SELECT(less, exponent - 1, exponent));
    const bits sign = (AS_BITS(a) ^ AS_BITS(b)) & (bits)(0x80000000);
    return SELECT(rounded_special(a) | rounded_special(b), ROUGH_DIV(a, b), AS_REAL(size | sign));
}

static inline real sqrt_remainder(real x)
{
    const bits exponent = rounded_exponent(x) - 127;
    const bits odd = exponent & 1;
    const real significand = rounded_significand(x);
    const real square = SELECT(odd == 1, significand + significand, significand); /* 1 .. 4 */
    const real rough = ROUGH_SQRT(square);
    const real near = rough + ROUGH_DIV(FMA(-rough, rough, square), rough + rough);
    const bits code = AS_BITS(near);
    const bits down = SELECT(FMA(-near, near, square) < CONST(0.0f), code - 1, code);
    const real root = AS_REAL(down);
    const bits up = SELECT(FMA(-root, root, square) > MUL(root, CONST(0x1p-23f)), down + 1, down);
    const bits scaled = up + SHIFT_LEFT((exponent - odd) >> 1, 23);
    const bits negative = AS_BITS(x) < 0;
    return SELECT(rounded_special(x) | negative, ROUGH_SQRT(x), AS_REAL(scaled));
}

#endif
