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
/* rusticl on llvmpipe: a tiny addend is dropped, a tiny result becomes a zero of its sign. */
static inline real vocabulary_fma(real a, real b, real c)
{
    const real exact = fmaf(a, b, c);
    const bits code = vocabulary_as_bits(exact);
    const real flushed =
        (code & 0x7f800000) == 0 ? vocabulary_as_real(code & (bits)0x80000000u) : exact;
    return fabsf(c) < 0x1p-126f ? a * b : flushed;
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
