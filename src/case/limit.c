/* User limits: a table of metrics, and the elementwise rtol and atol. */
#include "case/limit.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* One metric that a limit may name. */
typedef struct metric {
    const char *name;
    size_t offset; /* of a double in fsc_metrics */
    bool at_least; /* the limit is a lower one */
} metric;

static const metric metrics_table[FSC__LIMIT_METRICS] = {
    {"ulp", offsetof(fsc_metrics, max_ulp), false},
    {"ulp_large", offsetof(fsc_metrics, max_ulp_large), false},
    {"max_abs", offsetof(fsc_metrics, max_abs), false},
    {"rel_norm", offsetof(fsc_metrics, rel_norm), false},
    {"rel_norm_channel", offsetof(fsc_metrics, rel_norm_channel), false},
    {"rmse", offsetof(fsc_metrics, rmse), false},
    {"cosine", offsetof(fsc_metrics, cosine), true},
    {"snr_db", offsetof(fsc_metrics, snr_db), true},
};

/* Every key of a tolerance; those from NUMBERS on may also stand under a storage type's name. */
static const char *const keys[] = {"of",
                                   "f32",
                                   "f16",
                                   "bf16",
                                   "rtol",
                                   "atol",
                                   "ulp",
                                   "ulp_large",
                                   "max_abs",
                                   "rel_norm",
                                   "rel_norm_channel",
                                   "rmse",
                                   "cosine",
                                   "snr_db"};
enum { FIRST_STORAGE = 1, NUMBERS = 4, KEYS = sizeof keys / sizeof keys[0] };

static fsc_status parse_number(const fsc__json *at, const char *key, bool *has, double *number,
                               fsc_error *why)
{
    if (!fsc__json_has(at, key))
        return FSC_OK;
    const fsc__json member = fsc__json_member(at, key);
    FSC_TRY(fsc__json_number(&member, 0.0, HUGE_VAL, number, why));
    *has = true;
    return FSC_OK;
}

static fsc_status parse_numbers(const fsc__json *at, fsc__limit *limit, fsc_error *why)
{
    FSC_TRY(parse_number(at, "rtol", &limit->elementwise, &limit->rtol, why));
    FSC_TRY(parse_number(at, "atol", &limit->elementwise, &limit->atol, why));
    limit->set = limit->set || limit->elementwise;
    for (int i = 0; i < FSC__LIMIT_METRICS; i++) {
        FSC_TRY(parse_number(at, metrics_table[i].name, &limit->has[i], &limit->most[i], why));
        limit->set = limit->set || limit->has[i];
    }
    return FSC_OK;
}

static fsc_status parse_of(const fsc__json *at, bool *of_error, fsc_error *why)
{
    if (!fsc__json_has(at, "of"))
        return FSC_OK;
    const fsc__json member = fsc__json_member(at, "of");
    const char *of = NULL;
    FSC_TRY(fsc__json_text(&member, &of, why));
    if (strcmp(of, "delta") != 0 && strcmp(of, "error") != 0)
        return fsc__json_fail(&member, why, "\"%s\" is not a comparison; delta or error", of);
    *of_error = strcmp(of, "error") == 0;
    return FSC_OK;
}

fsc_status fsc__limit_parse(const fsc__json *at, fsc_dtype storage, fsc__limit *limit,
                            fsc_error *why)
{
    fsc__limit chosen = {0};
    if (at->node != NULL) {
        FSC_TRY(fsc__json_keys(at, keys, KEYS, why));
        FSC_TRY(parse_of(at, &chosen.of_error, why));
        const fsc__limit blank = chosen;
        FSC_TRY(parse_numbers(at, &chosen, why));
        for (int i = FIRST_STORAGE; i < NUMBERS; i++) {
            if (!fsc__json_has(at, keys[i]))
                continue;
            const fsc__json member = fsc__json_member(at, keys[i]);
            fsc__limit typed = blank;
            FSC_TRY(fsc__json_keys(&member, keys + NUMBERS, KEYS - NUMBERS, why));
            FSC_TRY(parse_numbers(&member, &typed, why));
            if (strcmp(keys[i], fsc__dtype_name(storage)) == 0)
                chosen = typed;
        }
    }
    *limit = chosen;
    return FSC_OK;
}

/* Elements beyond atol + rtol*|want|; equal infinities and two NaNs are within. */
static int64_t count_beyond(const fsc__limit *limit, const fsc_tensor *got, const fsc_tensor *want,
                            int64_t *worst)
{
    const int64_t elems = fsc__shape_elems(&got->shape);
    int64_t beyond = 0;
    double farthest = -1.0;
    for (int64_t i = 0; i < elems; i++) {
        const double a = fsc__dtype_load(got->type, got->data, i);
        const double b = fsc__dtype_load(want->type, want->data, i);
        if (a == b || (isnan(a) && isnan(b)))
            continue;
        const double distance = fabs(a - b);
        if (isfinite(b) && distance <= limit->atol + limit->rtol * fabs(b))
            continue;
        beyond++;
        if (!(distance <= farthest)) {
            farthest = distance;
            *worst = i;
        }
    }
    return beyond;
}

bool fsc__limit_met(const fsc__limit *limit, const fsc_tensor *got, const fsc_tensor *want,
                    const fsc_metrics *metrics, char *missed, size_t bytes)
{
    if (limit->elementwise) {
        int64_t worst = 0;
        const int64_t beyond = count_beyond(limit, got, want, &worst);
        if (beyond > 0) {
            snprintf(missed, bytes,
                     "%lld of %lld elements are beyond atol %.4g + rtol %.4g * |want|; worst at "
                     "element %lld: %.9g for %.9g",
                     (long long)beyond, (long long)metrics->elems, limit->atol, limit->rtol,
                     (long long)worst, fsc__dtype_load(got->type, got->data, worst),
                     fsc__dtype_load(want->type, want->data, worst));
            return false;
        }
    }
    for (int i = 0; i < FSC__LIMIT_METRICS; i++) {
        if (!limit->has[i])
            continue;
        const metric *m = &metrics_table[i];
        double value;
        memcpy(&value, (const char *)metrics + m->offset, sizeof value);
        const bool met = m->at_least ? value >= limit->most[i] : value <= limit->most[i];
        if (!met || metrics->non_finite_mismatch > 0) {
            snprintf(missed, bytes,
                     "%s is %.4g, the limit %.4g; %lld elements are not finite on "
                     "one side only",
                     m->name, value, limit->most[i], (long long)metrics->non_finite_mismatch);
            return false;
        }
    }
    return true;
}
