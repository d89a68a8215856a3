/* Sums of products with the fma that flushes, which in software would take 15 ns a step. Included
   by predict_isa.c alone. */
#ifndef FSC_REFERENCE_PREDICT_ISA_FLUSH_H
#define FSC_REFERENCE_PREDICT_ISA_FLUSH_H

#include "reference/predict_isa.h"
#include "reference/predict_isa_storage.h"
#include "vocabulary.h"

#ifdef FSC_FMA_FLUSHES
enum { FLUSH_BLOCK = 64 };

/* Whether the bits of a float are those of a subnormal, an infinity or a NaN. */
static inline uint32_t not_plain(uint32_t code)
{
    return ((code & 0x7f800000u) - 0x00800000u >= 0x7f000000u) & (code << 1 != 0);
}

/* The flushing fma in software is slow and differs from the exact one only near subnormal and
   infinite values and, by vocabulary.h, within 2^-60 of a tie. Elsewhere the sum in double, rounded
   to float, is what both give: a double that is not a tie itself rounds as the exact sum does. A
   zero among the three (the halo of an image, what relu leaves, a sum that begins) leaves one
   operation, which is right as well, unless the result is a zero. */
static void flushing_line(float a, const float *restrict b, float *restrict sum, int64_t cols)
{
    const uint32_t doubtful = not_plain(code_of(a));
    for (int64_t at = 0; at < cols; at += FLUSH_BLOCK) {
        const int64_t n = cols - at < FLUSH_BLOCK ? cols - at : FLUSH_BLOCK;
        float rounded[FLUSH_BLOCK];
        uint32_t doubts[FLUSH_BLOCK], any = 0;
        for (int64_t j = 0; j < n; j++) {
            const double wide = (double)a * (double)b[at + j] + (double)sum[at + j];
            uint64_t code;
            memcpy(&code, &wide, sizeof code);
            rounded[j] = (float)wide;
            const uint32_t result = code_of(rounded[j]);
            uint32_t doubt = doubtful;
            doubt |= not_plain(code_of(b[at + j])) | not_plain(code_of(sum[at + j]));
            /* From twice the smallest normal value on, and not rounded to infinity. */
            doubt |= (result & 0x7f800000u) - 0x01000000u >= 0x7e800000u;
            doubt |= ((uint32_t)code & 0x1fffffffu) == 0x10000000u;
            doubts[j] = doubt;
            any |= doubt;
        }
        for (int64_t j = 0; any != 0 && j < n; j++) {
            if (doubts[j] != 0)
                rounded[j] = FMA(a, b[at + j], sum[at + j]);
        }
        memcpy(sum + at, rounded, (size_t)n * sizeof *rounded);
    }
}

static void products_flushing(const fsc__predict_product *p)
{
    for (int64_t i = 0; i < p->rows; i++) {
        for (int64_t t = 0; t < p->terms; t++)
            flushing_line(p->a[i * p->a_row + t * p->a_term], p->b + t * p->b_term,
                          p->sum + i * p->sum_row, p->cols);
    }
}
#endif

#endif
