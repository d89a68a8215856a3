/* Lists of kernel arguments, and steps that take them. */
#ifndef FSC_KERNEL_ARGS_H
#define FSC_KERNEL_ARGS_H

#include "kernel/emit.h"

typedef struct fsc__args {
    fsc__arg *at;
    int count, capacity;
    bool failed; /* out of memory: check once */
} fsc__args;

/* Append an argument; name is that of the kernel's parameter. */
void fsc__args_buffer(fsc__args *args, const char *name, fsc__arg_kind kind, int index);
void fsc__args_int(fsc__args *args, const char *name, int64_t value);
void fsc__args_float(fsc__args *args, const char *name, float value);
void fsc__args_append(fsc__args *args, const fsc__args *more);
void fsc__args_deinit(fsc__args *args);

/* Appends the step, whose name, args and text are now owned by kernels. */
fsc_status fsc__kernels_add_step(fsc__kernels *kernels, const fsc__step *step, fsc_error *why);

/* Appends a scratch buffer of so many f32 elements / a tap of a node; *index is its index. */
fsc_status fsc__kernels_add_scratch(fsc__kernels *kernels, int64_t elems, int *index,
                                    fsc_error *why);
fsc_status fsc__kernels_add_tap(fsc__kernels *kernels, int node, int *index, fsc_error *why);

#endif
