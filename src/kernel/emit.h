/* Turns a group of a plan into kernels: text, arguments by name, index space. */
#ifndef FSC_KERNEL_EMIT_H
#define FSC_KERNEL_EMIT_H

#include "fusion/plan.h"
#include "numeric/caps.h"

/* Constants of a schedule. They never change a result. */
typedef struct fsc__tile {
    int width;   /* W: floats in a vector, 1 2 4 8 16 */
    int rows;    /* matmul: rows of a register tile */
    int vectors; /* matmul: vectors of W columns in a register tile */
} fsc__tile;

/* The tile for a device when nobody chose one. */
fsc__tile fsc__tile_default(const fsc__caps *caps);

/* "8x2x16": rows, vectors and width. */
fsc_status fsc__tile_parse(const char *text, fsc__tile *tile, fsc_error *why);
fsc_status fsc__tile_check(const fsc__tile *tile, fsc_error *why);

typedef enum fsc__arg_kind {
    FSC__ARG_VALUE,   /* buffer of graph value `index` */
    FSC__ARG_SCRATCH, /* buffer of the group, `index` into fsc__kernels.scratch_bytes */
    FSC__ARG_TAP,     /* buffer of tap `index`: f32 elements of node fsc__kernels.taps[index] */
    FSC__ARG_INT,     /* a 32-bit int */
    FSC__ARG_FLOAT    /* an f32 */
} fsc__arg_kind;

typedef struct fsc__arg {
    char name[FSC__NAME_BYTES]; /* of the kernel parameter at this position */
    fsc__arg_kind kind;
    int index;
    int32_t integer;
    float number;
} fsc__arg;

/* One launch. */
typedef struct fsc__step {
    char name[FSC__NAME_BYTES]; /* of the kernel */
    char *text;                 /* flat OpenCL C */
    fsc__arg *args;
    int arg_count;
    size_t global[3], local[3]; /* global is a multiple of local */
    int slice_axis;             /* the axis along which a long launch may be cut (global offsets) */
    double work; /* multiply-adds and element visits of the whole launch, for slicing */
} fsc__step;

/* All launches of one group, in order. */
typedef struct fsc__kernels {
    fsc__step *steps;
    int step_count;
    size_t *scratch_bytes;
    int scratch_count;
    int *taps; /* graph node indices whose value is tapped, [] unless asked for */
    int tap_count;
} fsc__kernels;

typedef struct fsc__emit_options {
    fsc__tile tile;
    bool taps; /* store each boundary's value (f32) in side buffers; the output does not change */
} fsc__emit_options;

/* FSC_UNSUPPORTED where the device or this version cannot (reason in words). */
fsc_status fsc__emit(const fsc__plan *plan, const fsc__group *group, const fsc__caps *caps,
                     const fsc__emit_options *options, fsc__kernels *kernels, fsc_error *why);
void fsc__kernels_deinit(fsc__kernels *kernels);

#endif
