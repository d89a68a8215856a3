/* The checks of the probe: an operation as device text, what C makes of it, and directed patterns.
   Knows nothing of OpenCL. */
#ifndef FSC_DEVICE_CHECK_H
#define FSC_DEVICE_CHECK_H

#include "base/text.h"
#include "numeric/caps.h"

typedef enum fsc__check_id {
    FSC__CHECK_COPY,
    FSC__CHECK_ADD,
    FSC__CHECK_SUB,
    FSC__CHECK_MUL,
    FSC__CHECK_PRODUCT_SUM,
    FSC__CHECK_PRODUCT_DIFFERENCE,
    FSC__CHECK_DIVIDE,
    FSC__CHECK_SQRT,
    FSC__CHECK_FMA,
    FSC__CHECK_SELECT,
    FSC__CHECK_ABS,
    FSC__CHECK_LOAD_HALF,
    FSC__CHECK_STORE_HALF,
    FSC__CHECK_COUNT
} fsc__check_id;

enum {
    FSC__CHECK_PATTERNS = 6144, /* of each check but the last two */
    FSC__HALF_CODES = 65536,
    FSC__HALF_FLOATS = 4 * 65536 /* patterns for the store of halves */
};

const char *fsc__check_name(fsc__check_id id);

/* Appends the #defines and probe_op() that cl/probe.cl wants. */
void fsc__check_write(fsc__text *generated);

/* Fills FSC__CHECK_PATTERNS operands. */
void fsc__check_fill(fsc__check_id id, float *x, float *y, float *z);

/* The bits that a correct device stores, NaN as the canonical one. */
uint32_t fsc__check_expect(fsc__check_id id, fsc__fma fma, float x, float y, float z);

/* Fills FSC__HALF_FLOATS floats: each half, each midpoint of neighbours, and the floats next to it.
 */
void fsc__check_fill_halves(float *x);

/* The fma that FSC__FMA_FLUSHES names, as the prediction computes it. */
float fsc__check_flushing_fma(float x, float y, float z);

#endif
