/* The table of element types and every conversion between them. Subnormal values are converted as
   integers, so that no flush-to-zero setting of a driver can reach them. */
#include "numeric/dtype.h"

#include <math.h>
#include <string.h>

/* fraction_bits and bias describe floating types, 0 for integers. */
typedef struct dtype_row {
    const char *name;
    size_t bytes;
    double lowest, largest; /* finite */
    int fraction_bits, bias;
} dtype_row;

static const dtype_row rows[FSC_DTYPE_COUNT] = {
    [FSC_F32] = {"f32", 4, -0x1.fffffep127, 0x1.fffffep127, 23, 127},
    [FSC_F16] = {"f16", 2, -65504.0, 65504.0, 10, 15},
    [FSC_BF16] = {"bf16", 2, -0x1.fep127, 0x1.fep127, 7, 127},
    [FSC_F64] = {"f64", 8, -0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023, 52, 1023},
    [FSC_I8] = {"i8", 1, -128.0, 127.0, 0, 0},
    [FSC_U8] = {"u8", 1, 0.0, 255.0, 0, 0},
    [FSC_I32] = {"i32", 4, -2147483648.0, 2147483647.0, 0, 0},
};

const char *fsc__dtype_name(fsc_dtype type)
{
    return rows[type].name;
}

bool fsc__dtype_find(const char *name, fsc_dtype *type)
{
    for (int i = 0; i < FSC_DTYPE_COUNT; i++)
        if (strcmp(rows[i].name, name) == 0) {
            *type = (fsc_dtype)i;
            return true;
        }
    return false;
}

size_t fsc__dtype_bytes(fsc_dtype type)
{
    return rows[type].bytes;
}

double fsc__dtype_max(fsc_dtype type)
{
    return rows[type].largest;
}

int fsc__dtype_fraction_bits(fsc_dtype type)
{
    return rows[type].fraction_bits;
}

int fsc__dtype_lowest_exponent(fsc_dtype type)
{
    return 1 - rows[type].bias;
}

uint32_t fsc__f32_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

float fsc__f32_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint16_t fsc__f16_from_f32(float value)
{
    const uint32_t bits = fsc__f32_bits(value);
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return 0x7e00;
    uint32_t code;
    if (magnitude >= 0x47800000u) /* 2^16 and above */
        code = 0x7c00;
    else if (magnitude <
             0x38800000u) /* below 2^-14: 0.5 has the spacing 2^-24 of subnormal halves */
        code = fsc__f32_bits(fsc__f32_of_bits(magnitude) + 0.5f) - 0x3f000000u;
    else /* a carry out of the fraction goes into the exponent, up to infinity */
        code = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
    return (uint16_t)(code | (bits >> 16 & 0x8000u));
}

float fsc__f32_from_f16(uint16_t code)
{
    const uint32_t sign = (code & 0x8000u) << 16;
    const uint32_t magnitude = code & 0x7fffu;
    if (magnitude < 0x400u) {
        const float value = (float)magnitude * 0x1p-24f;
        return fsc__f32_of_bits(sign | fsc__f32_bits(value));
    }
    const uint32_t rebias = magnitude >= 0x7c00u ? 0x70000000u : 0x38000000u;
    return fsc__f32_of_bits(sign | ((magnitude << 13) + rebias));
}

uint16_t fsc__bf16_from_f32(float value)
{
    const uint32_t bits = fsc__f32_bits(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return 0x7fc0;
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

float fsc__f32_from_bf16(uint16_t code)
{
    return fsc__f32_of_bits((uint32_t)code << 16);
}

/* The code nearest to value, ties to even, straight from the significand of the double: through
   float there would be two roundings. For types narrower than a double. */
static uint32_t code_from_f64(const dtype_row *row, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t magnitude = bits & 0x7fffffffffffffffu;
    const uint64_t infinity = ((uint64_t)row->bias * 2 + 1) << row->fraction_bits;
    if (magnitude > 0x7ff0000000000000u)
        return (uint32_t)(infinity | (uint64_t)1 << (row->fraction_bits - 1));

    const int exponent = (int)(magnitude >> 52) - 1023;
    const int below = 1 - row->bias - exponent; /* binades below the smallest normal value */
    const int shift = 52 - row->fraction_bits + (below > 0 ? below : 0);
    uint64_t code = 0;
    if (shift <= 53) {
        const uint64_t significand = (magnitude & 0xfffffffffffffu) | 0x10000000000000u;
        const uint64_t rest = significand & (((uint64_t)1 << shift) - 1);
        const uint64_t half = (uint64_t)1 << (shift - 1);
        code = significand >> shift;
        code += rest > half || (rest == half && (code & 1));
        /* The hidden bit adds one to the exponent field, hence the -1. */
        if (below <= 0)
            code += (uint64_t)(exponent + row->bias - 1) << row->fraction_bits;
        if (code > infinity)
            code = infinity;
    }
    return (uint32_t)(code | (bits >> 63) << (8 * row->bytes - 1));
}

static int32_t integer_from_f64(const dtype_row *row, double value)
{
    if (isnan(value))
        return 0;
    if (value <= row->lowest)
        return (int32_t)row->lowest;
    if (value >= row->largest)
        return (int32_t)row->largest;
    return (int32_t)rint(value);
}

static float f32_from_f64(double value)
{
    if (fabs(value) >= 0x1p-126)
        return (float)value;
    return fsc__f32_of_bits(code_from_f64(&rows[FSC_F32], value));
}

static double f64_from_f32(float value)
{
    const uint32_t bits = fsc__f32_bits(value);
    if (bits & 0x7f800000u)
        return (double)value;
    const double magnitude = (double)(bits & 0x7fffffu) * 0x1p-149;
    return bits >> 31 ? -magnitude : magnitude;
}

void fsc__dtype_store(fsc_dtype type, void *data, int64_t index, double value)
{
    const dtype_row *row = &rows[type];
    switch (type) {
    case FSC_F32:
        ((float *)data)[index] = f32_from_f64(value);
        break;
    case FSC_F16:
    case FSC_BF16:
        ((uint16_t *)data)[index] = (uint16_t)code_from_f64(row, value);
        break;
    case FSC_F64:
        ((double *)data)[index] = value;
        break;
    case FSC_I8:
        ((int8_t *)data)[index] = (int8_t)integer_from_f64(row, value);
        break;
    case FSC_U8:
        ((uint8_t *)data)[index] = (uint8_t)integer_from_f64(row, value);
        break;
    case FSC_I32:
        ((int32_t *)data)[index] = integer_from_f64(row, value);
        break;
    case FSC_DTYPE_COUNT:
        break;
    }
}

double fsc__dtype_load(fsc_dtype type, const void *data, int64_t index)
{
    switch (type) {
    case FSC_F32:
        return f64_from_f32(((const float *)data)[index]);
    case FSC_F16:
        return (double)fsc__f32_from_f16(((const uint16_t *)data)[index]);
    case FSC_BF16:
        return f64_from_f32(fsc__f32_from_bf16(((const uint16_t *)data)[index]));
    case FSC_F64:
        return ((const double *)data)[index];
    case FSC_I8:
        return ((const int8_t *)data)[index];
    case FSC_U8:
        return ((const uint8_t *)data)[index];
    case FSC_I32:
        return ((const int32_t *)data)[index];
    case FSC_DTYPE_COUNT:
        break;
    }
    return NAN;
}

float fsc__dtype_round(fsc_dtype type, float value)
{
    if (type == FSC_F16)
        return fsc__f32_from_f16(fsc__f16_from_f32(value));
    if (type == FSC_BF16)
        return fsc__f32_from_bf16(fsc__bf16_from_f32(value));
    return value;
}
