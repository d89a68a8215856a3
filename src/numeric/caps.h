/* What a device's arithmetic does, as measured by the probe (src/device/probe.c), and its limits.
   The prediction depends on nothing else of a device. */
#ifndef FSC_NUMERIC_CAPS_H
#define FSC_NUMERIC_CAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* fma as measured. FLUSHES: that of FSC_FMA_FLUSHES in cl/vocabulary.h (rusticl on llvmpipe, with
   libclc's fma in software): subnormal operands and results count as zeros. OTHER: neither; nothing
   can be predicted. */
typedef enum fsc__fma { FSC__FMA_EXACT, FSC__FMA_FLUSHES, FSC__FMA_OTHER } fsc__fma;

/* How a correctly rounded quotient or root is had: the plain operator, through double, or on the
   float significands with an fma remainder. */
typedef enum fsc__round_way {
    FSC__ROUND_PLAIN,
    FSC__ROUND_DOUBLE,
    FSC__ROUND_REMAINDER,
    FSC__ROUND_NONE
} fsc__round_way;

typedef struct fsc__caps {
    fsc__fma fma;
    fsc__round_way divide, sqrt;
    bool contracts;        /* FP_CONTRACT OFF is ignored: products are written fma(a,b,-0) */
    bool keeps_subnormals; /* in + - * / sqrt and in loads and stores */
    bool converts_half;    /* halves are loaded and stored exactly, all ties included */
    bool timer;            /* event profiling gives believable times */
    bool fp64, fp16;
    bool gpu;
    int native_width; /* floats in a vector register, 1 when unknown */
    int compute_units;
    size_t kernel_group; /* work-items in a work-group a kernel can count on (32 on rusticl) */
    int loop_limit;      /* of all loops of a work-item together: more iterations are left out in
                            silence (65,535 on llvmpipe); 0: no limit known */
    size_t local_bytes;
    uint64_t buffer_bytes; /* largest single buffer */
    uint64_t memory_bytes;
    int max_arguments; /* buffers one kernel may take */
    char refused[256]; /* "" or why no mode can be predicted on this device */
} fsc__caps;

#endif
