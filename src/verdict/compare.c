/* The metrics of two tensors, in two passes: what kinds of values there are and how large, then how
   far apart they lie. Sums are formed in index order, so a comparison has the same figures
   everywhere. */
#include "verdict/compare.h"

#include <math.h>

#include "base/alloc.h"
#include "numeric/fpenv.h"
#include "numeric/ulp.h"

enum { BLOCK = 1024 };

/* Elements above LARGE of the largest count for max_ulp_large; FLOOR keeps a channel of almost
   nothing from dividing by it. */
static const double LARGE = 1e-3, FLOOR = 1e-3;

typedef struct channel {
    double largest, max_abs;
} channel;

typedef struct comparison {
    const fsc_tensor *got, *want;
    bool against_truth;
    double type_largest;  /* of got's type, */
    double type_overflow; /* the magnitude from which values round to its infinity, */
    double type_normal;   /* and its smallest normal value */
    channel *channels;
    int64_t channel_count;
    double sum_ulp, sum_square, sum_got, sum_want, sum_product;
    fsc_metrics *m;
} comparison;

/* Up to BLOCK elements of both sides as doubles. */
typedef struct block {
    int64_t begin, count;
    double got[BLOCK], want[BLOCK];
} block;

/* The environment keeps subnormals here, so a cast will do for f32. */
static void side_load(const fsc_tensor *tensor, int64_t begin, int64_t count, double *values)
{
    if (tensor->type == FSC_F32)
        for (int64_t i = 0; i < count; i++)
            values[i] = (double)((const float *)tensor->data)[begin + i];
    else
        for (int64_t i = 0; i < count; i++)
            values[i] = fsc__dtype_load(tensor->type, tensor->data, begin + i);
}

static void block_load(const comparison *c, int64_t begin, block *b)
{
    const int64_t rest = c->m->elems - begin;
    b->begin = begin;
    b->count = rest < BLOCK ? rest : BLOCK;
    side_load(c->got, begin, b->count, b->got);
    side_load(c->want, begin, b->count, b->want);
}

static void count_kinds(const comparison *c, double got, double want)
{
    fsc_metrics *m = c->m;
    m->nan_got += isnan(got);
    m->nan_want += isnan(want);
    m->inf_got += isinf(got) != 0;
    m->inf_want += isinf(want) != 0;
    m->zero_got += got == 0.0;
    m->zero_want += want == 0.0;
    m->subnormal_got += got != 0.0 && fabs(got) < c->type_normal;
    m->subnormal_want += want != 0.0 && fabs(want) < c->type_normal;
    m->out_of_range_want += isfinite(want) && fabs(want) > c->type_largest;
}

static void count_non_finite(const comparison *c, int64_t index, double got, double want)
{
    fsc_metrics *m = c->m;
    if (isinf(got) && fabs(want) >= c->type_overflow)
        want = copysign((double)INFINITY, want);
    const bool same = got == want || (isnan(got) && isnan(want));
    m->non_finite_mismatch += !same;
    if (!isfinite(got) && fabs(want) <= c->type_largest) {
        if (m->unsafe == 0)
            m->first_unsafe = index;
        m->unsafe++;
    }
}

/* Values of one type: both conversions to double were exact. */
static bool codes_differ(double got, double want)
{
    if (isnan(got) || isnan(want))
        return !(isnan(got) && isnan(want));
    return got != want || signbit(got) != signbit(want);
}

/* The channel of the element after one in `own`. */
static channel *next_channel(const comparison *c, channel *own)
{
    return own + 1 < c->channels + c->channel_count ? own + 1 : c->channels;
}

static void pass_kinds(comparison *c, const block *b)
{
    fsc_metrics *m = c->m;
    channel *own = c->channels + b->begin % c->channel_count;
    for (int64_t i = 0; i < b->count; i++, own = next_channel(c, own)) {
        const int64_t index = b->begin + i;
        const double got = b->got[i], want = b->want[i];
        count_kinds(c, got, want);
        if (!c->against_truth && codes_differ(got, want)) {
            if (m->bits_differ == 0)
                m->first_differ = index;
            m->bits_differ++;
        }
        if (!isfinite(got) || !isfinite(want)) {
            count_non_finite(c, index, got, want);
            continue;
        }
        m->compared++;
        if (fabs(want) > own->largest)
            own->largest = fabs(want);
        if (own->largest > m->largest)
            m->largest = own->largest;
    }
}

static double ulp_distance(const comparison *c, int64_t index, double got, double want)
{
    if (c->against_truth)
        return fabs(got - want) / fsc__ulp_spacing(c->got->type, want);
    const int64_t distance = fsc__ulp_ordinal(c->got->type, c->got->data, index) -
                             fsc__ulp_ordinal(c->want->type, c->want->data, index);
    return (double)(distance < 0 ? -distance : distance);
}

static void pass_distances(comparison *c, const block *b)
{
    fsc_metrics *m = c->m;
    channel *own = c->channels + b->begin % c->channel_count;
    for (int64_t i = 0; i < b->count; i++, own = next_channel(c, own)) {
        const int64_t index = b->begin + i;
        const double got = b->got[i], want = b->want[i];
        if (!isfinite(got) || !isfinite(want))
            continue;
        c->sum_got += got * got;
        c->sum_want += want * want;
        c->sum_product += got * want;
        if (m->worst < 0) {
            m->worst = index;
            m->worst_got = got;
            m->worst_want = want;
        }
        if (got == want)
            continue;
        const double distance = fabs(got - want);
        const double ulp = ulp_distance(c, index, got, want);
        c->sum_square += distance * distance;
        c->sum_ulp += ulp;
        if (ulp > m->max_ulp)
            m->max_ulp = ulp;
        if (ulp > m->max_ulp_large && fabs(want) > LARGE * m->largest)
            m->max_ulp_large = ulp;
        if (distance > own->max_abs)
            own->max_abs = distance;
        if (distance > m->max_abs) {
            m->max_abs = distance;
            m->worst = index;
            m->worst_got = got;
            m->worst_want = want;
        }
    }
}

static double ratio(double error, double scale)
{
    return error == 0.0 ? 0.0 : error / scale;
}

static double cosine_of(const comparison *c)
{
    if (c->sum_got == 0.0 || c->sum_want == 0.0)
        return c->sum_got == c->sum_want ? 1.0 : 0.0;
    const double cosine = c->sum_product / (sqrt(c->sum_got) * sqrt(c->sum_want));
    return cosine > 1.0 ? 1.0 : cosine;
}

static void conclude(comparison *c)
{
    fsc_metrics *m = c->m;
    const double least_scale = FLOOR * m->largest;
    m->cosine = cosine_of(c);
    m->snr_db = c->sum_square == 0.0 ? (double)INFINITY : 10.0 * log10(c->sum_want / c->sum_square);
    if (m->compared == 0)
        return;
    m->mean_ulp = c->sum_ulp / (double)m->compared;
    m->rmse = sqrt(c->sum_square / (double)m->compared);
    m->rel_norm = ratio(m->max_abs, m->largest);
    for (int64_t i = 0; i < c->channel_count; i++) {
        const channel *own = &c->channels[i];
        const double scale = own->largest > least_scale ? own->largest : least_scale;
        const double rel_norm = ratio(own->max_abs, scale);
        if (m->worst_channel < 0 || rel_norm > m->rel_norm_channel) {
            m->rel_norm_channel = rel_norm;
            m->worst_channel = i;
        }
    }
}

static fsc_status check_comparable(const fsc_tensor *got, const fsc_tensor *want, fsc_error *why)
{
    if (!fsc__shape_equal(&got->shape, &want->shape)) {
        char got_text[128], want_text[128];
        fsc__shape_write(&got->shape, got_text, sizeof got_text);
        fsc__shape_write(&want->shape, want_text, sizeof want_text);
        FSC_FAIL(why, FSC_ERR_INPUT, "shapes to compare differ: %s and %s", got_text, want_text);
    }
    if ((got->type != FSC_F32 && got->type != FSC_F16 && got->type != FSC_BF16) ||
        (want->type != got->type && want->type != FSC_F64))
        FSC_FAIL(why, FSC_ERR_INPUT,
                 "%s cannot be compared with %s; f32, f16 and bf16 can, with their own type and "
                 "with f64",
                 fsc__dtype_name(got->type), fsc__dtype_name(want->type));
    return FSC_OK;
}

fsc_status fsc__compare(const fsc_tensor *got, const fsc_tensor *want, fsc_metrics *metrics,
                        fsc_error *why)
{
    static void (*const passes[])(comparison *, const block *) = {pass_kinds, pass_distances};
    FSC_TRY(check_comparable(got, want, why));
    const fsc__shape *shape = &got->shape;
    const double type_largest = fsc__dtype_max(got->type);
    fsc_metrics m = {.elems = fsc__shape_elems(shape),
                     .bits_differ = want->type == FSC_F64 ? -1 : 0,
                     .first_differ = -1,
                     .worst = -1,
                     .worst_channel = -1,
                     .first_unsafe = -1};
    comparison c = {.got = got,
                    .want = want,
                    .against_truth = want->type == FSC_F64,
                    .type_largest = type_largest,
                    .type_overflow = type_largest + 0.5 * fsc__ulp_spacing(got->type, type_largest),
                    .type_normal = ldexp(1.0, fsc__dtype_lowest_exponent(got->type)),
                    .channel_count = shape->rank > 0 ? shape->dims[shape->rank - 1] : 1,
                    .m = &m};
    c.channels = fsc__calloc((size_t)c.channel_count, sizeof *c.channels);
    if (!c.channels)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory to compare %lld channels",
                 (long long)c.channel_count);
    fsc__fpenv env;
    fsc__fpenv_enter(&env);
    for (int pass = 0; pass < 2; pass++)
        for (int64_t begin = 0; begin < m.elems; begin += BLOCK) {
            block b;
            block_load(&c, begin, &b);
            passes[pass](&c, &b);
        }
    conclude(&c);
    fsc__fpenv_leave(&env);
    fsc__free(c.channels);
    *metrics = m;
    return FSC_OK;
}
