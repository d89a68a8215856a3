/* Distances in units in the last place. */
#ifndef FSC_NUMERIC_ULP_H
#define FSC_NUMERIC_ULP_H

#include <stdint.h>

#include "numeric/dtype.h"

/* The position of element index in the ordered finite values and infinities of its floating type;
   -0 and +0 are both 0. Meaningless for NaN. f32, f16, bf16. */
int64_t fsc__ulp_ordinal(fsc_dtype type, const void *data, int64_t index);

/* The spacing of the type's values at |value|: subnormal spacing near zero, and that of the largest
   binade beyond it. */
double fsc__ulp_spacing(fsc_dtype type, double value);

/* |got - want| in spacings at want: fractional ULP against the true value. 0 for equal infinities
   and for two NaNs, infinity where only one is NaN or infinite. want at or beyond one spacing past
   the largest value is an infinity of the type; between the largest value and there it is a number,
   and an infinite got counts as that spacing past the largest, so that near overflow the distance
   is one of roundings. */
double fsc__ulp_error(fsc_dtype type, double got, double want);

#endif
