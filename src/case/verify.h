/* verify: a device against the prediction, over every pattern, mode and input family, on awkward
   shapes, with several tiles, each kernel twice, rows alone and in a batch. */
#ifndef FSC_CASE_VERIFY_H
#define FSC_CASE_VERIFY_H

#include "device/device.h"
#include "fusion/pattern.h"
#include "kernel/emit.h"

/* One made case. The pointers are borrowed from static tables. */
typedef struct fsc__verify_case {
    fsc__pattern_id pattern;
    const char *mode;
    fsc__family family;
    const char *chain;
    char shape[96];
    fsc__tile tiles[2]; /* the same bits are wanted of both */
    uint64_t seed;
    bool alone; /* 37 rows: each is also run by itself */
} fsc__verify_case;

typedef struct fsc__verify_options {
    bool full;   /* 30 cases and more in each cell of pattern x mode x family, else one */
    bool small;  /* quick on a simulator: tiny shapes */
    bool narrow; /* quick where fma is software, which takes seconds a vector to build */
    uint64_t seed;
} fsc__verify_options;

/* A cell of pattern x mode x family. */
typedef struct fsc__verify_cell {
    fsc__pattern_id pattern;
    const char *mode;
    fsc__family family;
    int64_t cases, outputs;
} fsc__verify_cell;

typedef struct fsc__verify_totals {
    int64_t cases, outputs;
    int64_t differ;  /* outputs that differ from the prediction in any run */
    int64_t flushed; /* outputs that a device quirk changed, predicted all the same */
    int64_t beyond;  /* outputs too far from the truth: a formula wrong on both sides */
    int64_t largest_case;
} fsc__verify_totals;

/* The cells of a run; *cells is freed with fsc__free. */
fsc_status fsc__verify_cells(fsc__verify_cell **cells, int *count, fsc_error *why);

/* The cases of one cell are made one after another; false when the cell has no more. index counts
   from 0 within the cell. */
bool fsc__verify_make(const fsc__verify_options *options, const fsc__verify_cell *cell, int index,
                      fsc__verify_case *made);

/* Runs one case; adds to *totals. What differs is described in *report, a few lines that end with a
   command that shows it again. */
fsc_status fsc__verify_run(fsc_device *device, const fsc__verify_case *made,
                           fsc__verify_totals *totals, fsc__text *report, fsc_error *why);

#endif
