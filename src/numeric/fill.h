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
    FSC__INTEGERS, /* whole numbers in [A,B], default the exact range of the sum and type, below */
    FSC__RAMP,     /* A + i*B: A 0, B 1/elems */
    FSC__SMALL,    /* normal, scaled near the smallest normal value of the storage type */
    FSC__LARGE,    /* normal, scaled so that products and sums come near the largest value, below */
    FSC__POSITIVE, /* |normal| */
    FSC__NEGATIVE, /* -|normal| */
    FSC__SPECIAL,  /* NaN of both signs, infinities, subnormals, extremes, among normals, below */
    FSC__FAMILY_COUNT
} fsc__family;

/* Families that need more words. Data inputs follow the family, other roles their own distribution;
   integers without A and B fill all roles as said here, with A or B all alike.
   integers: with c = sqrt(L / 4n), L = 2^24, 2^11, 2^8 for storage f32, f16, bf16 and n the fan-in,
   data and weights are uniform in [-floor(c), floor(c)], at most 8; where c < 1 they are +-1 with
   probability c, else 0. So n products sum to about L/4 in magnitude at most (sparse: on average,
   and beyond L with a probability below e^-160), and sums are exact in any order and in the storage
   type. bias and beta are in [-8,8], scale, gamma and slope in [-2,2], mean in [-8,8]; var is 1 or
   4, so that its root is a whole number too. large: blocks of 4096 elements are, by a toss for each
   block that all tensors of a seed share, either near the largest value (deviation a quarter of it,
   held finite: sums with normal/sqrt(n) weights overflow now and then) or near the root of it
   (deviation sqrt(largest/n): n squares sum to the largest value, and overflow about half the
   time). special: one element in eight is a zero, a subnormal or the smallest normal value; a NaN,
   an infinity or the largest value comes with probability 1/2n, at most 1/16, so that more than
   half of the sums have none. Signs are tossed. */

typedef struct fsc__input {
    fsc__family family;
    bool has_a, has_b;
    double a, b;
} fsc__input;

/* What a tensor is for; decides its distribution (weights normal/sqrt(K), gamma and var
   uniform(0.5,2), beta, mean and bias normal, scale uniform(0.5,2), slope uniform(0,0.5)).
   `integers` fills all. */
typedef enum fsc__role {
    FSC__ROLE_DATA,
    FSC__ROLE_WEIGHT,
    FSC__ROLE_BIAS,
    FSC__ROLE_SCALE,
    FSC__ROLE_GAMMA,
    FSC__ROLE_BETA,
    FSC__ROLE_MEAN,
    FSC__ROLE_VAR,
    FSC__ROLE_SLOPE,
    FSC__ROLE_COUNT
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
