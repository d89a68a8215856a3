/* Distances in units in the last place, by ordinal and against a true value. */
#include "numeric/ulp.h"

#include <assert.h>
#include <math.h>

int64_t fsc__ulp_ordinal(fsc_dtype type, const void *data, int64_t index)
{
    if (type == FSC_F32) {
        const uint32_t code = fsc__f32_bits(((const float *)data)[index]);
        const int64_t magnitude = code & 0x7fffffffu;
        return code >> 31 ? -magnitude : magnitude;
    }
    assert(type == FSC_F16 || type == FSC_BF16);
    const uint16_t code = ((const uint16_t *)data)[index];
    const int64_t magnitude = code & 0x7fff;
    return code >> 15 ? -magnitude : magnitude;
}

double fsc__ulp_spacing(fsc_dtype type, double value)
{
    const double largest = fsc__dtype_max(type);
    const double magnitude = fabs(value);
    if (isnan(value))
        return value;
    const int lowest = fsc__dtype_lowest_exponent(type);
    int exponent; /* of a significand below 1 */
    frexp(magnitude < largest ? magnitude : largest, &exponent);
    if (magnitude == 0.0 || exponent - 1 < lowest)
        exponent = lowest + 1;
    return ldexp(1.0, exponent - 1 - fsc__dtype_fraction_bits(type));
}

double fsc__ulp_error(fsc_dtype type, double got, double want)
{
    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want) ? 0.0 : (double)INFINITY;
    const double largest = fsc__dtype_max(type);
    const double overflow = largest + fsc__ulp_spacing(type, largest);
    if (fabs(want) >= overflow)
        want = copysign((double)INFINITY, want);
    else if (fabs(want) > largest && isinf(got))
        got = copysign(overflow, got);
    if (got == want)
        return 0.0;
    return fabs(got - want) / fsc__ulp_spacing(type, want);
}
