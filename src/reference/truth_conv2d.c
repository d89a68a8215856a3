/* Convolutions in double, row by row of the output, and the certain bound on their sums in f32. */
#include "reference/truth_run.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "graph/conv2d.h"
#include "reference/threads.h"

/* x as planes [n,c,h,w], weights [oc,c/groups,kh,kw], sum in the layout of the result. */
typedef struct convolution {
    fsc__conv2d_dims dims;
    const double *x, *weights;
    double *sum;
} convolution;

/* The outputs [first, last) of a row whose input for the tap at column kx is in the image. */
static void taps_inside(const fsc__conv2d_dims *d, int64_t kx, int64_t *first, int64_t *last)
{
    const int64_t shift = kx * d->dilation_w - d->left, end = d->w - shift;
    const int64_t begin = shift < 0 ? (-shift + d->stride_w - 1) / d->stride_w : 0;
    const int64_t stop = end > 0 ? (end - 1) / d->stride_w + 1 : 0;
    *last = stop < d->ow ? stop : d->ow;
    *first = begin < *last ? begin : *last;
}

static void add_products(double weight, const double *restrict x, int64_t step,
                         double *restrict row, int64_t count)
{
    if (step == 1) {
        for (int64_t i = 0; i < count; i++)
            row[i] += weight * x[i];
    } else {
        for (int64_t i = 0; i < count; i++)
            row[i] += weight * x[i * step];
    }
}

/* The halo is +0 and is multiplied: no sum changes but by a weight that is not finite. */
static void add_halo(double weight, double *row, int64_t count)
{
    const double product = weight * 0.0;
    if (product == 0.0)
        return;
    for (int64_t i = 0; i < count; i++)
        row[i] += product;
}

/* Row y of output channel `channel` of image n. */
static void sum_row(const convolution *conv, int64_t n, int64_t y, int64_t channel, double *row)
{
    const fsc__conv2d_dims *d = &conv->dims;
    const int64_t channels = d->c / d->groups, taps = d->kh * d->kw;
    const int64_t group = channel / (d->oc / d->groups);
    const double *planes = conv->x + (n * d->c + group * channels) * d->h * d->w;
    const double *weights = conv->weights + channel * channels * taps;
    memset(row, 0, (size_t)d->ow * sizeof *row);
    for (int64_t kx = 0; kx < d->kw; kx++) {
        int64_t first, last;
        taps_inside(d, kx, &first, &last);
        const int64_t x = first * d->stride_w + kx * d->dilation_w - d->left;
        for (int64_t c = 0; c < channels; c++) {
            for (int64_t ky = 0; ky < d->kh; ky++) {
                const double weight = weights[c * taps + ky * d->kw + kx];
                const int64_t input = y * d->stride_h + ky * d->dilation_h - d->top;
                if (input < 0 || input >= d->h || first == last) {
                    add_halo(weight, row, d->ow);
                    continue;
                }
                add_products(weight, planes + (c * d->h + input) * d->w + x, d->stride_w,
                             row + first, last - first);
                add_halo(weight, row, first);
                add_halo(weight, row + last, d->ow - last);
            }
        }
    }
}

/* Rows [begin, end) of all images, those of all channels at one place being neighbours. */
static fsc_status sum_rows(void *context, int64_t begin, int64_t end)
{
    const convolution *conv = context;
    const fsc__conv2d_dims *d = &conv->dims;
    const bool planes = d->layout == FSC__LAYOUT_NCHW;
    double *row = fsc__alloc((size_t)d->ow, sizeof *row);
    if (!row)
        return FSC_ERR_MEMORY;
    for (int64_t at = begin; at < end; at++) {
        const int64_t channel = at % d->oc, y = at / d->oc % d->oh, n = at / (d->oc * d->oh);
        sum_row(conv, n, y, channel, row);
        double *to = conv->sum + (planes ? ((n * d->oc + channel) * d->oh + y) * d->ow
                                         : (n * d->oh + y) * d->ow * d->oc + channel);
        for (int64_t i = 0; i < d->ow; i++)
            to[planes ? i : i * d->oc] = row[i];
    }
    fsc__free(row);
    return FSC_OK;
}

static fsc_status convolve(const fsc__conv2d_dims *dims, const double *x, const double *weights,
                           double *sum, fsc_error *why)
{
    convolution conv = {.dims = *dims, .x = x, .weights = weights, .sum = sum};
    return fsc__threads_run(dims->n * dims->oh * dims->oc, 1, sum_rows, &conv, why);
}

/* A new array: x as planes [n,c,h,w], its values or |values| + error (NULL for none). */
static double *planes_of(const fsc__conv2d_dims *d, const double *value, const double *error,
                         bool absolute)
{
    const int64_t places = d->h * d->w, elems = d->n * d->c * places;
    const bool last = d->layout == FSC__LAYOUT_NHWC;
    double *to = fsc__alloc((size_t)elems, sizeof *to);
    for (int64_t i = 0; to && i < elems; i++) {
        const int64_t n = i / (d->c * places), channel = i / places % d->c, place = i % places;
        const int64_t from = last ? (n * places + place) * d->c + channel : i;
        to[i] = absolute ? fabs(value[from]) + (error ? error[from] : 0.0) : value[from];
    }
    return to;
}

/* out = (|x| + x_error) convolved with (|weights| + w_error), errors NULL for none. */
static fsc_status convolve_magnitudes(const fsc__conv2d_dims *d, const double *x,
                                      const double *x_error, const double *weights,
                                      const double *w_error, double *out, fsc_error *why)
{
    const int64_t weight_elems = d->oc * d->terms;
    double *planes = planes_of(d, x, x_error, true);
    double *wide = fsc__alloc((size_t)weight_elems, sizeof *wide);
    fsc_status status = FSC_OK;
    if (!planes || !wide)
        FSC_GO(fsc__fail(why, FSC_ERR_MEMORY, "out of memory on the host"));
    for (int64_t i = 0; i < weight_elems; i++)
        wide[i] = fabs(weights[i]) + (w_error ? w_error[i] : 0.0);
    FSC_GO(convolve(d, planes, wide, out, why));
done:
    fsc__free(planes);
    fsc__free(wide);
    return status;
}

/* A new array, per image, place and group (the last axis): the sum of |x| under the window. */
static fsc_status window_sums(const fsc__conv2d_dims *d, const double *x, double **sums,
                              fsc_error *why)
{
    fsc__conv2d_dims ones = *d;
    ones.oc = d->groups;
    double *planes = planes_of(d, x, NULL, true);
    double *weights = fsc__alloc((size_t)(d->groups * d->terms), sizeof *weights);
    double *out = fsc__alloc((size_t)(d->n * d->groups * d->oh * d->ow), sizeof *out);
    fsc_status status = FSC_OK;
    if (!planes || !weights || !out)
        FSC_GO(fsc__fail(why, FSC_ERR_MEMORY, "out of memory on the host"));
    for (int64_t i = 0; i < d->groups * d->terms; i++)
        weights[i] = 1.0;
    ones.layout = FSC__LAYOUT_NHWC;
    FSC_GO(convolve(&ones, planes, weights, out, why));
    *sums = out;
    out = NULL;
done:
    fsc__free(planes);
    fsc__free(weights);
    fsc__free(out);
    return status;
}

/* Adds to error what operands flushed to zero may lose: of each product, the other operand times
   less than the smallest normal value. */
static fsc_status add_flushed(const fsc__conv2d_dims *d, const double *x, const double *weights,
                              double *error, fsc_error *why)
{
    const int64_t places = d->oh * d->ow, of_group = d->oc / d->groups;
    double *windows = NULL;
    FSC_TRY(window_sums(d, x, &windows, why));
    for (int64_t channel = 0; channel < d->oc; channel++) {
        double sum = 0.0;
        for (int64_t t = 0; t < d->terms; t++)
            sum += fabs(weights[channel * d->terms + t]);
        for (int64_t at = 0; at < d->n * places; at++) {
            const int64_t to = d->layout == FSC__LAYOUT_NHWC
                                   ? at * d->oc + channel
                                   : (at / places * d->oc + channel) * places + at % places;
            const double window = windows[at * d->groups + channel / of_group];
            error[to] += 2.0 * FSC__TRUTH_TINY * (window + sum);
        }
    }
    fsc__free(windows);
    return FSC_OK;
}

static fsc_status conv2d_error(const fsc__truth_run *run, const fsc__node *node,
                               const fsc__truth_value *out, fsc_error *why)
{
    const fsc__conv2d_dims d = fsc__graph_conv2d(run->graph, node);
    const fsc__truth_value *x = &run->values[node->in[0]], *w = &run->values[node->in[1]];
    const double *x_value = fsc__truth_data(&x->value), *x_error = fsc__truth_data(&x->error);
    const double *w_value = fsc__truth_data(&w->value), *w_error = fsc__truth_data(&w->error);
    const double *value = fsc__truth_data(&out->value);
    double *error = fsc__truth_data(&out->error), *exact = NULL;
    const int64_t elems = fsc__shape_elems(&out->value.shape);
    fsc_status status = FSC_OK;
    FSC_GO(convolve_magnitudes(&d, x_value, x_error, w_value, w_error, error, why));
    if (x_error || w_error) {
        exact = fsc__alloc((size_t)elems, sizeof *exact);
        if (!exact)
            FSC_GO(fsc__fail(why, FSC_ERR_MEMORY, "out of memory on the host"));
        FSC_GO(convolve_magnitudes(&d, x_value, NULL, w_value, NULL, exact, why));
    }
    fsc__truth_sum_errors(d.terms, value, exact, elems, error);
    FSC_GO(add_flushed(&d, x_value, w_value, error, why));
    for (int64_t i = 0; i < elems; i++)
        error[i] = fsc__truth_stored(run, value[i], error[i]);
done:
    fsc__free(exact);
    return status;
}

fsc_status fsc__truth_conv2d(const fsc__truth_run *run, const fsc__node *node,
                             const fsc__truth_value *out, fsc_error *why)
{
    const fsc__conv2d_dims dims = fsc__graph_conv2d(run->graph, node);
    double *planes =
        planes_of(&dims, fsc__truth_data(&run->values[node->in[0]].value), NULL, false);
    if (!planes)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory on the host");
    const fsc_status status =
        convolve(&dims, planes, fsc__truth_data(&run->values[node->in[1]].value),
                 fsc__truth_data(&out->value), why);
    fsc__free(planes);
    if (status != FSC_OK || !run->bounds)
        return status;
    return conv2d_error(run, node, out, why);
}
