/* Element types: names, sizes, and conversions that round once, to nearest even. */
#ifndef FSC_NUMERIC_DTYPE_H
#define FSC_NUMERIC_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum fsc_dtype {
    FSC_F32,
    FSC_F16,
    FSC_BF16,
    FSC_F64,
    FSC_I8,
    FSC_U8,
    FSC_I32,
    FSC_DTYPE_COUNT
} fsc_dtype;

const char *fsc__dtype_name(fsc_dtype type);             /* "f16" */
bool fsc__dtype_find(const char *name, fsc_dtype *type); /* false when unknown */
size_t fsc__dtype_bytes(fsc_dtype type);

/* The largest finite value; 65504 for f16. Floating types only. */
double fsc__dtype_max(fsc_dtype type);

/* The stored bits of the significand (10 for f16) and the exponent of the smallest normal value
   (-14 for f16). Floating types only. */
int fsc__dtype_fraction_bits(fsc_dtype type);
int fsc__dtype_lowest_exponent(fsc_dtype type);

/* Conversions between f32 values and codes. From f32: nearest even, overflow to infinity, NaN to
   the canonical NaN (0x7e00, 0x7fc0). */
uint16_t fsc__f16_from_f32(float value);
float fsc__f32_from_f16(uint16_t code);
uint16_t fsc__bf16_from_f32(float value);
float fsc__f32_from_bf16(uint16_t code);

/* One rounding from double, whatever the type; integers saturate and round half to even, NaN
   gives 0. The canonical NaN of f32 is 0x7fc00000. */
void fsc__dtype_store(fsc_dtype type, void *data, int64_t index, double value);
double fsc__dtype_load(fsc_dtype type, const void *data, int64_t index);

/* value rounded to a floating type and back. */
float fsc__dtype_round(fsc_dtype type, float value);

uint32_t fsc__f32_bits(float value);
float fsc__f32_of_bits(uint32_t bits);

#endif
