/* Portable math: exp, tanh, erf, erfc, sigmoid, silu, gelu, gelu_tanh in the words of vocabulary.h,
   one text for OpenCL C and C, the same bits from both. Branch-free: + - * FMA DIV SELECT and bit
   operations. How each works, its measured error and how its coefficients were found:
   docs/math.md. A blank line separates definitions; a kernel gets those that it uses. */
#ifndef FSC_PORTABLE_H
#define FSC_PORTABLE_H

/* n + bias in the low bits of a float, n the integer nearest to z/ln 2: below, an exponential is
   2^n * (1 + expm1(z - n ln 2)). magic is 1.5*2^23 + bias; |z| at most 2^20. */
static inline real portable_octaves(real z, real magic)
{
    return FMA(z, CONST(0x1.715476p+0f), magic);
}

/* z - n ln 2, within ln 2 / 2 of zero. The first step is exact. */
static inline real portable_remainder(real z, real n)
{
    const real coarse = FMA(n, CONST(-0x1.62e400p-1f), z);
    return FMA(n, CONST(-0x1.7f7d1cp-20f), coarse);
}

/* The same without an FMA that drops a tiny z on a device with such an fma. */
static inline real portable_remainder_tiny(real z, real n)
{
    const real coarse = z - MUL(n, CONST(0x1.62e400p-1f));
    return coarse - MUL(n, CONST(0x1.7f7d1cp-20f));
}

/* e^r - 1 for |r| <= ln 2 / 2. */
static inline real portable_expm1_core(real r)
{
    real p = CONST(0x1.6ac718p-10f);
    p = FMA(p, r, CONST(0x1.123ddep-7f));
    p = FMA(p, r, CONST(0x1.555858p-5f));
    p = FMA(p, r, CONST(0x1.55548cp-3f));
    p = FMA(p, r, CONST(0x1.fffffcp-2f));
    return r + MUL(MUL(r, r), p);
}

/* 2^(code - 127), 0 < code < 255. */
static inline real portable_power_of_two(bits code)
{
    return AS_REAL(code << 23);
}

static inline real portable_exp(real x)
{
    const real magic = CONST(0x1.8001fcp+23f); /* bias 254 */
    real z = SELECT(x > CONST(89.0f), CONST(89.0f), x);
    z = SELECT(z < CONST(-104.0f), CONST(-104.0f), z);
    const real octaves = portable_octaves(z, magic);
    const real m = portable_expm1_core(portable_remainder(z, octaves - magic));
    /* 2^n in two factors: both are normal numbers, so only the last product can round. */
    const bits both = AS_BITS(octaves) & 0x1ff;
    const bits half_of_it = both >> 1;
    const real first = portable_power_of_two(half_of_it);
    return MUL(FMA(m, first, first), portable_power_of_two(both - half_of_it));
}

/* |x| with the sign of y. */
static inline real portable_with_sign(real x, real y)
{
    return AS_REAL((AS_BITS(x) & 0x7fffffff) | (AS_BITS(y) & ~0x7fffffff));
}

/* e^z - 1 for -30 < z <= 0. */
static inline real portable_expm1_negative(real z)
{
    const real magic = CONST(0x1.8000fep+23f); /* bias 127 */
    const real octaves = portable_octaves(z, magic);
    const real m = portable_expm1_core(portable_remainder_tiny(z, octaves - magic));
    const real scale = portable_power_of_two(AS_BITS(octaves) & 0xff);
    return MUL(m, scale) + (scale - CONST(1.0f));
}

/* With E = e^(-2|x|) - 1: |tanh x| = -E / (2 + E). */
static inline real portable_tanh(real x)
{
    real z = MUL(ABS(x), CONST(-2.0f));
    z = SELECT(z < CONST(-20.0f), CONST(-20.0f), z);
    const real e = portable_expm1_negative(z);
    return portable_with_sign(DIV(e, CONST(2.0f) + e), x);
}

/* 1 - e^(-a - a w(a)) with a = |x| and a polynomial w: relative precision near zero and no
   cancellation anywhere. */
static inline real portable_erf(real x)
{
    const real magnitude = ABS(x);
    const real a = SELECT(magnitude > CONST(3.95f), CONST(3.95f), magnitude);
    real w = CONST(-0x1.36d822p-17f);
    w = FMA(w, a, CONST(0x1.edb8e0p-14f));
    w = FMA(w, a, CONST(-0x1.4bedd6p-11f));
    w = FMA(w, a, CONST(0x1.b52324p-10f));
    w = FMA(w, a, CONST(-0x1.518b1cp-13f));
    w = FMA(w, a, CONST(-0x1.39cc64p-6f));
    w = FMA(w, a, CONST(0x1.a4fa42p-4f));
    w = FMA(w, a, CONST(0x1.45f2fap-1f));
    w = FMA(w, a, CONST(0x1.06eba8p-3f));
    return portable_with_sign(portable_expm1_negative(-a - MUL(a, w)), x);
}

/* The scale of exponentials of arguments z <= 0: 2^(n + 100) is a normal number for every n that
   matters, and the last product, by 2^-100, rounds a subnormal result once. bias is 227. */
static inline real portable_decay_magic(void)
{
    return CONST(0x1.8001c6p+23f);
}

/* 2^100 e^z u for -170 <= z <= 0: u (1 + m) 2^(n + 100). low is a small part of z that did not fit
   into it. */
static inline real portable_decay(real z, real low, real u)
{
    const real magic = portable_decay_magic();
    const real octaves = portable_octaves(z, magic);
    const real m = portable_expm1_core(portable_remainder(z, octaves - magic) + low);
    return MUL(FMA(m, u, u), portable_power_of_two(AS_BITS(octaves) & 0xff));
}

/* e^(a*a) erfc(a) as a quotient of polynomials, 0 <= a <= 10.3. */
static inline real portable_erfc(real x)
{
    const real magnitude = ABS(x);
    const real a = SELECT(magnitude > CONST(10.25f), CONST(10.25f), magnitude);
    real p = CONST(0x1.0cc8f6p-5f);
    p = FMA(p, a, CONST(0x1.d593ecp-3f));
    p = FMA(p, a, CONST(0x1.76a746p-1f));
    p = FMA(p, a, CONST(0x1.3d1140p+0f));
    p = FMA(p, a, CONST(1.0f));
    real q = CONST(0x1.dc673ep-5f);
    q = FMA(q, a, CONST(0x1.a02df2p-2f));
    q = FMA(q, a, CONST(0x1.535c94p+0f));
    q = FMA(q, a, CONST(0x1.3385e4p+1f));
    q = FMA(q, a, CONST(0x1.2ef760p+1f));
    q = FMA(q, a, CONST(1.0f));
    const real square = MUL(a, a);
    const real low = FMA(a, a, -square);
    const real tail = MUL(portable_decay(-square, -low, DIV(p, q)), CONST(0x1p-100f));
    return SELECT(x < CONST(0.0f), CONST(2.0f) - tail, tail);
}

/* e^-|x| is formed, never e^|x|: 1/(1+e) for positive x, e/(1+e) for negative x. */
static inline real portable_sigmoid(real x)
{
    const real a = ABS(x);
    const real z = SELECT(a > CONST(105.0f), CONST(-105.0f), -a);
    const real e = MUL(portable_decay(z, CONST(0.0f), CONST(1.0f)), CONST(0x1p-100f));
    return DIV(SELECT(x < CONST(0.0f), e, CONST(1.0f)), CONST(1.0f) + e);
}

/* x/(1 + e^-v) where v has the sign of x and z + low = -|v| >= -120. y is x, or a bound on it where
   the result is a zero, so that no infinity meets a zero. */
static inline real portable_gate(real x, real y, real z, real low)
{
    const real scaled = portable_decay(z, low, CONST(1.0f));
    const real divisor = FMA(scaled, CONST(0x1p-100f), CONST(1.0f));
    const real quotient = DIV(SELECT(x < CONST(0.0f), MUL(y, scaled), y), divisor);
    return MUL(quotient, SELECT(x < CONST(0.0f), CONST(0x1p-100f), CONST(1.0f)));
}

static inline real portable_silu(real x)
{
    const real a = ABS(x);
    const real z = SELECT(a > CONST(120.0f), CONST(-120.0f), -a);
    return portable_gate(x, SELECT(x < CONST(-120.0f), CONST(-120.0f), x), z, CONST(0.0f));
}

/* x Phi(x) = x - a Phi(-a) for positive x and -a Phi(-a) for negative x, with a = |x| and
   Phi(-a) = e^(-a*a/2) times a quotient of polynomials; a*a in two floats. */
static inline real portable_gelu(real x)
{
    const real magnitude = ABS(x);
    const real a = SELECT(magnitude > CONST(14.5f), CONST(14.5f), magnitude);
    real p = CONST(0x1.0cc8f6p-8f);
    p = FMA(p, a, CONST(0x1.4c0aaap-5f));
    p = FMA(p, a, CONST(0x1.76a746p-3f));
    p = FMA(p, a, CONST(0x1.c066a8p-2f));
    p = FMA(p, a, CONST(0.5f));
    real q = CONST(0x1.50de36p-7f);
    q = FMA(q, a, CONST(0x1.a02df2p-4f));
    q = FMA(q, a, CONST(0x1.dfee0ap-2f));
    q = FMA(q, a, CONST(0x1.3385e4p+0f));
    q = FMA(q, a, CONST(0x1.ac7584p+0f));
    q = FMA(q, a, CONST(1.0f));
    const real square = MUL(a, a);
    const real low = FMA(a, a, -square);
    const real phi = portable_decay(MUL(square, CONST(-0.5f)), MUL(low, CONST(-0.5f)), DIV(p, q));
    const real tail = MUL(MUL(phi, a), CONST(0x1p-100f));
    return SELECT(x < CONST(0.0f), -tail, x - tail);
}

/* x/(1 + e^-v), v = x (k + c x*x) with k = 2 sqrt(2/pi), c = 0.044715 k, in two floats. */
static inline real portable_gelu_tanh(real x)
{
    const real k = CONST(0x1.98845p+0f), k_low = CONST(0x1.9ea1b2p-23f);
    const real c = CONST(0x1.2444f2p-4f), c_low = CONST(0x1.49b16ap-29f);
    const real magnitude = ABS(x);
    const real a = SELECT(magnitude > CONST(11.0f), CONST(11.0f), magnitude);
    const real square = MUL(a, a);
    const real square_low = FMA(a, a, -square);
    const real slope = FMA(square, c, k);
    const real error = FMA(square, c, k - slope); /* k has few bits: k - slope is exact */
    const real slope_low = error + FMA(square_low, c, FMA(square, c_low, k_low));
    const real v = MUL(a, slope);
    const real v_low = FMA(a, slope_low, FMA(a, slope, -v));
    return portable_gate(x, SELECT(x < CONST(-11.0f), CONST(-11.0f), x), -v, -v_low);
}

#endif
