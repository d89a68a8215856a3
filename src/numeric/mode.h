/* The precision mode: orthogonal fields with presets. Written PRESET[,FIELD=VALUE]..., for example
   "f16,boundary=round,order=lanes:64". */
#ifndef FSC_NUMERIC_MODE_H
#define FSC_NUMERIC_MODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "numeric/dtype.h"

typedef enum fsc__boundary { FSC__BOUNDARY_KEEP, FSC__BOUNDARY_ROUND } fsc__boundary;
typedef enum fsc__contract { FSC__CONTRACT_SUMS, FSC__CONTRACT_OFF } fsc__contract;
typedef enum fsc__gelu { FSC__GELU_OWN, FSC__GELU_ERF, FSC__GELU_TANH } fsc__gelu;
typedef enum fsc__variance {
    FSC__VARIANCE_CORRECTED,
    FSC__VARIANCE_TWO_PASS,
    FSC__VARIANCE_ONE_PASS,
    FSC__VARIANCE_WELFORD
} fsc__variance;

/* The order of a sum. lanes: lane l adds elements l, l+N, ... from +0, then for s = N/2 .. 1:
   lane[i] += lane[i+s]. chunk: sequential in runs of N, run sums added in order from +0. */
typedef enum fsc__order_kind {
    FSC__ORDER_DEFAULT, /* the pattern's own; never in a resolved mode */
    FSC__ORDER_SEQUENTIAL,
    FSC__ORDER_LANES,
    FSC__ORDER_CHUNK
} fsc__order_kind;

typedef struct fsc__order {
    fsc__order_kind kind;
    int n; /* lanes: a power of two, 1..1024; chunk: 1..2^20; else 0 */
} fsc__order;

/* Which fields the text named, so that one without meaning for a graph can be refused. */
enum {
    FSC__MODE_STORAGE = 1 << 0,
    FSC__MODE_ARITH = 1 << 1,
    FSC__MODE_ACCUM = 1 << 2,
    FSC__MODE_PARAMS = 1 << 3,
    FSC__MODE_BOUNDARY = 1 << 4,
    FSC__MODE_ORDER = 1 << 5,
    FSC__MODE_CONTRACT = 1 << 6,
    FSC__MODE_MATH = 1 << 7,
    FSC__MODE_GELU = 1 << 8,
    FSC__MODE_VARIANCE = 1 << 9,
    FSC__MODE_DENORMS = 1 << 10
};

typedef struct fsc_mode {
    fsc_dtype storage; /* type of tensors in memory: f32, f16, bf16 */
    fsc_dtype arith;   /* type of pointwise arithmetic: f32 */
    fsc_dtype accum;   /* type of sums: f32 */
    fsc_dtype params;  /* type of bias, scale, gamma, beta: f32 or the storage type */
    fsc__boundary boundary;
    fsc__order order;
    fsc__contract contract;
    fsc__gelu gelu;
    fsc__variance variance;
    unsigned named; /* FSC__MODE_ bits */
} fsc_mode;

/* Refuses unknown presets, fields and values with the list of what is allowed; values of DESIGN
   that this version lacks are FSC_UNSUPPORTED with the list of those it has. *mode is the caller's.
 */
fsc_status fsc__mode_parse(const char *text, fsc_mode *mode, fsc_error *why);

/* Canonical text: preset and the fields that differ from it; parsing it gives the same mode, but
   for `named`. bytes of at least 128. */
void fsc__mode_write(const fsc_mode *mode, char *text, size_t bytes);

/* "sequential", "lanes:64". bytes of at least 24. */
void fsc__order_write(fsc__order order, char *text, size_t bytes);

/* The mode as the rest of the program documents it: field names and their allowed values in this
   version, one "field: a b c" a line; static. */
const char *fsc__mode_help(void);

#endif
