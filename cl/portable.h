/* Portable math: exp, tanh, erf, erfc, sigmoid, silu, gelu, gelu_tanh in the words of vocabulary.h,
   one text for OpenCL C and C, the same bits from both. Branch-free: + - MUL FMA DIV SELECT and bit
   operations. How each works, its measured error and how its coefficients were found:
   docs/math.md. A blank line separates definitions; a kernel gets those that it uses. */
#ifndef FSC_PORTABLE_H
#define FSC_PORTABLE_H

/* Exponentials are 2^n e^r: n the integer nearest to z / ln 2, r = z - n ln 2. This is n + bias in
   the low bits of a float; magic is 1.5 * 2^23 + bias. */
static inline real portable_octaves(real z, real magic)
{
    return FMA(z, CONST(0x1.715476p+0f), magic);
}

/* z - n ln 2 but for portable_ln2_rest; exact, since the constant has 17 bits. */
static inline real portable_coarse(real z, real n)
{
    return FMA(n, CONST(-0x1.62e4p-1f), z);
}

static inline real portable_ln2_rest(real n)
{
    return MUL(n, CONST(-0x1.7f7d1cp-20f));
}

/* e^(r + rest) - 1 - r for |r| <= ln 2 / 2 and a small rest. */
static inline real portable_expm1_curve(real r, real rest)
{
    const real t = r + rest;
    real p = CONST(0x1.6cecccp-10f);
    p = FMA(p, t, CONST(0x1.1231acp-7f));
    p = FMA(p, t, CONST(0x1.55553p-5f));
    p = FMA(p, t, CONST(0x1.5554ap-3f));
    p = FMA(p, t, CONST(0.5f));
    return FMA(MUL(t, t), p, rest);
}

/* e^(r + rest) - 1. r is added last, whole: this keeps the error near half an ulp. */
static inline real portable_expm1(real r, real rest)
{
    return r + portable_expm1_curve(r, rest);
}

/* 2^(code - 127), 0 < code < 255. Codes that NaN makes are out of range, and unused. */
static inline real portable_power_of_two(bits code)
{
    return AS_REAL(SHIFT_LEFT(code, 23));
}

/* |x| with the sign of y. */
static inline real portable_with_sign(real x, real y)
{
    return AS_REAL((AS_BITS(x) & 0x7fffffff) | (AS_BITS(y) & ~0x7fffffff));
}

static inline real portable_exp(real x)
{
    const real magic = CONST(0x1.8001fcp+23f); /* bias 254 */
    real z = SELECT(x > CONST(89.0f), CONST(89.0f), x);
    z = SELECT(z < CONST(-104.0f), CONST(-104.0f), z);
    const real octaves = portable_octaves(z, magic);
    const real n = octaves - magic;
    const real m = portable_expm1(portable_coarse(z, n), portable_ln2_rest(n));
    /* 2^n in two factors: both are normal numbers, so only the last product can round. */
    const bits both = AS_BITS(octaves) & 0x1ff;
    const bits part = both >> 1;
    const real scale = portable_power_of_two(part);
    return MUL(FMA(m, scale, scale), portable_power_of_two(both - part));
}

/* With s = 2^n and e^-2|x| = s (1 + m), tanh |x| is ((1 - s) - s m) / ((1 + s) + s m), and farther
   from zero 1 - 2 s (1 + m) / (1 + s (1 + m)), where errors of the quotient count less. */
static inline real portable_tanh(real x)
{
    const real magic = CONST(0x1.8000fep+23f); /* bias 127 */
    real z = MUL(ABS(x), CONST(-2.0f));
    z = SELECT(z < CONST(-20.0f), CONST(-20.0f), z);
    const real octaves = portable_octaves(z, magic);
    const real n = octaves - magic;
    /* not portable_coarse: an fma that drops a tiny z would lose it */
    const real r = z - MUL(n, CONST(0x1.62e4p-1f));
    const real m = portable_expm1(r, portable_ln2_rest(n));
    const real s = portable_power_of_two(AS_BITS(octaves) & 0xff);
    const real product = MUL(s, m); /* exact; an fma might drop a tiny one */
    const real near = (CONST(1.0f) - s) - product;
    const real far = MUL(s + product, CONST(-2.0f));
    const real divisor = (CONST(1.0f) + s) + product;
    const real quotient = DIV(SELECT(n < CONST(-2.5f), far, near), divisor);
    return portable_with_sign(SELECT(n < CONST(-2.5f), CONST(1.0f), CONST(0.0f)) + quotient, x);
}

/* w in erfc(a) = e^(-a - a w(a)), 0 <= a <= 3.95. */
static inline real portable_erf_slope(real a)
{
    real w = CONST(-0x1.3af4a8p-17f);
    w = FMA(w, a, CONST(0x1.f27fcap-14f));
    w = FMA(w, a, CONST(-0x1.4e265cp-11f));
    w = FMA(w, a, CONST(0x1.b74314p-10f));
    w = FMA(w, a, CONST(-0x1.6373ap-13f));
    w = FMA(w, a, CONST(-0x1.39b7ccp-6f));
    w = FMA(w, a, CONST(0x1.a4f8c4p-4f));
    w = FMA(w, a, CONST(0x1.45f3p-1f));
    return FMA(w, a, CONST(0x1.06eba8p-3f));
}

/* 1 - e^(-a - a w(a)), a = |x|: relative precision near zero and no cancellation anywhere. */
static inline real portable_erf(real x)
{
    const real magic = CONST(0x1.8000fep+23f); /* bias 127 */
    const real magnitude = ABS(x);
    const real a = SELECT(magnitude > CONST(3.95f), CONST(3.95f), magnitude);
    const real product = MUL(a, portable_erf_slope(a));
    const real z = -a - product;
    const real low = (-a - z) - product;
    const real octaves = portable_octaves(z, magic);
    const real n = octaves - magic;
    const real r = z - MUL(n, CONST(0x1.62e4p-1f));
    const real m = portable_expm1(r, portable_ln2_rest(n) + low);
    const real s = portable_power_of_two(AS_BITS(octaves) & 0xff);
    return portable_with_sign(MUL(m, s) + (s - CONST(1.0f)), x);
}

/* 1/(1 + e^-x). The divisor is held small by 2^-60: it stays finite where the result is subnormal,
   and only the last product rounds such a result. */
static inline real portable_sigmoid(real x)
{
    const real magic = CONST(0x1.800086p+23f); /* bias 67 = 127 - 60 */
    const real unit = CONST(0x1p-60f);
    real y = SELECT(x < CONST(-105.0f), CONST(-105.0f), x);
    y = SELECT(y > CONST(30.0f), CONST(30.0f), y);
    const real octaves = portable_octaves(-y, magic);
    const real n = octaves - magic;
    const real m = portable_expm1(portable_coarse(-y, n), portable_ln2_rest(n));
    const real s = portable_power_of_two(AS_BITS(octaves) & 0xff);
    const real divisor = FMA(s, m, SELECT(n > CONST(0.5f), unit, s + unit)) +
                         SELECT(n > CONST(0.5f), s, CONST(0.0f));
    return MUL(DIV(CONST(1.0f), divisor), unit);
}

/* y/(1 + e^(z + low)), -30 <= z <= 120, y a number of the sign of -z. As in sigmoid; positive y,
   which may be huge, need no 2^-60. */
static inline real portable_gate(real y, real z, real low)
{
    const real magic = SELECT(y < CONST(0.0f), CONST(0x1.800086p+23f), CONST(0x1.8000fep+23f));
    const real unit = SELECT(y < CONST(0.0f), CONST(0x1p-60f), CONST(1.0f));
    const real octaves = portable_octaves(z, magic);
    const real n = octaves - magic;
    const real m = portable_expm1(portable_coarse(z, n), portable_ln2_rest(n) + low);
    const real s = portable_power_of_two(AS_BITS(octaves) & 0xff);
    return MUL(DIV(y, FMA(s, m, s + unit)), unit);
}

/* Below -120 the result is a zero; the bound keeps -inf from meeting it. */
static inline real portable_silu(real x)
{
    const real y = SELECT(x < CONST(-120.0f), CONST(-120.0f), x);
    return portable_gate(y, -SELECT(y > CONST(30.0f), CONST(30.0f), y), CONST(-0.0f));
}

/* y/(1 + e^-v), v = a (k + c a*a) with k = 2 sqrt(2/pi), c = 0.044715 k, in two floats; a is x
   within the bounds beyond which the result is 0 or x. */
static inline real portable_gelu_tanh(real x)
{
    const real k = CONST(0x1.98845p+0f), k_low = CONST(0x1.9ea1b2p-23f);
    const real c = CONST(0x1.2444f2p-4f), c_low = CONST(0x1.49b16ap-29f);
    const real y = SELECT(x < CONST(-11.0f), CONST(-11.0f), x);
    const real a = SELECT(y > CONST(5.5f), CONST(5.5f), y);
    const real square = MUL(a, a);
    const real square_low = FMA(a, a, -square);
    const real slope = FMA(square, c, k);
    const real error = FMA(square, c, k - slope); /* k has few bits: k - slope is exact */
    const real slope_low = error + FMA(square_low, c, FMA(square, c_low, k_low));
    const real v = MUL(a, slope);
    const real v_low = FMA(a, slope_low, FMA(a, slope, -v));
    return portable_gate(y, -v, -v_low);
}

/* x Phi(x) is x - a Phi(-a) for positive x and -a Phi(-a) for negative x, a = |x|.
   a Phi(-a) = e^(-a*a/2) y / (c y + p) with y = a (1/2 + a q(a)), c = sqrt(2 pi), p and q
   polynomials: an error of y counts only as far as p matters. a*a is had in two floats. The scale
   is 2^(n + 100), and the last product, by 2^-100, rounds a subnormal result once. */
static inline real portable_gelu(real x)
{
    const real magic = CONST(0x1.8001c6p+23f); /* bias 227 = 127 + 100 */
    const real magnitude = ABS(x);
    const real a = SELECT(magnitude > CONST(14.5f), CONST(14.5f), magnitude);
    real q = CONST(0x1.75f056p-8f);
    q = FMA(q, a, CONST(0x1.a01722p-5f));
    q = FMA(q, a, CONST(0x1.b308eep-3f));
    q = FMA(q, a, CONST(0x1.e786acp-2f));
    real p = CONST(0x1.d440bcp-7f);
    p = FMA(p, a, CONST(0x1.05b096p-3f));
    p = FMA(p, a, CONST(0x1.fcb1b2p-2f));
    const real square = MUL(a, a);
    const real y = MUL(a, CONST(0.5f)) + MUL(square, q);
    const real z = MUL(square, CONST(-0.5f));
    const real low = MUL(FMA(a, a, -square), CONST(-0.5f));
    const real octaves = portable_octaves(z, magic);
    const real n = octaves - magic;
    const real m = portable_expm1(portable_coarse(z, n), portable_ln2_rest(n) + low);
    const real s = portable_power_of_two(AS_BITS(octaves) & 0xff);
    const real divisor = CONST(1.0f) + FMA(y, CONST(0x1.40d932p+1f), MUL(a, p));
    const real u = DIV(MUL(y, s), divisor);
    const real tail = MUL(FMA(m, u, u), CONST(0x1p-100f));
    /* The sign bit: rusticl makes fmax(x, -0) of (x < 0 ? -0 : x), which can be -0 for +0. */
    return SELECT(AS_BITS(x) < 0, -tail, x - tail);
}

/* e^(-a*a) c q / (a q + p), c near 1/sqrt(pi), p and q polynomials; where a < 1, e^(-a - a w(a)).
   The exponent and the quotient are had in two floats. */
static inline real portable_erfc(real x)
{
    const real magic = CONST(0x1.8001c6p+23f); /* bias 227 = 127 + 100 */
    const real magnitude = ABS(x);
    const real a = SELECT(magnitude > CONST(10.25f), CONST(10.25f), magnitude);
    real q = CONST(0x1.1e449ep-3f);
    q = FMA(q, a, CONST(0x1.6388dp-1f));
    q = FMA(q, a, CONST(0x1.d72d4ap+0f));
    q = FMA(q, a, CONST(0x1.51fa4ep+1f));
    q = FMA(q, a, CONST(0x1.c5e51p+0f));
    real p = CONST(0x1.1e41f8p-4f);
    p = FMA(p, a, CONST(0x1.63b7ap-2f));
    p = FMA(p, a, CONST(0x1.b1d0d4p-1f));
    p = FMA(p, a, CONST(1.0f));
    const real c = CONST(0x1.20dd76p-1f);
    const real divisor = FMA(a, q, p);
    const real divisor_low = FMA(a, q, -divisor) + p;
    const real inverse = DIV(CONST(1.0f), divisor);
    const real top = MUL(q, c);
    const real top_low = FMA(q, c, -top);
    const real quotient = MUL(top, inverse);
    const real rest = FMA(-quotient, divisor, top) + FMA(-quotient, divisor_low, top_low);

    const real u = SELECT(a < CONST(1.0f), CONST(1.0f), quotient);
    const real u_low = SELECT(a < CONST(1.0f), CONST(0.0f), MUL(rest, inverse));
    const real slope = SELECT(a < CONST(1.0f), portable_erf_slope(a), a);
    const real product = MUL(a, slope);
    const real linear = SELECT(a < CONST(1.0f), a, CONST(0.0f));
    const real z = -linear - product;
    const real low = ((-linear - z) - product) - FMA(a, slope, -product);
    const real octaves = portable_octaves(z, magic);
    const real n = octaves - magic;
    const real r = portable_coarse(z, n);
    const real curve = portable_expm1_curve(r, portable_ln2_rest(n) + low);
    const real e = u + FMA(r, u, FMA(curve, u, u_low));
    const real s = portable_power_of_two(AS_BITS(octaves) & 0xff);
    const real tail = MUL(MUL(e, s), CONST(0x1p-100f));
    return SELECT(x < CONST(0.0f), CONST(2.0f) - tail, tail);
}

#endif
