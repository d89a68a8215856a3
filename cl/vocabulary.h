/* The words that op rows and portable math are written in, spelled for OpenCL C (W lanes, types
   from the generated prelude) and for C (one lane).

     real bits       W floats, W ints of the same size
     AS_BITS AS_REAL reinterpretation           CONST(x)   x in every lane
     R(x)            rounding to the arithmetic type (f32: nothing to do)
     MUL(a, b)       a product that is never contracted with a following addition
     FMA(a, b, c)    one rounding
     DIV(a, b)       correctly rounded           SQRT(x)   correctly rounded
     SELECT(c, a, b) a where the comparison c holds, else b; c compares values of type real
     ABS(x)          clears the sign bit, NaN included
     SHIFT_LEFT(x, n) bits shifted; what leaves at the top is lost

   The prelude of a kernel defines, according to the device: real, bits, AS_BITS, AS_REAL, CONST,
   FMA, MUL, DIV, SQRT (src/kernel/prelude.c). */
#ifndef FSC_VOCABULARY_H
#define FSC_VOCABULARY_H

#ifndef __OPENCL_VERSION__
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef float real;
typedef int32_t bits;

static inline bits vocabulary_as_bits(real x)
{
    bits code;
    memcpy(&code, &x, sizeof code);
    return code;
}

static inline real vocabulary_as_real(bits code)
{
    real x;
    memcpy(&x, &code, sizeof x);
    return x;
}

#define AS_BITS(x) vocabulary_as_bits(x)
#define AS_REAL(x) vocabulary_as_real(x)
#define CONST(x) (x)
#define MUL(a, b) ((a) * (b))
#define DIV(a, b) ((a) / (b))
#define SQRT(x) sqrtf(x)
#define SHIFT_LEFT(x, n) ((bits)((uint32_t)(x) << (n)))

#ifdef FSC_FMA_FLUSHES
/* rusticl on llvmpipe has libclc's fma in software. Subnormal operands count as zeros of their
   sign, a product is returned as it is where the addend is zero, and a result is rounded to 24 bits
   before its exponent is looked at: below -126 it becomes a zero of its sign. The sum is formed in
   61 bits and more; what the smaller operand loses there is remembered, but a product that is
   subtracted from a larger addend does not borrow for it, so that a tie missed by less than 2^-60
   rounds the wrong way. */
static inline uint32_t vocabulary_flush(real x)
{
    const uint32_t code = (uint32_t)vocabulary_as_bits(x);
    return (code & 0x7f800000u) == 0 ? code & 0x80000000u : code;
}

static inline uint64_t vocabulary_shift(uint64_t value, int shift, uint64_t *lost)
{
    const uint64_t kept = shift < 64 ? value >> shift : 0;
    *lost = (shift < 64 ? kept << shift : 0) != value;
    return kept;
}

/* The sum of two numbers of fixed point: bit 60 is worth 2^exponent. */
static inline real vocabulary_round(uint64_t sum, uint64_t lost, int exponent, uint32_t sign)
{
    if (sum == 0)
        return 0.0f;
    for (; sum >> 61 != 0; exponent++)
        sum = sum >> 1 | (sum & 1);
    for (; sum >> 60 == 0; exponent--)
        sum <<= 1;
    const uint64_t half = (uint64_t)1 << 36, rest = (sum & (2 * half - 1)) | lost;
    uint64_t significand = sum >> 37;
    significand += rest > half || (rest == half && (significand & 1) != 0);
    exponent += (int)(significand >> 24);
    if (exponent > 127)
        return vocabulary_as_real((bits)(sign | 0x7f800000u));
    if (exponent < -126)
        return vocabulary_as_real((bits)sign);
    /* Where rounding carried, the fraction bits are zero already. */
    return vocabulary_as_real(
        (bits)(sign | (uint32_t)(exponent + 127) << 23 | (uint32_t)(significand & 0x7fffff)));
}

static inline real vocabulary_fma(real a, real b, real c)
{
    const uint32_t x = vocabulary_flush(a), y = vocabulary_flush(b), z = vocabulary_flush(c);
    const uint32_t infinity = 0x7f800000u, fraction = 0x007fffffu, one = 0x00800000u;
    if ((x & infinity) == infinity || (y & infinity) == infinity || (z & infinity) == infinity)
        return fmaf(a, b, c);
    if ((z & infinity) == 0)
        return vocabulary_as_real((bits)x) * vocabulary_as_real((bits)y);
    if ((x & infinity) == 0 || (y & infinity) == 0)
        return c;
    uint64_t product = (uint64_t)((x & fraction) | one) * ((y & fraction) | one) << 14;
    uint64_t addend = (uint64_t)((z & fraction) | one) << 37, lost;
    const int product_exponent = (int)(x >> 23 & 0xff) + (int)(y >> 23 & 0xff) - 254;
    const int addend_exponent = (int)(z >> 23 & 0xff) - 127;
    const int ahead = product_exponent - addend_exponent;
    if (ahead < 0)
        product = vocabulary_shift(product, -ahead, &lost);
    else
        addend = vocabulary_shift(addend, ahead, &lost);
    const int exponent = ahead < 0 ? addend_exponent : product_exponent;
    const uint32_t sign = (x ^ y) & 0x80000000u;
    if (((x ^ y ^ z) & 0x80000000u) == 0)
        return vocabulary_round(product + addend, lost, exponent, sign);
    const uint64_t borrowed = product - (ahead < 0 ? 0 : lost);
    if (borrowed < addend)
        return vocabulary_round(addend - borrowed, lost, exponent, sign ^ 0x80000000u);
    return vocabulary_round(borrowed - addend, lost, exponent, sign);
}

#define FMA(a, b, c) vocabulary_fma(a, b, c)
#else
#define FMA(a, b, c) fmaf(a, b, c)
#endif
#else
#define SHIFT_LEFT(x, n) ((x) << (n))
#endif

#define R(x) (x)

#define SELECT(c, a, b) ((c) ? (a) : (b))

#define ABS(x) AS_REAL(AS_BITS(x) & 0x7fffffff)

#endif
