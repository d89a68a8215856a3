/* f16 and bf16 codes to and from f32, without branches so that the loops are vectorised. Included
   by predict_isa.c alone. */
#ifndef FSC_REFERENCE_PREDICT_ISA_STORAGE_H
#define FSC_REFERENCE_PREDICT_ISA_STORAGE_H

#include <stdint.h>
#include <string.h>

static inline uint32_t code_of(float value)
{
    uint32_t code;
    memcpy(&code, &value, sizeof code);
    return code;
}

static inline float value_of(uint32_t code)
{
    float value;
    memcpy(&value, &code, sizeof value);
    return value;
}

static inline float f32_load(float value)
{
    return value;
}

static inline float f32_store(float value)
{
    return value != value ? value_of(0x7fc00000u) : value;
}

static inline float f16_load(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    const uint32_t low = (uint32_t)(half & 0x7fffu) << 13;
    const uint32_t normal = low + (112u << 23);
    const uint32_t infinite = low + (224u << 23);
    /* The fraction behind an implicit one of weight 2^-14, which is then taken away. */
    const uint32_t subnormal = code_of(value_of(low + (113u << 23)) - 0x1p-14f);
    const uint32_t finite = low < (1u << 23) ? subnormal : normal;
    return value_of(sign | (low >= (31u << 23) ? infinite : finite));
}

static inline uint16_t f16_store(float value)
{
    const uint32_t code = code_of(value);
    const uint32_t low = code & 0x7fffffffu;
    const uint32_t normal = (low + 0xfffu + ((low >> 13) & 1u) - (112u << 23)) >> 13;
    /* 0.5 has the spacing of half's subnormals: the addition rounds to them. */
    const uint32_t subnormal = code_of(value_of(low) + 0.5f) - (126u << 23);
    const uint32_t finite = low < (113u << 23) ? subnormal : normal;
    const uint32_t number = low >= 0x477ff000u ? 0x7c00u : finite; /* 65520 and beyond */
    const uint32_t half = low > 0x7f800000u ? 0x7e00u : number | ((code >> 16) & 0x8000u);
    return (uint16_t)half;
}

static inline float bf16_load(uint16_t half)
{
    return value_of((uint32_t)half << 16);
}

static inline uint16_t bf16_store(float value)
{
    const uint32_t code = code_of(value);
    const uint32_t rounded = (code + 0x7fffu + ((code >> 16) & 1u)) >> 16;
    return (uint16_t)((code & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : rounded);
}

#define STORAGE_LOOPS(type, element)                                                        \
    static void type##_load_all(const void *data, int64_t begin, int64_t n, float *out)     \
    {                                                                                       \
        const element *restrict from = (const element *)data + begin;                       \
        float *restrict to = out;                                                           \
        for (int64_t i = 0; i < n; i++)                                                     \
            to[i] = type##_load(from[i]);                                                   \
    }                                                                                       \
    static void type##_store_all(const float *values, int64_t n, void *data, int64_t begin) \
    {                                                                                       \
        const float *restrict from = values;                                                \
        element *restrict to = (element *)data + begin;                                     \
        for (int64_t i = 0; i < n; i++)                                                     \
            to[i] = type##_store(from[i]);                                                  \
    }                                                                                       \
    static void type##_round_all(float *values, int64_t n)                                  \
    {                                                                                       \
        for (int64_t i = 0; i < n; i++)                                                     \
            values[i] = type##_load(type##_store(values[i]));                               \
    }

STORAGE_LOOPS(f32, float)
STORAGE_LOOPS(f16, uint16_t)
STORAGE_LOOPS(bf16, uint16_t)

#endif
