/* The inner loops of the prediction for one instruction set and one fma: FSC_ISA names the table,
   FSC_FMA_FLUSHES chooses the quirk of vocabulary.h. */
#include "reference/predict_isa.h"

#include "vocabulary.h"
#include "portable.h" /* after the words it is written in */
#include "reference/predict_isa_norm.h"
#include "reference/predict_isa_product.h"
#include "reference/predict_isa_storage.h"

/* Operands that an op lacks are its first once more, and unused. */
#define FSC_OP(name, inputs, role, attributes, expression, ulp, note)                          \
    static void op_##name(const float *const in[], const float *restrict attr,                 \
                          float *restrict out, int64_t n)                                      \
    {                                                                                          \
        const real p0 = attr[0], p1 = attr[1], p2 = attr[2], p3 = attr[3];                     \
        (void)p0, (void)p1, (void)p2, (void)p3;                                                \
        const float *restrict a_values = in[0], *restrict b_values = in[(inputs) > 1 ? 1 : 0]; \
        const float *restrict c_values = in[(inputs) > 2 ? 2 : 0];                             \
        const float *restrict d_values = in[(inputs) > 3 ? 3 : 0];                             \
        const float *restrict e_values = in[(inputs) > 4 ? 4 : 0];                             \
        for (int64_t i = 0; i < n; i++) {                                                      \
            const real a = a_values[i], b = b_values[i], c = c_values[i], d = d_values[i];     \
            const real e = e_values[i];                                                        \
            (void)b, (void)c, (void)d, (void)e;                                                \
            out[i] = expression;                                                               \
        }                                                                                      \
    }
#include "ops.def"
#undef FSC_OP

static fsc__predict_op_loop *const op_loops[] = {
#define FSC_OP(name, inputs, role, attributes, expression, ulp, note) op_##name,
#include "ops.def"
#undef FSC_OP
};

static void load(fsc_dtype type, const void *data, int64_t begin, int64_t n, float *out)
{
    if (type == FSC_F16)
        f16_load_all(data, begin, n, out);
    else if (type == FSC_BF16)
        bf16_load_all(data, begin, n, out);
    else
        f32_load_all(data, begin, n, out);
}

static void store(fsc_dtype type, const float *values, int64_t n, void *data, int64_t begin)
{
    if (type == FSC_F16)
        f16_store_all(values, n, data, begin);
    else if (type == FSC_BF16)
        bf16_store_all(values, n, data, begin);
    else
        f32_store_all(values, n, data, begin);
}

static void round_to(fsc_dtype type, float *values, int64_t n)
{
    if (type == FSC_F16)
        f16_round_all(values, n);
    else if (type == FSC_BF16)
        bf16_round_all(values, n);
    else
        f32_round_all(values, n);
}

#define TABLE_NAME(isa) TABLE_NAME_OF(isa)
#define TABLE_NAME_OF(isa) fsc__predict_loops_##isa
const fsc__predict_loops TABLE_NAME(FSC_ISA) = {
    .ops = op_loops,
    .load = load,
    .store = store,
    .round = round_to,
    .add = add_all,
    .products = products,
    .norm = norm_row,
};
