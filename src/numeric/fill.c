/* Input families: their names and numbers, and the values they give. Each element has a Philox
   block of its own, of key seed and counter (index, hash of the tensor's name). */
#include "numeric/fill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <Random123/philox.h>

#include "base/hash.h"
#include "base/parallel.h"
#include "base/text.h"
#include "numeric/fpenv.h"
#include "numeric/quantile.h"

typedef struct family_row {
    const char *name;
    int numbers; /* how many it takes: A, B */
    double a, b; /* their defaults */
} family_row;

static const family_row families[FSC__FAMILY_COUNT] = {
    [FSC__NORMAL] = {"normal", 2, 0.0, 1.0},      [FSC__UNIFORM] = {"uniform", 2, -1.0, 1.0},
    [FSC__ZEROS] = {"zeros", 0, 0.0, 0.0},        [FSC__ONES] = {"ones", 0, 0.0, 0.0},
    [FSC__INTEGERS] = {"integers", 2, -8.0, 8.0}, [FSC__RAMP] = {"ramp", 2, 0.0, 1.0},
    [FSC__SMALL] = {"small", 0, 0.0, 0.0},        [FSC__LARGE] = {"large", 0, 0.0, 0.0},
    [FSC__POSITIVE] = {"positive", 0, 0.0, 0.0},  [FSC__NEGATIVE] = {"negative", 0, 0.0, 0.0},
    [FSC__SPECIAL] = {"special", 0, 0.0, 0.0},
};

enum { LARGE_BLOCK = 4096, FILL_GRAIN = 1 << 15, NUMBER_BYTES = 64 };

const char *fsc__family_name(fsc__family family)
{
    return families[family].name;
}

static fsc_status family_parse(const char *name, fsc__family *family, fsc_error *why)
{
    const char *names[FSC__FAMILY_COUNT];
    char list[256] = "";
    for (int i = 0; i < FSC__FAMILY_COUNT; i++) {
        names[i] = families[i].name;
        if (strcmp(names[i], name) == 0) {
            *family = (fsc__family)i;
            return FSC_OK;
        }
        strcat(list, " ");
        strcat(list, names[i]);
    }
    const char *nearest = fsc__text_nearest(name, names, FSC__FAMILY_COUNT);
    FSC_FAIL(why, FSC_ERR_INPUT, "\"%s\" is not an input family%s%s; families:%s", name,
             nearest ? "; did you mean " : "", nearest ? nearest : "", list);
}

static fsc_status number_parse(const char *text, double *number, fsc_error *why)
{
    char *end;
    *number = strtod(text, &end);
    if (end == text || *end || strchr(" \t\n\v\f\r", *text) || !isfinite(*number))
        FSC_FAIL(why, FSC_ERR_INPUT, "\"%s\" is not a finite number", text);
    return FSC_OK;
}

/* The numbers that go with the family, absent ones by default. */
static fsc_status input_check(const fsc__input *input, fsc_error *why)
{
    const family_row *row = &families[input->family];
    const double a = input->has_a ? input->a : row->a, b = input->has_b ? input->b : row->b;
    if (input->family == FSC__NORMAL && b < 0.0)
        FSC_FAIL(why, FSC_ERR_INPUT, "the deviation %g is below 0", b);
    if ((input->family == FSC__UNIFORM || input->family == FSC__INTEGERS) && a > b)
        FSC_FAIL(why, FSC_ERR_INPUT, "the low end %g is above the high end %g", a, b);
    if (input->family == FSC__INTEGERS &&
        (a != rint(a) || b != rint(b) || fabs(a) > 0x1p30 || fabs(b) > 0x1p30))
        FSC_FAIL(why, FSC_ERR_INPUT, "the ends are whole numbers within 2^30");
    return FSC_OK;
}

/* text is cut at its colons. */
static fsc_status parts_parse(char *text, fsc__input *input, fsc_error *why)
{
    char *parts[3] = {text, NULL, NULL};
    int count = 1;
    for (char *colon = strchr(text, ':'); colon; colon = strchr(parts[count - 1], ':')) {
        if (count == 3)
            FSC_FAIL(why, FSC_ERR_INPUT, "more than two numbers; an input is FAMILY[:A[:B]]");
        *colon = '\0';
        parts[count++] = colon + 1;
    }
    FSC_TRY(family_parse(parts[0], &input->family, why));
    const int numbers = families[input->family].numbers;
    if (count - 1 > numbers)
        FSC_FAIL(why, FSC_ERR_INPUT, "%s takes no numbers", parts[0]);
    input->has_a = count > 1;
    input->has_b = count > 2;
    if (input->has_a)
        FSC_TRY(number_parse(parts[1], &input->a, why));
    if (input->has_b)
        FSC_TRY(number_parse(parts[2], &input->b, why));
    return input_check(input, why);
}

fsc_status fsc__input_parse(const char *text, fsc__input *input, fsc_error *why)
{
    char copy[3 * NUMBER_BYTES];
    fsc__input parsed = {0};
    if (strlen(text) >= sizeof copy)
        FSC_FAIL(why, FSC_ERR_INPUT, "input \"%.32s...\" is longer than %zu characters", text,
                 sizeof copy - 1);
    strcpy(copy, text);
    const fsc_status status = parts_parse(copy, &parsed, why);
    if (status != FSC_OK) {
        fsc__error_prefix(why, "input \"%s\": ", text);
        return status;
    }
    *input = parsed;
    return FSC_OK;
}

/* The random bits of one element. */
typedef struct draw {
    double p;        /* in (0,1), 52 bits and never 0.5 */
    uint32_t choice; /* independent of p */
    uint32_t detail; /* independent of both */
} draw;

static draw draw_at(uint64_t seed, uint64_t stream, int64_t index)
{
    const uint64_t i = (uint64_t)index;
    const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    const philox4x32_ctr_t counter = {
        {(uint32_t)i, (uint32_t)(i >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
    const philox4x32_ctr_t block = philox4x32(counter, key);
    const uint64_t high = (uint64_t)block.v[0] << 20 | block.v[1] >> 12;
    return (draw){((double)high + 0.5) * 0x1p-52, block.v[2], block.v[3]};
}

static double unit(uint32_t bits)
{
    return bits * 0x1p-32;
}

static double whole_between(double low, double high, double p)
{
    return low + floor(p * (high - low + 1.0));
}

/* The largest magnitude up to which every whole number is a value of the type: L in fill.h. */
static double exact_limit(fsc_dtype storage)
{
    return ldexp(1.0, fsc__dtype_fraction_bits(storage) + 1);
}

static double integer_value(const fsc__fill_request *request, draw d)
{
    const fsc__input *input = &request->input;
    if (input->has_a || input->has_b) {
        const family_row *row = &families[FSC__INTEGERS];
        return whole_between(input->has_a ? input->a : row->a, input->has_b ? input->b : row->b,
                             d.p);
    }
    switch (request->role) {
    case FSC__ROLE_BIAS:
    case FSC__ROLE_BETA:
    case FSC__ROLE_MEAN:
        return whole_between(-8.0, 8.0, d.p);
    case FSC__ROLE_SCALE:
    case FSC__ROLE_GAMMA:
    case FSC__ROLE_SLOPE:
        return whole_between(-2.0, 2.0, d.p);
    case FSC__ROLE_VAR:
        return d.p < 0.5 ? 1.0 : 4.0;
    default:
        break;
    }
    const double c = sqrt(exact_limit(request->storage) / (4.0 * (double)request->fan_in));
    if (c < 1.0)
        return unit(d.choice) >= c ? 0.0 : d.p < 0.5 ? -1.0 : 1.0;
    const double most = c < 8.0 ? floor(c) : 8.0;
    return whole_between(-most, most, d.p);
}

static double large_value(const fsc__fill_request *request, int64_t index, double normal)
{
    const double largest = fsc__dtype_max(request->storage);
    const draw toss = draw_at(request->seed, 0, index / LARGE_BLOCK);
    if (toss.p < 0.5)
        return normal * sqrt(largest / (double)request->fan_in);
    const double value = normal * (largest / 4.0);
    return fabs(value) < largest ? value : copysign(largest, value);
}

static double data_value(const fsc__fill_request *request, int64_t index, draw d)
{
    const fsc__input *input = &request->input;
    const family_row *row = &families[input->family];
    const double a = input->has_a ? input->a : row->a, b = input->has_b ? input->b : row->b;
    const double normal = fsc__normal_quantile(d.p);
    switch (input->family) {
    case FSC__NORMAL:
        return a + b * normal;
    case FSC__UNIFORM:
        return a + (b - a) * d.p;
    case FSC__ONES:
        return 1.0;
    case FSC__RAMP:
        return a + (double)index * (input->has_b ? b : 1.0 / (double)request->elems);
    case FSC__SMALL:
        return normal * ldexp(1.0, fsc__dtype_lowest_exponent(request->storage));
    case FSC__LARGE:
        return large_value(request, index, normal);
    case FSC__POSITIVE:
        return fabs(normal);
    case FSC__NEGATIVE:
        return -fabs(normal);
    case FSC__SPECIAL:
        return normal;
    default: /* zeros; integers do not come here */
        return 0.0;
    }
}

static double value_at(const fsc__fill_request *request, int64_t index, draw d)
{
    if (request->input.family == FSC__INTEGERS)
        return integer_value(request, d);
    switch (request->role) {
    case FSC__ROLE_WEIGHT:
        return fsc__normal_quantile(d.p) / sqrt((double)request->fan_in);
    case FSC__ROLE_BIAS:
    case FSC__ROLE_BETA:
    case FSC__ROLE_MEAN:
        return fsc__normal_quantile(d.p);
    case FSC__ROLE_SCALE:
    case FSC__ROLE_GAMMA:
    case FSC__ROLE_VAR:
        return 0.5 + 1.5 * d.p;
    case FSC__ROLE_SLOPE:
        return 0.5 * d.p;
    default:
        return data_value(request, index, d);
    }
}

/* Codes and not values: a conversion would make every NaN the canonical one. False where the
   element is an ordinary one. */
static bool special_code(const fsc__fill_request *request, draw d, uint64_t *code)
{
    const int sign_bit = 8 * (int)fsc__dtype_bytes(request->type) - 1;
    const uint64_t normal = (uint64_t)1 << fsc__dtype_fraction_bits(request->type);
    const uint64_t infinity = ((uint64_t)1 << sign_bit) - normal;
    const uint64_t rare[] = {infinity, infinity | normal >> 1, infinity - 1};
    const uint64_t tiny[] = {0, 1, normal - 1, normal, 1 + (d.detail >> 8) % (normal - 1)};
    const double often = 0.5 / (double)request->fan_in;
    const double rarity = often < 0x1p-4 ? often : 0x1p-4;
    const double u = unit(d.choice);
    const uint32_t pick = d.detail >> 1 & 0x7f;
    if (u < rarity)
        *code = rare[pick % 3];
    else if (u < rarity + 0.125)
        *code = tiny[pick % 5];
    else
        return false;
    *code |= (uint64_t)(d.detail & 1) << sign_bit;
    return true;
}

static void store_code(fsc_dtype type, void *data, int64_t index, uint64_t code)
{
    if (type == FSC_F32)
        ((float *)data)[index] = fsc__f32_of_bits((uint32_t)code);
    else if (type == FSC_F64)
        memcpy((double *)data + index, &code, sizeof code);
    else
        ((uint16_t *)data)[index] = (uint16_t)code;
}

void fsc__fill_range(const fsc__fill_request *request, int64_t begin, int64_t end, void *data)
{
    const bool special = request->input.family == FSC__SPECIAL && request->role == FSC__ROLE_DATA;
    const uint64_t stream = fsc__hash(request->name, strlen(request->name), 0);
    fsc__fpenv env;
    fsc__fpenv_enter(&env);
    for (int64_t i = begin; i < end; i++) {
        const draw d = draw_at(request->seed, stream, i);
        uint64_t code;
        if (special && special_code(request, d, &code))
            store_code(request->type, data, i - begin, code);
        else
            fsc__dtype_store(request->type, data, i - begin, value_at(request, i, d));
    }
    fsc__fpenv_leave(&env);
}

typedef struct fill_job {
    const fsc__fill_request *request;
    char *data;
} fill_job;

static void fill_body(void *context, int64_t begin, int64_t end)
{
    const fill_job *job = context;
    const int64_t bytes = (int64_t)fsc__dtype_bytes(job->request->type);
    fsc__fill_range(job->request, begin, end, job->data + begin * bytes);
}

void fsc__fill(const fsc__fill_request *request, void *data)
{
    fill_job job = {request, data};
    fsc__parallel(request->elems, FILL_GRAIN, fill_body, &job);
}
