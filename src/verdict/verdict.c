/* The verdict of a case: the first rule that applies, and the figure that decided it. */
#include "verdict/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "numeric/ulp.h"

static const double NEGLIGIBLE = 1e-5; /* of rel_norm_channel */
static const double NEARER = 1.1;      /* ratio of two errors below which they are equal */

typedef struct verdict_row {
    const char *name;
    bool fails;
} verdict_row;

static const verdict_row verdicts[FSC__VERDICT_COUNT] = {
    [FSC__EXACT] = {"exact", false},       [FSC__NEGLIGIBLE] = {"negligible", false},
    [FSC__ROUNDING] = {"rounding", false}, [FSC__DIFFERS] = {"differs", false},
    [FSC__RESCUED] = {"rescued", false},   [FSC__MISTRUSTED] = {"mistrusted", true},
    [FSC__UNSAFE] = {"unsafe", true},      [FSC__BROKEN] = {"broken", true},
    [FSC__SKIPPED] = {"skipped", false},   [FSC__ERROR] = {"error", true},
    [FSC__CRASH] = {"crash", true},        [FSC__TIMEOUT] = {"timeout", true},
};

const char *fsc__verdict_name(fsc__verdict verdict)
{
    return verdicts[verdict].name;
}

bool fsc__verdict_find(const char *name, fsc__verdict *verdict)
{
    for (int i = 0; i < FSC__VERDICT_COUNT; i++)
        if (strcmp(verdicts[i].name, name) == 0) {
            *verdict = (fsc__verdict)i;
            return true;
        }
    return false;
}

bool fsc__verdict_fails(fsc__verdict verdict, bool zeros)
{
    return verdicts[verdict].fails && !(verdict == FSC__MISTRUSTED && zeros);
}

/* A rule says whether its verdict applies, and then in reason why. */
typedef bool rule(const fsc__judged *judged, char *reason, size_t bytes);

static bool side_broken(const fsc_metrics *m, const char *side, char *reason, size_t bytes)
{
    if (m->bits_differ == 0)
        return false;
    snprintf(reason, bytes, "%lld of %lld %s outputs differ from the prediction, first at %lld",
             (long long)m->bits_differ, (long long)m->elems, side, (long long)m->first_differ);
    return true;
}

static bool is_broken(const fsc__judged *judged, char *reason, size_t bytes)
{
    return side_broken(&judged->conformance, "fused", reason, bytes) ||
           side_broken(&judged->conformance_unfused, "unfused", reason, bytes);
}

static bool side_unsafe(const fsc_metrics *m, const char *side, char *reason, size_t bytes)
{
    if (m->unsafe == 0)
        return false;
    snprintf(reason, bytes,
             "%lld of %lld %s outputs are not finite where the true value is in range, first at "
             "%lld",
             (long long)m->unsafe, (long long)m->elems, side, (long long)m->first_unsafe);
    return true;
}

static bool is_unsafe(const fsc__judged *judged, char *reason, size_t bytes)
{
    return side_unsafe(&judged->error_fused, "fused", reason, bytes);
}

static bool is_mistrusted(const fsc__judged *judged, char *reason, size_t bytes)
{
    const fsc_metrics *delta = &judged->delta, *error = &judged->error_fused;
    if (judged->elems == 0 || delta->elems == 0)
        snprintf(reason, bytes, "there are no outputs to compare");
    else if (error->compared == 0)
        snprintf(reason, bytes, "none of %lld outputs is finite in both fused result and truth",
                 (long long)error->elems);
    else if (delta->compared > 0 && delta->largest == 0.0 && delta->max_abs == 0.0)
        snprintf(reason, bytes, "all %lld finite outputs are zero, fused and unfused",
                 (long long)delta->compared);
    else
        return false;
    return true;
}

static bool is_rescued(const fsc__judged *judged, char *reason, size_t bytes)
{
    return side_unsafe(&judged->error_unfused, "unfused", reason, bytes);
}

static bool is_exact(const fsc__judged *judged, char *reason, size_t bytes)
{
    const fsc_metrics *delta = &judged->delta;
    if (delta->non_finite_mismatch > 0 || !(delta->max_abs == 0.0))
        return false;
    snprintf(reason, bytes, "all %lld fused outputs equal the unfused ones",
             (long long)delta->elems);
    return true;
}

static bool is_negligible(const fsc__judged *judged, char *reason, size_t bytes)
{
    const fsc_metrics *delta = &judged->delta;
    if (delta->non_finite_mismatch > 0 || !(delta->rel_norm_channel <= NEGLIGIBLE))
        return false;
    snprintf(reason, bytes, "rel_norm of the worst channel (%lld) is %.3g, within %g",
             (long long)delta->worst_channel, delta->rel_norm_channel, NEGLIGIBLE);
    return true;
}

static bool is_rounding(const fsc__judged *judged, char *reason, size_t bytes)
{
    const fsc_metrics *delta = &judged->delta;
    const double ulp = fsc__ulp_spacing(judged->storage, delta->largest);
    if (delta->non_finite_mismatch > 0 || !(delta->max_abs <= ulp))
        return false;
    snprintf(reason, bytes, "max_abs %.3g is within one %s ulp, %.3g, of the largest output %.6g",
             delta->max_abs, fsc__dtype_name(judged->storage), ulp, delta->largest);
    return true;
}

static bool always_differs(const fsc__judged *judged, char *reason, size_t bytes)
{
    const fsc_metrics *delta = &judged->delta;
    const double ulp = fsc__ulp_spacing(judged->storage, delta->largest);
    if (delta->non_finite_mismatch > 0)
        snprintf(reason, bytes, "%lld of %lld outputs are not finite in the same way on both sides",
                 (long long)delta->non_finite_mismatch, (long long)delta->elems);
    else
        snprintf(reason, bytes, "max_abs %.3g is %.3g %s ulps of the largest output %.6g",
                 delta->max_abs, delta->max_abs / ulp, fsc__dtype_name(judged->storage),
                 delta->largest);
    return true;
}

fsc__verdict fsc__verdict_of(const fsc__judged *judged, char *reason, size_t bytes)
{
    static const struct {
        fsc__verdict verdict;
        rule *applies;
    } rules[] = {
        {FSC__BROKEN, is_broken},     {FSC__UNSAFE, is_unsafe}, {FSC__MISTRUSTED, is_mistrusted},
        {FSC__RESCUED, is_rescued},   {FSC__EXACT, is_exact},   {FSC__NEGLIGIBLE, is_negligible},
        {FSC__ROUNDING, is_rounding},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].applies(judged, reason, bytes))
            return rules[i].verdict;
    always_differs(judged, reason, bytes);
    return FSC__DIFFERS;
}

/* A ratio of errors with two digits or so: 3.1x, 35x, 2.0e+06x. */
static void nearer(const char *side, double ratio, char *text, size_t bytes)
{
    if (isinf(ratio))
        snprintf(text, bytes, "%s is nearer the truth, which it equals", side);
    else
        snprintf(text, bytes,
                 ratio < 9.95      ? "%s is nearer the truth, %.1fx"
                 : ratio < 99999.5 ? "%s is nearer the truth, %.0fx"
                                   : "%s is nearer the truth, %.1ex",
                 side, ratio);
}

void fsc__direction(const fsc__judged *judged, char *text, size_t bytes)
{
    const fsc_metrics *fused = &judged->error_fused, *unfused = &judged->error_unfused;
    if (fused->unsafe != unfused->unsafe)
        snprintf(text, bytes, "%s is nearer the truth, finite where the other is not",
                 fused->unsafe < unfused->unsafe ? "fused" : "unfused");
    else if (fused->compared == 0 || unfused->compared == 0)
        snprintf(text, bytes, "unknown: no finite outputs to set beside the truth");
    else if (fused->rmse * NEARER < unfused->rmse)
        nearer("fused", unfused->rmse / fused->rmse, text, bytes);
    else if (unfused->rmse * NEARER < fused->rmse)
        nearer("unfused", fused->rmse / unfused->rmse, text, bytes);
    else
        snprintf(text, bytes, "equal");
}
