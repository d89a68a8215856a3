/* Metrics as JSON: one table of their names. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "verdict/compare.h"

typedef struct member_row {
    const char *name;
    size_t offset;
    bool real; /* a double, else an int64_t */
} member_row;

#define REAL(name)                               \
    {                                            \
#name, offsetof(fsc_metrics, name), true \
    }
#define COUNT(name)                               \
    {                                             \
#name, offsetof(fsc_metrics, name), false \
    }

static const member_row members[] = {
    COUNT(elems),         COUNT(compared),        COUNT(bits_differ),
    COUNT(first_differ),  REAL(max_ulp),          REAL(mean_ulp),
    REAL(max_ulp_large),  REAL(max_abs),          REAL(largest),
    REAL(rel_norm),       REAL(rel_norm_channel), COUNT(worst_channel),
    REAL(rmse),           REAL(cosine),           REAL(snr_db),
    COUNT(worst),         REAL(worst_got),        REAL(worst_want),
    COUNT(nan_got),       COUNT(nan_want),        COUNT(inf_got),
    COUNT(inf_want),      COUNT(zero_got),        COUNT(zero_want),
    COUNT(subnormal_got), COUNT(subnormal_want),  COUNT(non_finite_mismatch),
    COUNT(unsafe),        COUNT(first_unsafe),    COUNT(out_of_range_want),
};

static cJSON *number_json(double value)
{
    if (isnan(value))
        return cJSON_CreateString("nan");
    if (isinf(value))
        return cJSON_CreateString(value > 0.0 ? "inf" : "-inf");
    return cJSON_CreateNumber(value);
}

static double member_value(const fsc_metrics *metrics, const member_row *row)
{
    const char *place = (const char *)metrics + row->offset;
    double real;
    int64_t count;
    if (row->real) {
        memcpy(&real, place, sizeof real);
        return real;
    }
    memcpy(&count, place, sizeof count);
    return (double)count;
}

cJSON *fsc__metrics_json(const fsc_metrics *metrics)
{
    cJSON *object = cJSON_CreateObject();
    for (size_t i = 0; object && i < sizeof members / sizeof members[0]; i++) {
        cJSON *number = number_json(member_value(metrics, &members[i]));
        if (!cJSON_AddItemToObject(object, members[i].name, number)) {
            cJSON_Delete(number);
            cJSON_Delete(object);
            return NULL;
        }
    }
    return object;
}
