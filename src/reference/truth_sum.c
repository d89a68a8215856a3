/* What a sum of products in f32 may be off the true one. */
#include "reference/truth_run.h"

#include <math.h>

void fsc__truth_sum_errors(int64_t terms, const double *value, const double *exact, int64_t n,
                           double *error)
{
    const double k = (double)terms;
    for (int64_t i = 0; i < n; i++) {
        const double sum = error[i];
        const double carried = exact ? sum - exact[i] + k * 0x1p-51 * sum : 0.0;
        const double total = carried + 2.0 * k * (FSC__TRUTH_UNIT * sum + FSC__TRUTH_TINY);
        const bool sure = isfinite(value[i]) && sum + total <= fsc__dtype_max(FSC_F32);
        error[i] = sure ? total : (double)INFINITY;
    }
}
