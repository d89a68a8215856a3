/* The precision mode: the tables of its presets, fields and values, its text, and the refusal of
   what this version does not have. */
#include "numeric/mode.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* FIELD(name, values of this version, values of later ones), in the order of the FSC__MODE_ bits.
   A value's position is its enumerator. N stands for a number. */
#define MODE_FIELDS(FIELD)                                                          \
    FIELD(storage, "f32 f16 bf16", "f64 i8")                                        \
    FIELD(arith, "f32", "f16 bf16 f64")                                             \
    FIELD(accum, "f32", "f16 bf16 f64 s32")                                         \
    FIELD(params, "f32 storage", "")                                                \
    FIELD(boundary, "keep round", "")                                               \
    FIELD(order, "sequential lanes:N chunk:N", "pairwise kahan reversed blocked:N") \
    FIELD(contract, "sums off", "ops")                                              \
    FIELD(math, "portable", "builtin native")                                       \
    FIELD(gelu, "own erf tanh", "sigmoid")                                          \
    FIELD(variance, "corrected two_pass one_pass welford", "")                      \
    FIELD(denorms, "keep", "flush")

typedef struct field_row {
    const char *name, *here, *later;
} field_row;

#define FIELD_ROW(name, here, later) {#name, here, later},
#define FIELD_ID(name, here, later) field_##name,
#define FIELD_HELP(name, here, later) #name ": " here "\n"

static const field_row fields[] = {MODE_FIELDS(FIELD_ROW)};
enum { MODE_FIELDS(FIELD_ID) FIELD_COUNT };

static_assert(1 << field_storage == FSC__MODE_STORAGE && 1 << field_params == FSC__MODE_PARAMS &&
                  1 << field_order == FSC__MODE_ORDER &&
                  1 << field_variance == FSC__MODE_VARIANCE &&
                  1 << field_denorms == FSC__MODE_DENORMS,
              "fields stand in the order of their bits");

static const char later_fields[] = "fold flags";

typedef struct preset_row {
    const char *name;
    fsc_dtype storage, arith, accum;
} preset_row;

static const preset_row presets[] = {
    {"f32", FSC_F32, FSC_F32, FSC_F32},
    {"f16", FSC_F16, FSC_F32, FSC_F32},
    {"bf16", FSC_BF16, FSC_F32, FSC_F32},
};
enum { PRESET_COUNT = sizeof presets / sizeof presets[0] };

static const char later_presets[] = "f16_acc f16_arith bf16_acc i8 f32_fast f64";

enum { MOST_LANES = 1024, LONGEST_CHUNK = 1 << 20, MOST_WORDS = 16, NO_WORD = -1 };

/* A table's text of words, cut up. */
typedef struct words {
    char text[128];
    const char *at[MOST_WORDS];
    int count;
} words;

static void words_split(const char *text, words *split)
{
    split->count = 0;
    assert(strlen(text) < sizeof split->text);
    strcpy(split->text, text);
    char *rest = split->text;
    while (*rest) {
        assert(split->count < MOST_WORDS);
        split->at[split->count++] = rest;
        rest += strcspn(rest, " ");
        if (*rest)
            *rest++ = '\0';
    }
}

/* The position of value in a text of words; "lanes:N" stands for any "lanes:...". */
static int word_find(const char *text, const char *value)
{
    words split;
    words_split(text, &split);
    for (int i = 0; i < split.count; i++) {
        const char *number = strstr(split.at[i], ":N");
        const size_t stem = number ? (size_t)(number - split.at[i]) + 1 : strlen(split.at[i]) + 1;
        if (strncmp(split.at[i], value, stem) == 0)
            return i;
    }
    return NO_WORD;
}

/* "; did you mean WORD", or "". */
static void suggest(const char *word, const char *const *names, int count, char text[64])
{
    const char *nearest = fsc__text_nearest(word, names, (size_t)count);
    text[0] = '\0';
    if (nearest)
        snprintf(text, 64, "; did you mean %s", nearest);
}

static void preset_names(const char *names[PRESET_COUNT], char list[128])
{
    list[0] = '\0';
    for (int i = 0; i < PRESET_COUNT; i++) {
        names[i] = presets[i].name;
        strcat(list, " ");
        strcat(list, names[i]);
    }
}

static fsc_status preset_parse(const char *name, fsc_mode *mode, fsc_error *why)
{
    const char *names[PRESET_COUNT];
    char list[128], hint[64];
    for (int i = 0; i < PRESET_COUNT; i++) {
        const preset_row *preset = &presets[i];
        if (strcmp(preset->name, name) == 0) {
            *mode = (fsc_mode){.storage = preset->storage,
                               .arith = preset->arith,
                               .accum = preset->accum,
                               .params = FSC_F32};
            return FSC_OK;
        }
    }
    preset_names(names, list);
    if (word_find(later_presets, name) != NO_WORD)
        FSC_FAIL(why, FSC_UNSUPPORTED, "preset %s is not in this version; presets:%s", name, list);
    suggest(name, names, PRESET_COUNT, hint);
    FSC_FAIL(why, FSC_ERR_INPUT,
             "\"%.64s\" is not a preset%s; presets:%s; a mode is PRESET[,FIELD=VALUE]...", name,
             hint, list);
}

static fsc_status field_parse(const char *name, int *field, fsc_error *why)
{
    const char *names[FIELD_COUNT];
    char list[256], hint[64];
    list[0] = '\0';
    for (int i = 0; i < FIELD_COUNT; i++) {
        if (strcmp(fields[i].name, name) == 0) {
            *field = i;
            return FSC_OK;
        }
        names[i] = fields[i].name;
        strcat(list, " ");
        strcat(list, names[i]);
    }
    if (word_find(later_fields, name) != NO_WORD)
        FSC_FAIL(why, FSC_UNSUPPORTED, "%s is not in this version; fields:%s", name, list);
    suggest(name, names, FIELD_COUNT, hint);
    FSC_FAIL(why, FSC_ERR_INPUT, "\"%.64s\" is not a field%s; fields:%s", name, hint, list);
}

static fsc_status value_parse(int field, const char *value, int *code, fsc_error *why)
{
    const field_row *row = &fields[field];
    words here;
    char hint[64];
    *code = word_find(row->here, value);
    if (*code != NO_WORD)
        return FSC_OK;
    if (word_find(row->later, value) != NO_WORD)
        FSC_FAIL(why, FSC_UNSUPPORTED, "%s=%.64s is not in this version; %s: %s", row->name, value,
                 row->name, row->here);
    words_split(row->here, &here);
    suggest(value, here.at, here.count, hint);
    FSC_FAIL(why, FSC_ERR_INPUT, "\"%.64s\" is not a value of %s%s; %s: %s", value, row->name, hint,
             row->name, row->here);
}

static fsc_status order_parse(int code, const char *value, fsc__order *order, fsc_error *why)
{
    const fsc__order_kind kind = (fsc__order_kind)(FSC__ORDER_SEQUENTIAL + code);
    *order = (fsc__order){kind, 0};
    if (kind == FSC__ORDER_SEQUENTIAL)
        return FSC_OK;
    const char *digits = strchr(value, ':') + 1;
    const size_t length = strlen(digits);
    const bool numeric = length > 0 && length < 8 && strspn(digits, "0123456789") == length;
    order->n = numeric ? atoi(digits) : 0;
    if (kind == FSC__ORDER_LANES &&
        (order->n < 1 || order->n > MOST_LANES || (order->n & (order->n - 1)) != 0))
        FSC_FAIL(why, FSC_ERR_INPUT, "order=%.64s: the N of lanes:N is a power of two, 1 to %d",
                 value, MOST_LANES);
    if (kind == FSC__ORDER_CHUNK && (order->n < 1 || order->n > LONGEST_CHUNK))
        FSC_FAIL(why, FSC_ERR_INPUT, "order=%.64s: the N of chunk:N is 1 to %d", value,
                 LONGEST_CHUNK);
    return FSC_OK;
}

/* params holds the position of its value until all fields are read: `storage` is resolved last. */
static void field_set(fsc_mode *mode, int field, int code)
{
    switch (field) {
    case field_storage:
        mode->storage = (fsc_dtype)code;
        break;
    case field_arith:
        mode->arith = (fsc_dtype)code;
        break;
    case field_accum:
        mode->accum = (fsc_dtype)code;
        break;
    case field_params:
        mode->params = (fsc_dtype)code;
        break;
    case field_boundary:
        mode->boundary = (fsc__boundary)code;
        break;
    case field_contract:
        mode->contract = (fsc__contract)code;
        break;
    case field_gelu:
        mode->gelu = (fsc__gelu)code;
        break;
    case field_variance:
        mode->variance = (fsc__variance)code;
        break;
    default: /* one value only */
        break;
    }
}

/* The position of the field's value, for the fields whose values are plain words. */
static int field_code(const fsc_mode *mode, int field)
{
    switch (field) {
    case field_storage:
        return (int)mode->storage;
    case field_arith:
        return (int)mode->arith;
    case field_accum:
        return (int)mode->accum;
    case field_params:
        return mode->params != FSC_F32;
    case field_boundary:
        return (int)mode->boundary;
    case field_contract:
        return (int)mode->contract;
    case field_gelu:
        return (int)mode->gelu;
    case field_variance:
        return (int)mode->variance;
    default:
        return 0;
    }
}

/* item is "FIELD=VALUE" and is cut at the sign. */
static fsc_status item_parse(char *item, fsc_mode *mode, fsc_error *why)
{
    char *value = strchr(item, '=');
    int field = 0, code = 0;
    if (value)
        *value++ = '\0';
    FSC_TRY(field_parse(item, &field, why));
    if (!value)
        FSC_FAIL(why, FSC_ERR_INPUT, "%s has no value; %s: %s", item, item, fields[field].here);
    if (mode->named & 1u << field)
        FSC_FAIL(why, FSC_ERR_INPUT, "%s is given twice", item);
    FSC_TRY(value_parse(field, value, &code, why));
    if (field == field_order)
        FSC_TRY(order_parse(code, value, &mode->order, why));
    else
        field_set(mode, field, code);
    mode->named |= 1u << field;
    return FSC_OK;
}

static fsc_status items_parse(char *text, fsc_mode *mode, fsc_error *why)
{
    char *item = text, *next;
    do {
        next = strchr(item, ',');
        if (next)
            *next++ = '\0';
        if (item == text)
            FSC_TRY(preset_parse(item, mode, why));
        else
            FSC_TRY(item_parse(item, mode, why));
        item = next;
    } while (item);
    mode->params = mode->params != FSC_F32 ? mode->storage : FSC_F32;
    return FSC_OK;
}

fsc_status fsc__mode_parse(const char *text, fsc_mode *mode, fsc_error *why)
{
    char copy[512];
    fsc_mode parsed;
    if (strlen(text) >= sizeof copy)
        FSC_FAIL(why, FSC_ERR_INPUT, "mode \"%.32s...\" is longer than %zu characters", text,
                 sizeof copy - 1);
    strcpy(copy, text);
    const fsc_status status = items_parse(copy, &parsed, why);
    if (status != FSC_OK) {
        fsc__error_prefix(why, "mode \"%s\": ", text);
        return status;
    }
    *mode = parsed;
    return FSC_OK;
}

void fsc__order_write(fsc__order order, char *text, size_t bytes)
{
    words here;
    words_split(fields[field_order].here, &here);
    const char *name =
        order.kind == FSC__ORDER_DEFAULT ? "default" : here.at[order.kind - FSC__ORDER_SEQUENTIAL];
    const int stem = (int)strcspn(name, ":");
    if (order.n == 0)
        snprintf(text, bytes, "%s", name);
    else
        snprintf(text, bytes, "%.*s:%d", stem, name, order.n);
}

void fsc__mode_write(const fsc_mode *mode, char *text, size_t bytes)
{
    assert(bytes >= 128);
    fsc_mode base = {0};
    const char *name = fsc__dtype_name(mode->storage);
    for (int i = 0; i < PRESET_COUNT; i++)
        if (presets[i].storage == mode->storage)
            name = presets[i].name;
    preset_parse(name, &base, NULL);

    size_t used = (size_t)snprintf(text, bytes, "%s", name);
    for (int i = 0; i < FIELD_COUNT; i++) {
        words here;
        char order[24];
        words_split(fields[i].here, &here);
        const char *value = here.at[field_code(mode, i)];
        bool differs = field_code(mode, i) != field_code(&base, i);
        if (i == field_order) {
            fsc__order_write(mode->order, order, sizeof order);
            value = order;
            differs = mode->order.kind != FSC__ORDER_DEFAULT;
        }
        if (differs)
            used += (size_t)snprintf(text + used, bytes - used, ",%s=%s", fields[i].name, value);
    }
}

const char *fsc__mode_help(void)
{
    return MODE_FIELDS(FIELD_HELP);
}
