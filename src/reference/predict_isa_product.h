/* Blocks of sums of products, vectorised over the columns. Included by predict_isa.c alone. */
#ifndef FSC_REFERENCE_PREDICT_ISA_PRODUCT_H
#define FSC_REFERENCE_PREDICT_ISA_PRODUCT_H

#include "reference/predict_isa_flush.h"
#include "vocabulary.h"

/* Rows and terms taken together: each load of b serves ROWS rows, each load and store of a sum
   serves TERMS terms. */
enum { PRODUCT_ROWS = 4, PRODUCT_TERMS = 4 };

static inline float sum_step(fsc__contract contract, float a, float b, float sum)
{
    return contract == FSC__CONTRACT_SUMS ? FMA(a, b, sum) : sum + MUL(a, b);
}

typedef struct product_a {
    float value[PRODUCT_ROWS][PRODUCT_TERMS];
} product_a;

/* Values of a against PRODUCT_TERMS rows of b. */
static inline void product_block(const product_a *a, const float *restrict b, int64_t b_term,
                                 float *restrict sum, int64_t sum_row, int64_t cols,
                                 fsc__contract contract)
{
    for (int64_t j = 0; j < cols; j++) {
        for (int i = 0; i < PRODUCT_ROWS; i++) {
            float total = sum[i * sum_row + j];
            for (int t = 0; t < PRODUCT_TERMS; t++)
                total = sum_step(contract, a->value[i][t], b[t * b_term + j], total);
            sum[i * sum_row + j] = total;
        }
    }
}

static inline void product_line(float a, const float *restrict b, float *restrict sum, int64_t cols,
                                fsc__contract contract)
{
    for (int64_t j = 0; j < cols; j++)
        sum[j] = sum_step(contract, a, b[j], sum[j]);
}

static inline void product_rows(const fsc__predict_product *p, int64_t row, int64_t rows,
                                int64_t term, int64_t terms, fsc__contract contract)
{
    for (int64_t i = row; i < row + rows; i++) {
        for (int64_t t = term; t < term + terms; t++)
            product_line(p->a[i * p->a_row + t * p->a_term], p->b + t * p->b_term,
                         p->sum + i * p->sum_row, p->cols, contract);
    }
}

static inline void product_all(const fsc__predict_product *p, fsc__contract contract)
{
    const int64_t whole_rows = p->rows - p->rows % PRODUCT_ROWS;
    const int64_t whole_terms = p->terms - p->terms % PRODUCT_TERMS;
    for (int64_t i = 0; i < whole_rows; i += PRODUCT_ROWS) {
        for (int64_t t = 0; t < whole_terms; t += PRODUCT_TERMS) {
            product_a a;
            for (int r = 0; r < PRODUCT_ROWS; r++) {
                for (int s = 0; s < PRODUCT_TERMS; s++)
                    a.value[r][s] = p->a[(i + r) * p->a_row + (t + s) * p->a_term];
            }
            product_block(&a, p->b + t * p->b_term, p->b_term, p->sum + i * p->sum_row, p->sum_row,
                          p->cols, contract);
        }
        product_rows(p, i, PRODUCT_ROWS, whole_terms, p->terms - whole_terms, contract);
    }
    product_rows(p, whole_rows, p->rows - whole_rows, 0, p->terms, contract);
}

#ifdef FSC_FMA_FLUSHES
#define PRODUCTS_CONTRACTED(product) products_flushing(product)
#else
#define PRODUCTS_CONTRACTED(product) product_all(product, FSC__CONTRACT_SUMS)
#endif

static void products(const fsc__predict_product *product, fsc__contract contract)
{
    if (contract == FSC__CONTRACT_SUMS)
        PRODUCTS_CONTRACTED(product);
    else
        product_all(product, FSC__CONTRACT_OFF);
}

#endif
