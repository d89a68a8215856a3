/* Problem descriptors as benchdnn of oneDNN reads them. */
#include "graph/benchdnn.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Keys of the width follow those of the height. */
enum {
    KEY_G,
    KEY_MB,
    KEY_IC,
    KEY_OC,
    KEY_IH,
    KEY_IW,
    KEY_OH,
    KEY_OW,
    KEY_KH,
    KEY_KW,
    KEY_SH,
    KEY_SW,
    KEY_PH,
    KEY_PW,
    KEY_DH,
    KEY_DW,
    KEY_ID,
    KEY_OD,
    KEY_KD,
    KEY_SD,
    KEY_PD,
    KEY_DD,
    KEY_COUNT
};

enum { PADS_MOST = 65535, ABSENT = -1 };

typedef struct key {
    const char *name;
    int64_t initial, low, high; /* initial: ABSENT where there is none */
} key;

static const int64_t size_most = INT32_MAX;
static const key keys[KEY_COUNT] = {
    [KEY_G] = {"g", 1, 1, 1 << 24},
    [KEY_MB] = {"mb", 2, 1, INT32_MAX},
    [KEY_IC] = {"ic", ABSENT, 1, INT32_MAX},
    [KEY_OC] = {"oc", ABSENT, 1, INT32_MAX},
    [KEY_IH] = {"ih", ABSENT, 1, INT32_MAX},
    [KEY_IW] = {"iw", ABSENT, 1, INT32_MAX},
    [KEY_OH] = {"oh", ABSENT, 1, INT32_MAX},
    [KEY_OW] = {"ow", ABSENT, 1, INT32_MAX},
    [KEY_KH] = {"kh", ABSENT, 1, INT32_MAX},
    [KEY_KW] = {"kw", ABSENT, 1, INT32_MAX},
    [KEY_SH] = {"sh", 1, 1, 65535},
    [KEY_SW] = {"sw", 1, 1, 65535},
    [KEY_PH] = {"ph", ABSENT, 0, PADS_MOST},
    [KEY_PW] = {"pw", ABSENT, 0, PADS_MOST},
    [KEY_DH] = {"dh", 0, 0, 65534},
    [KEY_DW] = {"dw", 0, 0, 65534},
    [KEY_ID] = {"id", 1, 1, 1},
    [KEY_OD] = {"od", 1, 1, 1},
    [KEY_KD] = {"kd", 1, 1, 1},
    [KEY_SD] = {"sd", 1, 1, 1},
    [KEY_PD] = {"pd", 0, 0, 0},
    [KEY_DD] = {"dd", 0, 0, 0},
};

typedef struct reading {
    const char *text;
    int64_t value[KEY_COUNT];
    int column[KEY_COUNT]; /* of the number, from 1 on; 0 where there is none */
    fsc_error *why;
} reading;

FSC_PRINTF(3, 4)
static fsc_status fail(const reading *r, int column, const char *format, ...)
{
    char what[400], place[32] = "";
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (column > 0)
        snprintf(place, sizeof place, "column %d: ", column);
    FSC_FAIL(r->why, FSC_ERR_INPUT, "shape \"%.200s\": %s%s", r->text, place, what);
}

static fsc_status fail_key(const reading *r, const char *at)
{
    const char *names[KEY_COUNT];
    const char found[] = {'"', *at, '"', '\0'};
    fsc__text list = {0};
    for (int i = 0; i < KEY_COUNT; i++)
        names[i] = keys[i].name;
    fsc__text_add_list(&list, names, KEY_COUNT);
    const fsc_status status = fail(r, (int)(at - r->text) + 1,
                                   "expected n\"name\" or one of %s, each with a number; found %s",
                                   list.failed ? "" : list.data, *at ? found : "the end");
    fsc__text_deinit(&list);
    return status;
}

static fsc_status read_number(reading *r, int index, const char **at)
{
    const key *k = &keys[index];
    const int column = (int)(*at - r->text) + 1;
    int64_t number = 0;
    if (!isdigit((unsigned char)**at))
        return fail(r, column, "expected the number of %s", k->name);
    for (; isdigit((unsigned char)**at); (*at)++)
        number = number > size_most ? number : 10 * number + (**at - '0');
    if (k->high == k->low && number != k->low)
        return fail(r, column, "%s is %lld; two-dimensional problems alone are read, with %s%lld",
                    k->name, (long long)number, k->name, (long long)k->low);
    if (number < k->low || number > k->high)
        return fail(r, column, "%s is %s%lld; %lld to %lld are allowed", k->name,
                    number > size_most ? "more than " : "",
                    (long long)(number > size_most ? size_most : number), (long long)k->low,
                    (long long)k->high);
    if (r->column[index] > 0 && r->value[index] != number)
        return fail(r, column, "%s is given twice, as %lld and as %lld", k->name,
                    (long long)r->value[index], (long long)number);
    r->value[index] = number;
    r->column[index] = column;
    return FSC_OK;
}

static fsc_status read_keys(reading *r, const char **at)
{
    while (**at && **at != 'n') {
        if (**at == '_') {
            (*at)++;
            continue;
        }
        int found = 0;
        while (found < KEY_COUNT && strncmp(*at, keys[found].name, strlen(keys[found].name)) != 0)
            found++;
        if (found == KEY_COUNT)
            return fail_key(r, *at);
        *at += strlen(keys[found].name);
        FSC_TRY(read_number(r, found, at));
    }
    return FSC_OK;
}

/* A width that is not mentioned is as the height, a height that is not mentioned is 1. */
static fsc_status fill_axes(reading *r)
{
    bool height = false, width = false;
    for (int i = KEY_IH; i <= KEY_DW; i += 2) {
        height = height || r->column[i] > 0;
        width = width || r->column[i + 1] > 0;
    }
    if (!height && !width)
        return fail(r, 0,
                    "ih and kh are missing; needed are ic, ih, oc and kh, as in "
                    "mb1ic64ih56oc64kh3ph1");
    for (int i = KEY_IH; i <= KEY_DW && !width; i += 2) {
        r->value[i + 1] = r->value[i];
        r->column[i + 1] = r->column[i];
    }
    if (!height)
        r->value[KEY_IH] = r->value[KEY_KH] = 1;
    const int needed[] = {KEY_IC, KEY_OC, KEY_IH, KEY_KH, KEY_IW, KEY_KW};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (r->value[needed[i]] == ABSENT)
            return fail(r, 0, "%s is missing%s", keys[needed[i]].name,
                        needed[i] == KEY_IW || needed[i] == KEY_KW
                            ? "; without any key of the width it is as the height"
                            : "");
    return FSC_OK;
}

/* What is known of the height (axis 0) or the width (axis 1). */
typedef struct sliding {
    int64_t size, result, before, after;
} sliding;

static fsc_status slide(const reading *r, int axis, sliding *s)
{
    const int64_t *value = r->value + axis, stride = value[KEY_SH];
    const int64_t reach = (value[KEY_DH] + 1) * (value[KEY_KH] - 1) + 1;
    const bool given = value[KEY_OH] != ABSENT;
    s->size = value[KEY_IH];
    s->before = value[KEY_PH];
    if (s->before == ABSENT) {
        const int64_t all = given ? (value[KEY_OH] - 1) * stride + reach - s->size : 0;
        s->before = all > 0 ? all / 2 : 0;
    }
    const int64_t both = s->size + 2 * s->before;
    if (!given && reach > both)
        return fail(r, r->column[KEY_KH + axis],
                    "the window reaches over %lld, but with pads %s is %lld", (long long)reach,
                    keys[KEY_IH + axis].name, (long long)both);
    s->result = given ? value[KEY_OH] : (both - reach) / stride + 1;
    const int64_t behind = (s->result - 1) * stride + reach - s->size - s->before;
    s->after = behind > 0 ? behind : 0;
    if (s->before > PADS_MOST || s->after > PADS_MOST)
        return fail(r, r->column[KEY_OH + axis], "%s takes more than %d pads on a side",
                    keys[KEY_OH + axis].name, PADS_MOST);
    /* Rows behind that no window reaches are no pads; a whole stride of them is one more result. */
    if (-behind >= stride)
        return fail(r, r->column[KEY_OH + axis], "%s is %lld, but makes %lld or more with its pads",
                    keys[KEY_OH + axis].name, (long long)s->result,
                    (long long)((s->size + s->before - reach) / stride + 1));
    return FSC_OK;
}

static fsc_status check_shapes(const reading *r, const fsc__conv2d_dims *d)
{
    const fsc__shape shapes[] = {
        {.rank = 4, .dims = {d->n, d->c, d->h, d->w}},
        {.rank = 4, .dims = {d->oc, d->c / d->groups, d->kh, d->kw}},
        fsc__conv2d_result(d),
    };
    for (int i = 0; i < 3; i++) {
        const fsc_status status = fsc__shape_limit(&shapes[i], r->why);
        if (status != FSC_OK) {
            fsc__error_prefix(r->why, "shape \"%.200s\": ", r->text);
            return status;
        }
    }
    return FSC_OK;
}

bool fsc__benchdnn_is(const char *text)
{
    return isalpha((unsigned char)*text) || *text == '_';
}

fsc_status fsc__benchdnn_parse(const char *text, fsc__benchdnn *problem, fsc_error *why)
{
    reading r = {.text = text, .why = why};
    const char *at = text;
    sliding down, across;
    int64_t weight = 1;
    for (int i = 0; i < KEY_COUNT; i++)
        r.value[i] = keys[i].initial;
    FSC_TRY(read_keys(&r, &at));
    FSC_TRY(fsc__shape_name(text, at, &weight, why));
    FSC_TRY(fill_axes(&r));
    const int64_t groups = r.value[KEY_G], c = r.value[KEY_IC], oc = r.value[KEY_OC];
    if (c % groups != 0 || oc % groups != 0)
        return fail(&r, r.column[KEY_G], "g%lld must divide ic%lld and oc%lld", (long long)groups,
                    (long long)c, (long long)oc);
    FSC_TRY(slide(&r, 0, &down));
    FSC_TRY(slide(&r, 1, &across));
    const fsc__conv2d_dims dims = {
        .layout = FSC__LAYOUT_NCHW,
        .n = r.value[KEY_MB],
        .c = c,
        .h = down.size,
        .w = across.size,
        .oc = oc,
        .kh = r.value[KEY_KH],
        .kw = r.value[KEY_KW],
        .oh = down.result,
        .ow = across.result,
        .groups = groups,
        .stride_h = r.value[KEY_SH],
        .stride_w = r.value[KEY_SW],
        .top = down.before,
        .left = across.before,
        .bottom = down.after,
        .right = across.after,
        .dilation_h = r.value[KEY_DH] + 1,
        .dilation_w = r.value[KEY_DW] + 1,
    };
    FSC_TRY(check_shapes(&r, &dims));
    problem->dims = dims;
    problem->dims.terms = dims.c / groups * dims.kh * dims.kw;
    problem->weight = weight;
    return FSC_OK;
}

/* The first op that takes a part of the shape. */
static int first_product(const fsc__chain *chain)
{
    int i = 0;
    while (i < chain->count && chain->items[i].op->kind != FSC__OP_CONV2D &&
           chain->items[i].op->kind != FSC__OP_MATMUL)
        i++;
    return i;
}

static void write_attributes(const fsc__conv2d_dims *d, float attr[FSC__OP_MAX_NUMBERS])
{
    const int64_t pads[] = {d->top, d->left, d->bottom, d->right};
    attr[FSC__CONV2D_STRIDE] = (float)d->stride_h;
    attr[FSC__CONV2D_STRIDE + 1] = (float)d->stride_w;
    for (int i = 0; i < 4; i++)
        attr[FSC__CONV2D_PADS + i] = (float)pads[i];
    attr[FSC__CONV2D_DILATION] = (float)d->dilation_h;
    attr[FSC__CONV2D_DILATION + 1] = (float)d->dilation_w;
    attr[FSC__CONV2D_GROUPS] = (float)d->groups;
}

fsc_status fsc__benchdnn_apply(const char *text, fsc__layout layout, fsc__chain *chain,
                               fsc__shape_parts *parts, fsc_error *why)
{
    fsc__benchdnn problem;
    FSC_TRY(fsc__benchdnn_parse(text, &problem, why));
    const fsc__conv2d_dims *d = &problem.dims;
    const int at = first_product(chain);
    if (at == chain->count)
        FSC_FAIL(why, FSC_ERR_INPUT,
                 "shape \"%.200s\" describes a conv2d, and the graph \"%.200s\" has none", text,
                 chain->text);
    fsc__item *item = &chain->items[at];
    if (item->op->kind != FSC__OP_CONV2D)
        return fsc__chain_fail(chain, at, why,
                               "the shape \"%.200s\" describes a conv2d; that of a matmul is "
                               "written as in 384x1024:1024x4096",
                               text);
    for (int i = 0; item->op->attr[i].name; i++) {
        if ((item->given >> i & 1u) != 0 && item->op->attr[i].at != FSC__CONV2D_LAYOUT)
            return fsc__chain_fail(chain, at, why, "%s= is said by the shape \"%.200s\" already",
                                   item->op->attr[i].name, text);
    }
    write_attributes(d, item->attr);
    *parts = (fsc__shape_parts){.text = text, .count = 2, .weight = problem.weight};
    parts->part[0] = (fsc__shape){.rank = 4, .dims = {d->n, d->c, d->h, d->w}};
    if (layout == FSC__LAYOUT_NHWC)
        parts->part[0] = (fsc__shape){.rank = 4, .dims = {d->n, d->h, d->w, d->c}};
    parts->part[1] = (fsc__shape){.rank = 4, .dims = {d->oc, d->c / d->groups, d->kh, d->kw}};
    return FSC_OK;
}
