/* Quirks, in the order in which they are tried. A trial starts as a faultless device; each row that
   fits changes one field of it. To add a quirk: a row here, and what the field's new value means in
   the prelude of kernels and in the prediction. */
#include "device/quirk.h"

#include <stdio.h>

typedef enum caps_field {
    FIELD_FMA,
    FIELD_CONTRACTS,
    FIELD_DIVIDE,
    FIELD_SQRT,
    FIELD_CONVERTS_HALF,
    FIELD_KEEPS_SUBNORMALS,
    FIELD_NONE
} caps_field;

struct fsc__quirk {
    const char *name;
    const char *what;    /* a sentence */
    unsigned checks;     /* found when one of these differs, BIT(fsc__check_id) ... */
    bool only_subnormal; /* ... on patterns with subnormals alone */
    bool needs_fp64;
    caps_field field;
    unsigned from; /* and the field has one of these values, BIT(value) */
    int to;
    bool refuses;
};

#define BIT(value) (1u << (value))
enum {
    BASICS = BIT(FSC__CHECK_COPY) | BIT(FSC__CHECK_ADD) | BIT(FSC__CHECK_SUB) |
             BIT(FSC__CHECK_MUL) | BIT(FSC__CHECK_SELECT) | BIT(FSC__CHECK_ABS),
    PRODUCTS = BIT(FSC__CHECK_PRODUCT_SUM) | BIT(FSC__CHECK_PRODUCT_DIFFERENCE),
    HALVES = BIT(FSC__CHECK_LOAD_HALF) | BIT(FSC__CHECK_STORE_HALF),
    ROUNDED = BIT(FSC__CHECK_DIVIDE) | BIT(FSC__CHECK_SQRT),
    ANY = 0xff
};

static const fsc__quirk quirks[] = {
    {.name = "flushes-subnormals",
     .what = "subnormals are flushed to zero",
     .checks = BASICS | ROUNDED,
     .only_subnormal = true,
     .field = FIELD_KEEPS_SUBNORMALS,
     .from = ANY,
     .to = false,
     .refuses = true},
    {.name = "basics-differ",
     .what = "load, store, +, -, *, compare or select is not IEEE arithmetic",
     .checks = BASICS,
     .field = FIELD_NONE,
     .from = ANY,
     .refuses = true},
    {.name = "contracts",
     .what = "FP_CONTRACT OFF is ignored; products are written fma(a,b,-0)",
     .checks = PRODUCTS,
     .field = FIELD_CONTRACTS,
     .from = BIT(false),
     .to = true},
    {.name = "contraction-remains",
     .what = "a*b+c cannot be kept from being contracted",
     .checks = PRODUCTS,
     .field = FIELD_NONE,
     .from = ANY,
     .refuses = true},
    {.name = "fma-flushes",
     .what = "fma drops addends and results below 2^-126",
     .checks = BIT(FSC__CHECK_FMA),
     .field = FIELD_FMA,
     .from = BIT(FSC__FMA_EXACT),
     .to = FSC__FMA_FLUSHES},
    {.name = "fma-differs",
     .what = "fma is neither exact nor flushing in a known way",
     .checks = BIT(FSC__CHECK_FMA),
     .field = FIELD_FMA,
     .from = ANY,
     .to = FSC__FMA_OTHER,
     .refuses = true},
    {.name = "divide-double",
     .what = "/ is not correctly rounded; it goes through double",
     .checks = BIT(FSC__CHECK_DIVIDE),
     .needs_fp64 = true,
     .field = FIELD_DIVIDE,
     .from = BIT(FSC__ROUND_PLAIN),
     .to = FSC__ROUND_DOUBLE},
    {.name = "divide-remainder",
     .what = "/ is not correctly rounded; it is corrected with an fma remainder",
     .checks = BIT(FSC__CHECK_DIVIDE),
     .field = FIELD_DIVIDE,
     .from = BIT(FSC__ROUND_PLAIN) | BIT(FSC__ROUND_DOUBLE),
     .to = FSC__ROUND_REMAINDER},
    {.name = "divide-differs",
     .what = "no way gives a correctly rounded quotient",
     .checks = BIT(FSC__CHECK_DIVIDE),
     .field = FIELD_DIVIDE,
     .from = ANY,
     .to = FSC__ROUND_NONE,
     .refuses = true},
    {.name = "sqrt-double",
     .what = "sqrt is not correctly rounded; it goes through double",
     .checks = BIT(FSC__CHECK_SQRT),
     .needs_fp64 = true,
     .field = FIELD_SQRT,
     .from = BIT(FSC__ROUND_PLAIN),
     .to = FSC__ROUND_DOUBLE},
    {.name = "sqrt-remainder",
     .what = "sqrt is not correctly rounded; it is corrected with an fma remainder",
     .checks = BIT(FSC__CHECK_SQRT),
     .field = FIELD_SQRT,
     .from = BIT(FSC__ROUND_PLAIN) | BIT(FSC__ROUND_DOUBLE),
     .to = FSC__ROUND_REMAINDER},
    {.name = "sqrt-differs",
     .what = "no way gives a correctly rounded square root",
     .checks = BIT(FSC__CHECK_SQRT),
     .field = FIELD_SQRT,
     .from = ANY,
     .to = FSC__ROUND_NONE,
     .refuses = true},
    {.name = "half-differs",
     .what = "halves are not loaded or stored exactly; f16 storage is refused",
     .checks = HALVES,
     .field = FIELD_CONVERTS_HALF,
     .from = BIT(true),
     .to = false},
};

static int read_field(const fsc__caps *caps, caps_field field)
{
    switch (field) {
    case FIELD_FMA:
        return (int)caps->fma;
    case FIELD_CONTRACTS:
        return caps->contracts;
    case FIELD_DIVIDE:
        return (int)caps->divide;
    case FIELD_SQRT:
        return (int)caps->sqrt;
    case FIELD_CONVERTS_HALF:
        return caps->converts_half;
    case FIELD_KEEPS_SUBNORMALS:
        return caps->keeps_subnormals;
    case FIELD_NONE:
        break;
    }
    return 0;
}

static void write_field(fsc__caps *caps, caps_field field, int value)
{
    switch (field) {
    case FIELD_FMA:
        caps->fma = (fsc__fma)value;
        break;
    case FIELD_CONTRACTS:
        caps->contracts = value;
        break;
    case FIELD_DIVIDE:
        caps->divide = (fsc__round_way)value;
        break;
    case FIELD_SQRT:
        caps->sqrt = (fsc__round_way)value;
        break;
    case FIELD_CONVERTS_HALF:
        caps->converts_half = value;
        break;
    case FIELD_KEEPS_SUBNORMALS:
        caps->keeps_subnormals = value;
        break;
    case FIELD_NONE:
        break;
    }
}

/* The first check of the quirk's that differs (where asked, with subnormals alone), or -1. */
static int evidence(const fsc__quirk *quirk, const fsc__finding findings[FSC__CHECK_COUNT])
{
    int first = -1;
    for (int id = FSC__CHECK_COUNT - 1; id >= 0; --id) {
        if ((quirk->checks & BIT(id)) == 0 || findings[id].differ == 0)
            continue;
        if (quirk->only_subnormal && findings[id].differ_normal > 0)
            return -1;
        first = id;
    }
    return first;
}

const fsc__quirk *fsc__quirk_next(const fsc__caps *trial,
                                  const fsc__finding findings[FSC__CHECK_COUNT])
{
    for (size_t i = 0; i < sizeof quirks / sizeof quirks[0]; ++i) {
        const fsc__quirk *quirk = &quirks[i];
        if (evidence(quirk, findings) >= 0 && (!quirk->needs_fp64 || trial->fp64) &&
            (quirk->from & BIT(read_field(trial, quirk->field))) != 0)
            return quirk;
    }
    return NULL;
}

void fsc__quirk_describe(const fsc__quirk *quirk, const fsc__finding findings[FSC__CHECK_COUNT],
                         char *text, size_t bytes)
{
    const int id = evidence(quirk, findings);
    const fsc__finding *finding = &findings[id];
    snprintf(text, bytes,
             "%s: \"%s\" differs on %lld of %lld patterns, first on %08x %08x %08x: %08x instead "
             "of %08x",
             quirk->what, fsc__check_name((fsc__check_id)id), (long long)finding->differ,
             (long long)finding->tried, finding->x, finding->y, finding->z, finding->got,
             finding->want);
}

bool fsc__quirk_apply(const fsc__quirk *quirk, fsc__caps *trial)
{
    write_field(trial, quirk->field, quirk->to);
    return quirk->refuses;
}

const char *fsc__quirk_name(const fsc__quirk *quirk)
{
    return quirk->name;
}
