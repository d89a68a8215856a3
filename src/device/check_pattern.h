/* Operands on which wrong arithmetic shows. */
#ifndef FSC_DEVICE_CHECK_PATTERN_H
#define FSC_DEVICE_CHECK_PATTERN_H

typedef void fsc__pattern_fill(float *x, float *y, float *z, int n);

/* For every check: pairs of extremes, random bit patterns, operands of like size. */
fsc__pattern_fill fsc__pattern_shared;

fsc__pattern_fill fsc__pattern_subnormals;    /* and small normals */
fsc__pattern_fill fsc__pattern_sums;          /* exact ties of x+y, and beside them; tiny results */
fsc__pattern_fill fsc__pattern_products;      /* the same of x*y */
fsc__pattern_fill fsc__pattern_cancellations; /* z = round(x*y) or its negative */
fsc__pattern_fill fsc__pattern_quotients;     /* x/y as near a midpoint as floats can be */
fsc__pattern_fill fsc__pattern_roots;         /* the same of sqrt(x) */
fsc__pattern_fill fsc__pattern_fmas;          /* ties that the last bit decides, tiny addends */
fsc__pattern_fill fsc__pattern_ties;          /* x equal to y, zeros of both signs, NaN */

#endif
