/* Input families: made data that is the same on every machine. Element i of a tensor depends on
   the seed, the tensor's name and i alone (Random123). */
#ifndef FSC_NUMERIC_FILL_H
#define FSC_NUMERIC_FILL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "numeric/dtype.h"

typedef enum fsc__family {
    FSC__NORMAL,  /* A mean (0), B standard deviation (1) */
    FSC__UNIFORM, /* A low (-1), B high (1) */
    FSC__ZEROS,
    FSC__ONES,
    FSC__INTEGERS, /* whole numbers in [A,B], default the exact range of the sum and type (K24) */
    FSC__RAMP,     /* A + i*B: A 0, B 1/elems */
    FSC__SMALL,    /* normal, scaled near the smallest normal value of the storage type */
    FSC__LARGE,    /* normal, scaled so that products and sums come near the largest value */
    FSC__POSITIVE, /* |normal| */
    FSC__NEGATIVE, /* -|normal| */
    FSC__SPECIAL,  /* NaN of both signs, infinities, subnormals, extremes, among normals */
    FSC__FAMILY_COUNT
} fsc__family;

typedef struct fsc__input {
    fsc__family family;
    bool has_a, has_b;
    double a, b;
} fsc__input;

/* What a tensor is for; decides its distribution (weights normal/sqrt(K), gamma and var
   uniform(0.5,2), beta, mean and bias normal, scale uniform(0.5,2)). `integers` fills all. */
typedef enum fsc__role {
    FSC__ROLE_DATA,
    FSC__ROLE_WEIGHT,
    FSC__ROLE_BIAS,
    FSC__ROLE_SCALE,
    FSC__ROLE_GAMMA,
    FSC__ROLE_BETA
} fsc__role;

/* "normal", "uniform:-2:2". Unknown families are answered with the nearest and the list. */
fsc_status fsc__input_parse(const char *text, fsc__input *input, fsc_error *why);
const char *fsc__family_name(fsc__family family);

typedef struct fsc__fill_request {
    fsc__input input;
    uint64_t seed;
    const char *name; /* of the tensor */
    fsc__role role;
    fsc_dtype type;    /* data's type: values are rounded to it once */
    fsc_dtype storage; /* the mode's storage type: ranges of small, large, integers */
    int64_t fan_in;    /* longest sum that reads the tensor: K, or 1 */
    int64_t elems;
} fsc__fill_request;

/* Writes elems elements of request->type. */
void fsc__fill(const fsc__fill_request *request, void *data);

/* The same for elements [begin, end) of the tensor, written at data's indices 0.. : fill does not
   depend on what else is filled. */
void fsc__fill_range(const fsc__fill_request *request, int64_t begin, int64_t end, void *data);

#endif
