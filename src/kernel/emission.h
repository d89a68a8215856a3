/* What the emitter of each pattern works with: the group and the generated part of a kernel. */
#ifndef FSC_KERNEL_EMISSION_H
#define FSC_KERNEL_EMISSION_H

#include "fusion/access.h"
#include "kernel/args.h"
#include "kernel/prelude.h"

/* The emission of one group. */
typedef struct fsc__emission {
    const fsc__plan *plan;
    const fsc__group *group;
    const fsc__caps *caps;
    const fsc__emit_options *options;
    fsc__kernels *kernels; /* being filled */
} fsc__emission;

/* What a kernel works on: rows x cols of a shape, cols a product of trailing axes. */
typedef struct fsc__view {
    const fsc__shape *shape;
    int64_t rows, cols;
} fsc__view;

fsc__view fsc__view_of(const fsc__shape *shape, int64_t cols);

/* The generated part of one kernel. Its functions share the parameters PARAMS, handed on as ARGS.
 */
typedef struct fsc__writer {
    const fsc__emission *emission;
    fsc__view view;      /* of the functions written next */
    fsc__text constants; /* #define lines that cl/ headers need: MR, CHUNK and the like */
    fsc__text defines;   /* those that only the kernel needs: STORED, STORE, SUM */
    fsc__text ops;       /* one function per op */
    fsc__text functions;
    fsc__text params, params_passed; /* ", int x", ", x" */
    fsc__args args;                  /* in the order of params */
} fsc__writer;

/* A pointwise chain to write: a function that returns graph value `value`, with parameters
   (real x, int r, int c, int i, int n PARAMS), x being graph value `given` (without it where given
   is -1). Nodes of the group are computed as needed; those at positions [tap_begin, tap_end) are
   tapped where taps are asked for. */
typedef struct fsc__function {
    const char *name;
    int value, given;
    int tap_begin, tap_end;
} fsc__function;
fsc_status fsc__writer_function(fsc__writer *writer, const fsc__function *function, fsc_error *why);

/* "load_f32(in_bias, c, n)": the value at (r, c) of the view; its parameters are added. */
fsc_status fsc__writer_load(fsc__writer *writer, int value, fsc__text *text, fsc_error *why);

/* Add a parameter unless there is one of that name. */
void fsc__writer_int(fsc__writer *writer, const char *name, int64_t number);
void fsc__writer_float(fsc__writer *writer, const char *name, float number);
fsc_status fsc__writer_tap(fsc__writer *writer, int node, char name[FSC__NAME_BYTES],
                           fsc_error *why);

/* Defines STORED and STORE, the element type and the store function, for the group's output. */
void fsc__writer_store(fsc__writer *writer);

void fsc__writer_deinit(fsc__writer *writer);

/* The kernel `name` in cl/NAME.cl: writes the text with a prelude of this width and adds the step.
   step has all but name, text and args; fixed are the arguments before PARAMS. */
fsc_status fsc__writer_finish(fsc__writer *writer, const char *name, int width, fsc__step step,
                              const fsc__args *fixed, fsc_error *why);

/* The element type of a buffer in OpenCL C. */
const char *fsc__stored_element(fsc_dtype type);

/* A launch of x by y by z work-items in groups of local, padded. */
void fsc__step_launch(fsc__step *step, const int64_t items[3], const int64_t local[3]);

/* One work-item per vector of a rows x cols view, vectors along x, in groups the device can run. */
void fsc__step_launch_vectors(fsc__step *step, const fsc__caps *caps, int64_t vectors, int64_t rows,
                              int64_t batch);

/* Defines ADD_PRODUCT(a, b, sum) by the mode's contraction. */
void fsc__writer_contraction(fsc__writer *writer);

/* Whether a work-item may run so many loop iterations, and the refusal where it may not. */
bool fsc__loops_fit(const fsc__caps *caps, double iterations);
fsc_status fsc__loops_refuse(const fsc__caps *caps, const char *what, int64_t terms,
                             fsc_error *why);

typedef fsc_status fsc__emit_pattern(fsc__emission *emission, fsc_error *why);
fsc__emit_pattern fsc__emit_map, fsc__emit_matmul, fsc__emit_norm;

#endif
