/* Reading and writing W elements of each storage type, and rounding to it in registers.

   load_T(p, i, n)       elements i .. i+W-1 of which n >= 1 are there: nothing beyond i+n-1 is
                         read, the other lanes are 0
   load1_T(p, i)         element i in every lane
   store_T(p, i, n, x)   the first n lanes; a NaN is written as the canonical one
   round_T(x)            x as it would be after store and load */
#ifndef FSC_STORAGE_H
#define FSC_STORAGE_H

#include "vocabulary.h"

bits is_nan(bits code)
{
    return (code & 0x7fffffff) > 0x7f800000;
}

real load_f32(global const float *p, int i, int n)
{
    if (n >= W)
        return VLOAD(p + i);
    float part[W];
    for (int lane = 0; lane < W; lane++)
        part[lane] = lane < n ? p[i + lane] : 0.0f;
    return VLOAD(part);
}

real load1_f32(global const float *p, int i)
{
    return CONST(p[i]);
}

void store_f32(global float *p, int i, int n, real x)
{
    const bits code = AS_BITS(x);
    const real y = AS_REAL(SELECT(is_nan(code), (bits)(0x7fc00000), code));
    if (n >= W) {
        VSTORE(y, p + i);
        return;
    }
    float part[W];
    VSTORE(y, part);
    for (int lane = 0; lane < n; lane++)
        p[i + lane] = part[lane];
}

/* The 16-bit codes of lanes, as load_T and store_T. */
bits load_code(global const ushort *p, int i, int n)
{
    if (n >= W)
        return VLOAD_CODE(p + i);
    ushort part[W];
    for (int lane = 0; lane < W; lane++)
        part[lane] = lane < n ? p[i + lane] : 0;
    return VLOAD_CODE(part);
}

void store_code(global ushort *p, int i, int n, bits code)
{
    if (n >= W) {
        VSTORE_CODE(code, p + i);
        return;
    }
    ushort part[W];
    VSTORE_CODE(code, part);
    for (int lane = 0; lane < n; lane++)
        p[i + lane] = part[lane];
}

/* The value of a half code, exactly. Not by vload_half: of vectors that lie at odd addresses one
   driver makes an access that must be aligned. A subnormal is what is added to 2^-14. */
real value_f16(bits code)
{
    const bits size = (code & 0x7fff) << 13;
    const bits sign = SHIFT_LEFT(code & 0x8000, 16);
    const bits tiny = AS_BITS(AS_REAL(size + 0x38800000) - CONST(0x1p-14f));
    const bits finite = SELECT(size < 0x00800000, tiny, size + 0x38000000);
    return AS_REAL(SELECT(size >= 0x0f800000, size + 0x70000000, finite) | sign);
}

real load_f16(global const ushort *p, int i, int n)
{
    return value_f16(load_code(p, i, n));
}

real load1_f16(global const ushort *p, int i)
{
    return value_f16((bits)((int)p[i]));
}

/* To the nearest of 11 significant bits, to the nearest multiple of 2^-24 below 2^-14: adding and
   subtracting 0.5, whose last place is 2^-24, does the latter. */
real round_f16(real x)
{
    const bits code = AS_BITS(x);
    const bits size = code & 0x7fffffff;
    const bits sign = code ^ size;
    const bits even = (size + 0xfff + ((size >> 13) & 1)) & ~0x1fff;
    const bits tiny = AS_BITS((AS_REAL(size) + 0.5f) - 0.5f);
    const bits finite = SELECT(size < 0x38800000, tiny, even);
    const bits limited = SELECT(finite > 0x477fe000, (bits)(0x7f800000), finite);
    return AS_REAL(SELECT(is_nan(code), (bits)(0x7fc00000), limited | sign));
}

/* The code of round_f16(x). Not by vstore_half: what it makes of a NaN differs between drivers. */
bits code_f16(real x)
{
    const bits code = AS_BITS(x);
    const bits size = code & 0x7fffffff;
    const bits sign = ((code ^ size) >> 16) & 0x8000;
    const bits even = ((size + 0xfff + ((size >> 13) & 1)) >> 13) - 0x1c000;
    const bits tiny = AS_BITS(AS_REAL(size) + 0.5f) - 0x3f000000;
    const bits finite = SELECT(size < 0x38800000, tiny, even);
    const bits limited = SELECT(finite > 0x7bff, (bits)(0x7c00), finite);
    return SELECT(is_nan(code), (bits)(0x7e00), limited | sign);
}

void store_f16(global ushort *p, int i, int n, real x)
{
    store_code(p, i, n, code_f16(x));
}

/* A bf16 is the upper half of a float. */
real load_bf16(global const ushort *p, int i, int n)
{
    return AS_REAL(load_code(p, i, n) << 16);
}

real load1_bf16(global const ushort *p, int i)
{
    return CONST(as_float((int)p[i] << 16));
}

/* NaN is tested first: rounding the integer 0x7fffffff would give -0. */
real round_bf16(real x)
{
    const bits code = AS_BITS(x);
    const bits even = (code + 0x7fff + ((code >> 16) & 1)) & ~0xffff;
    return AS_REAL(SELECT(is_nan(code), (bits)(0x7fc00000), even));
}

void store_bf16(global ushort *p, int i, int n, real x)
{
    store_code(p, i, n, (AS_BITS(round_bf16(x)) >> 16) & 0xffff);
}

#endif
