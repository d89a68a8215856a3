/* A chain set up in a few lines: parse, plan, give inputs, then predict, compute the truth, run on
   a device. Every failure is a failed assertion. */
#ifndef FSC_TESTS_PIPELINE_H
#define FSC_TESTS_PIPELINE_H

#include "device/device.h"
#include "fusion/plan.h"
#include "kernel/emit.h"

typedef struct pipeline {
    fsc_graph *graph;
    fsc__plan *plan;
    fsc_mode mode;
    fsc_tensor *in;                   /* one per graph input, in the types of the mode */
    fsc_tensor predicted, truth, out; /* first output; set by the functions below */
} pipeline;

/* Inputs are zero. unfused: one op per group. */
void pipeline_open(pipeline *p, const char *chain, const char *shape, const char *mode,
                   bool unfused);
void pipeline_close(pipeline *p);

/* Values of an input by name, each rounded once to the input's type; count must be its elements. */
void pipeline_set(pipeline *p, const char *name, const double *values, int64_t count);
/* The same value everywhere. */
void pipeline_set_all(pipeline *p, const char *name, double value);
/* An .npy file below tests/data. */
void pipeline_load(pipeline *p, const char *name, const char *file);
/* Every input by a family's rules for its role. */
void pipeline_fill(pipeline *p, const char *input, uint64_t seed);

void pipeline_predict(pipeline *p, fsc__fma fma);
void pipeline_truth(pipeline *p);
/* tile NULL: the device's default. */
void pipeline_run(pipeline *p, fsc_device *device, const fsc__tile *tile);

/* Index of the first element whose code differs, or -1. Types and shapes must be the same. */
int64_t pipeline_first_difference(const fsc_tensor *a, const fsc_tensor *b);

/* The device of device tests: FUSESCOPE_DEVICE or pocl, without a cache. Opened at the first call,
   closed at exit. */
fsc_device *pipeline_device(void);

#endif
