/* Correctly rounded quotients and roots for devices whose own are not. Which of them a kernel uses
   is in its prelude (DIV, SQRT); the probe accepts one only where it finds no difference. */
#ifndef FSC_ROUNDED_H
#define FSC_ROUNDED_H

#include "vocabulary.h"

/* Double has more than twice the bits of float and two, so rounding twice is rounding once. */
real divide_double(real a, real b)
{
    return TO_REAL(TO_DOUBLE(a) / TO_DOUBLE(b));
}

real sqrt_double(real x)
{
    return TO_REAL(sqrt(TO_DOUBLE(x)));
}

/* The code of |x|, or of |x| * 2^24 where it is subnormal. */
bits normal_code(real x)
{
    const bits code = AS_BITS(x) & 0x7fffffff;
    const bits scaled = AS_BITS(AS_REAL(code) * 0x1p24f);
    return SELECT(code < 0x00800000, scaled, code);
}

/* Exponent of |x| = significand * 2^exponent with 1 <= significand < 2; code is that of
   normal_code. */
bits exponent_of(real x, bits code)
{
    const bits size = AS_BITS(x) & 0x7fffffff;
    const bits low = (bits)(24), none = (bits)(0);
    return (code >> 23) - 127 - SELECT(size < 0x00800000, low, none);
}

/* significand * 2^exponent, 1 <= significand < 2, whose true value is above, at or below it as rest
   is; rounded to nearest even where the result is subnormal. */
real scale_rounded(real significand, bits exponent, real rest)
{
    const bits one = (bits)(1), none = (bits)(0), infinity = (bits)(0x7f800000);
    const bits integer = (AS_BITS(significand) & 0x007fffff) | 0x00800000;
    const bits above = SELECT(rest > CONST(0.0f), one, none);
    const bits below = SELECT(rest < CONST(0.0f), one, none);
    const bits fine = 4 * integer + above - below;
    const bits wanted = -124 - exponent, most = (bits)(28);
    const bits inner = SELECT(wanted > most, most, wanted);
    const bits shift = SELECT(inner < 2, (bits)(2), inner);
    const bits kept = fine >> shift;
    const bits lost = fine - (kept << shift);
    const bits half_unit = one << (shift - 1);
    const bits odd = kept & 1;
    const bits up = SELECT(lost + odd > half_unit, one, none);
    const bits normal = (AS_BITS(significand) & 0x007fffff) + ((exponent + 127) << 23);
    const bits limited = SELECT(exponent > 127, infinity, normal);
    return AS_REAL(SELECT(exponent < -126, kept + up, limited));
}

/* 1 unless x is a zero, an infinity or NaN. */
bits is_ordinary(real x)
{
    const bits size = AS_BITS(x) & 0x7fffffff;
    const bits one = (bits)(1), none = (bits)(0);
    return SELECT(size < 0x7f800000, one, none) & SELECT(size > 0, one, none);
}

/* A quotient of significands that is a few units off is corrected with its remainder, which fma
   gives exactly. A quotient of floats is never a tie. */
real divide_remainder(real a, real b)
{
    const bits a_code = normal_code(a), b_code = normal_code(b);
    const real y = AS_REAL((b_code & 0x007fffff) | 0x3f800000);
    const real whole = AS_REAL((a_code & 0x007fffff) | 0x3f800000);
    const bits one = (bits)(1), none = (bits)(0);
    const bits less = SELECT(whole < y, one, none);
    const real x = SELECT(whole < y, whole + whole, whole);
    const real rough = x / y;
    const real close = rough + FMA(-rough, y, x) / y;
    const real rest = FMA(-close, y, x);
    const real half_unit = y * 0x1p-24f;
    const real unit = CONST(0x1p-23f), zero = CONST(0.0f);
    const real step = SELECT(rest > half_unit, unit, SELECT(rest < -half_unit, -unit, zero));
    const real quotient = close + step;
    const bits exponent = exponent_of(a, a_code) - exponent_of(b, b_code) - less;
    const real size = scale_rounded(quotient, exponent, FMA(-quotient, y, x));
    const bits sign = (AS_BITS(a) ^ AS_BITS(b)) & (bits)(0x80000000);
    const real signed_size = AS_REAL(AS_BITS(size) | sign);
    return SELECT((is_ordinary(a) & is_ordinary(b)) == 1, signed_size, a / b);
}

/* The same for the root of a significand in [1, 4). */
real sqrt_remainder(real x)
{
    const bits code = normal_code(x);
    const bits exponent = exponent_of(x, code);
    const bits odd = exponent & 1;
    const real y = AS_REAL((code & 0x007fffff) | ((127 + odd) << 23));
    const real rough = sqrt(y);
    const real close = rough + FMA(-rough, rough, y) / (rough + rough);
    const real rest = FMA(-close, close, y);
    const real half_unit = close * 0x1p-23f;
    const real unit = CONST(0x1p-23f), zero = CONST(0.0f);
    const real step = SELECT(rest > half_unit, unit, SELECT(rest <= -half_unit, -unit, zero));
    const real root = AS_REAL(AS_BITS(close + step) + ((exponent - odd) / 2 << 23));
    return SELECT((is_ordinary(x) & SELECT(x > zero, (bits)(1), (bits)(0))) == 1, root, sqrt(x));
}

#endif
