/* Shapes as text and the shapes that ops make. */
#include "graph/shape.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const int64_t size_limit = INT64_C(1) << 31; /* kernels index with 32-bit ints */

const char *const fsc__by_names[] = {
    [FSC__BY_FULL] = "full",       [FSC__BY_COL] = "col",       [FSC__BY_ROW] = "row",
    [FSC__BY_CHANNEL] = "channel", [FSC__BY_SCALAR] = "scalar",
};

/* Whether the product of the sizes, each below 2^31, is below 2^31. */
static bool within_limit(const fsc__shape *shape)
{
    int64_t elems = 1;
    for (int axis = 0; axis < shape->rank; axis++) {
        elems *= shape->dims[axis];
        if (elems >= size_limit)
            return false;
    }
    return true;
}

fsc_status fsc__shape_limit(const fsc__shape *shape, fsc_error *why)
{
    if (within_limit(shape))
        return FSC_OK;
    char text[128];
    fsc__shape_write(shape, text, sizeof text);
    FSC_FAIL(why, FSC_ERR_INPUT, "%s has 2^31 elements or more; tensors have fewer", text);
}

static fsc_status fail_text(const fsc__shape_parts *parts, fsc_error *why, const char *what)
{
    FSC_FAIL(why, FSC_ERR_INPUT,
             "shape \"%.200s\": %s; a shape is sizes of 1 to 2^31-1 joined by x, at most %d, and "
             "parts joined by \":\", as in 384x1024:1024x4096",
             parts->text, what, FSC_MAX_RANK);
}

/* The sizes of one part, which ends at ':' or the end of the text. */
static fsc_status parse_part(fsc__shape_parts *parts, const char **at, fsc_error *why)
{
    char what[160];
    fsc__shape shape = {0};
    do {
        const char *begin = *at;
        int64_t size = 0;
        for (; isdigit((unsigned char)**at) && size < size_limit; (*at)++)
            size = 10 * size + (**at - '0');
        if (*at == begin) {
            const char found[] = {'"', *begin, '"', '\0'};
            snprintf(what, sizeof what, "column %d: expected a size, found %s",
                     (int)(begin - parts->text) + 1, *begin ? found : "the end");
            return fail_text(parts, why, what);
        }
        if (size < 1 || size >= size_limit) {
            snprintf(what, sizeof what, "column %d: the size is %s", (int)(begin - parts->text) + 1,
                     size < 1 ? "0" : "2^31 or more");
            return fail_text(parts, why, what);
        }
        if (shape.rank == FSC_MAX_RANK)
            return fail_text(parts, why, "too many axes");
        shape.dims[shape.rank++] = size;
    } while (**at == 'x' && (*at)++);
    if (!within_limit(&shape)) {
        snprintf(what, sizeof what, "part %d has 2^31 elements or more", parts->count + 1);
        return fail_text(parts, why, what);
    }
    if (parts->count == FSC__SHAPE_MAX_PARTS)
        return fail_text(parts, why, "too many parts");
    parts->part[parts->count++] = shape;
    return FSC_OK;
}

int64_t fsc__shape_weight(const char *digits, size_t length)
{
    int64_t weight = 0;
    if (length == 0 || length > 7)
        return 0;
    for (size_t i = 0; i < length; i++) {
        if (!isdigit((unsigned char)digits[i]))
            return 0;
        weight = 10 * weight + (digits[i] - '0');
    }
    return weight <= 1000000 ? weight : 0;
}

fsc_status fsc__shape_name(const char *text, const char *at, int64_t *weight, fsc_error *why)
{
    *weight = 1;
    if (*at == '\0')
        return FSC_OK;
    const bool quoted = at[0] == 'n' && at[1] == '"';
    const char *name = at + (quoted ? 2 : 1), *end = name + (*at == 'n' ? strcspn(name, "\" ") : 0);
    if (end == name || (quoted ? strcmp(end, "\"") : *end) != 0)
        FSC_FAIL(why, FSC_ERR_INPUT,
                 "shape \"%.200s\": column %d: expected the end or a name, as in n\"conv1\"", text,
                 (int)((end == name || !*end ? at : end) - text) + 1);
    const char *digits = end;
    while (digits > name && isdigit((unsigned char)digits[-1]))
        digits--;
    if (digits == name || digits[-1] != '*')
        return FSC_OK;
    *weight = fsc__shape_weight(digits, (size_t)(end - digits));
    if (*weight == 0)
        FSC_FAIL(why, FSC_ERR_INPUT,
                 "shape \"%.200s\": column %d: the weight at the end of a name is a number from 1 "
                 "to 1000000",
                 text, (int)(digits - text) + 1);
    return FSC_OK;
}

fsc_status fsc__shape_parse(const char *text, fsc__shape_parts *parts, fsc_error *why)
{
    fsc__shape_parts parsed = {.text = text, .weight = 1};
    const char *at = text;
    do
        FSC_TRY(parse_part(&parsed, &at, why));
    while (*at == ':' && at++);
    if (*at == 'n') {
        FSC_TRY(fsc__shape_name(text, at, &parsed.weight, why));
    } else if (*at) {
        char what[64];
        snprintf(what, sizeof what, "column %d: expected x or \":\", found \"%c\"",
                 (int)(at - text) + 1, *at);
        return fail_text(&parsed, why, what);
    }
    *parts = parsed;
    return FSC_OK;
}

fsc_status fsc__shape_by(fsc__by by, const fsc__shape *running, fsc__layout layout,
                         fsc__shape *operand, fsc_error *why)
{
    if (by == FSC__BY_FULL || running->rank == 0) {
        *operand = *running;
        return FSC_OK;
    }
    const int last = running->rank - 1;
    fsc__shape made = {.rank = 1, .dims = {1}};
    if (by == FSC__BY_COL || (by == FSC__BY_CHANNEL && layout == FSC__LAYOUT_NHWC)) {
        made.dims[0] = running->dims[last];
    } else if (by == FSC__BY_ROW) {
        made = *running;
        made.dims[last] = 1;
    } else if (by == FSC__BY_CHANNEL) {
        if (running->rank < 2)
            FSC_FAIL(why, FSC_ERR_INPUT,
                     "by=channel needs two axes or more (the channel is axis 1), here is one");
        made = (fsc__shape){.rank = last, .dims = {running->dims[1], 1, 1, 1, 1, 1}};
    }
    *operand = made;
    return FSC_OK;
}

fsc_status fsc__shape_broadcast(const fsc__shape *a, const fsc__shape *b, fsc__shape *out,
                                fsc_error *why)
{
    fsc__shape made = {.rank = a->rank > b->rank ? a->rank : b->rank};
    for (int back = 1; back <= made.rank; back++) {
        const int64_t of_a = back <= a->rank ? a->dims[a->rank - back] : 1;
        const int64_t of_b = back <= b->rank ? b->dims[b->rank - back] : 1;
        if (of_a != of_b && of_a != 1 && of_b != 1) {
            char text_a[128], text_b[128];
            fsc__shape_write(a, text_a, sizeof text_a);
            fsc__shape_write(b, text_b, sizeof text_b);
            FSC_FAIL(why, FSC_ERR_INPUT,
                     "%s and %s do not broadcast: aligned at the last axis, sizes must be equal "
                     "or 1",
                     text_a, text_b);
        }
        made.dims[made.rank - back] = of_a == 1 ? of_b : of_a;
    }
    FSC_TRY(fsc__shape_limit(&made, why));
    *out = made;
    return FSC_OK;
}

static bool batch_fits(const fsc__shape *a, const fsc__shape *b)
{
    if (b->rank == 2)
        return true;
    return b->rank == a->rank &&
           memcmp(a->dims, b->dims, (size_t)(a->rank - 2) * sizeof a->dims[0]) == 0;
}

fsc_status fsc__shape_matmul(const fsc__shape *a, const fsc__shape *b, bool trans_a, bool trans_b,
                             fsc__shape *out, fsc_error *why)
{
    char text_a[128], text_b[128];
    fsc__shape_write(a, text_a, sizeof text_a);
    fsc__shape_write(b, text_b, sizeof text_b);
    if (a->rank < 2 || b->rank < 2)
        FSC_FAIL(why, FSC_ERR_INPUT,
                 "matmul needs two axes or more on both sides, here are %s and %s", text_a, text_b);
    const int64_t *end_a = a->dims + a->rank - 2, *end_b = b->dims + b->rank - 2;
    const int64_t k = end_a[!trans_a], k_of_b = end_b[trans_b];
    if (k != k_of_b)
        FSC_FAIL(why, FSC_ERR_INPUT,
                 "%s and %s do not fit: the left side is stored as %s with K = %lld, the right "
                 "side as %s with K = %lld",
                 text_a, text_b, trans_a ? "KxM" : "MxK", (long long)k, trans_b ? "NxK" : "KxN",
                 (long long)k_of_b);
    if (!batch_fits(a, b))
        FSC_FAIL(why, FSC_ERR_INPUT,
                 "%s and %s do not fit: the right side must have the batch of the left one in "
                 "front, or none",
                 text_a, text_b);
    fsc__shape made = *a;
    made.dims[made.rank - 2] = end_a[trans_a];
    made.dims[made.rank - 1] = end_b[!trans_b];
    FSC_TRY(fsc__shape_limit(&made, why));
    *out = made;
    return FSC_OK;
}

/* The forms that a shape object can have; the first whose sign is a key is the one meant. */
typedef struct shape_form {
    const char *sign;
    const char *keys[4];
    size_t count, required;
} shape_form;

static const shape_form shape_forms[] = {
    {"m", {"m", "n", "k", "batch"}, 4, 3}, {"k", {"m", "n", "k", "batch"}, 4, 3},
    {"rows", {"rows", "cols"}, 2, 2},      {"cols", {"rows", "cols"}, 2, 2},
    {"c", {"n", "c", "h", "w"}, 4, 4},
};

/* The sizes under the form's keys; 0 where an optional one is absent. */
static fsc_status read_sizes(const fsc__json *at, const shape_form *form, int64_t size[4],
                             fsc_error *why)
{
    FSC_TRY(fsc__json_keys(at, form->keys, form->count, why));
    for (size_t i = 0; i < form->count; i++) {
        const fsc__json member = fsc__json_member(at, form->keys[i]);
        size[i] = 0;
        if (!member.node && i < form->required)
            return fsc__json_fail(at, why, "the size %s is missing", form->keys[i]);
        if (member.node)
            FSC_TRY(fsc__json_integer(&member, 1, size_limit - 1, &size[i], why));
    }
    return FSC_OK;
}

static void write_sizes(const shape_form *form, const int64_t size[4], char *text, size_t bytes)
{
    const long long a = size[0], b = size[1], c = size[2], d = size[3];
    if (form->required == 2)
        snprintf(text, bytes, "%lldx%lld", a, b);
    else if (form->required == 4)
        snprintf(text, bytes, "%lldx%lldx%lldx%lld", a, b, c, d);
    else if (d > 0)
        snprintf(text, bytes, "%lldx%lldx%lld:%lldx%lldx%lld", d, a, c, d, c, b);
    else
        snprintf(text, bytes, "%lldx%lld:%lldx%lld", a, c, c, b);
}

fsc_status fsc__shape_text(const fsc__json *at, char *text, size_t bytes, fsc_error *why)
{
    if (!cJSON_IsObject(at->node)) {
        const char *given = NULL;
        FSC_TRY(fsc__json_text(at, &given, why));
        if (strlen(given) >= bytes)
            return fsc__json_fail(at, why, "a shape of %zu characters; %zu are allowed",
                                  strlen(given), bytes - 1);
        memcpy(text, given, strlen(given) + 1);
        return FSC_OK;
    }
    for (size_t i = 0; i < sizeof shape_forms / sizeof shape_forms[0]; i++) {
        if (!fsc__json_has(at, shape_forms[i].sign))
            continue;
        int64_t size[4] = {0};
        FSC_TRY(read_sizes(at, &shape_forms[i], size, why));
        write_sizes(&shape_forms[i], size, text, bytes);
        return FSC_OK;
    }
    return fsc__json_fail(at, why,
                          "not a shape; allowed: {\"m\", \"n\", \"k\"[, \"batch\"]}, {\"rows\", "
                          "\"cols\"}, {\"n\", \"c\", \"h\", \"w\"} or text as in \"128x768\"");
}
