/* The inverse of the normal distribution function, the same bits on every machine. */
#ifndef FSC_NUMERIC_QUANTILE_H
#define FSC_NUMERIC_QUANTILE_H

/* x with P(normal < x) = p, to about 1e-15 of |x|. 0 < p < 1. */
double fsc__normal_quantile(double p);

#endif
