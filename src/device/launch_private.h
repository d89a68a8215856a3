/* What programs and buffers are, for the files of this folder. */
#ifndef FSC_DEVICE_LAUNCH_PRIVATE_H
#define FSC_DEVICE_LAUNCH_PRIVATE_H

#include "device/cache.h"
#include "device/handle.h"
#include "device/launch.h"

struct fsc__program {
    fsc_device *device;
    cl_program program;
    cl_kernel kernel;
    char name[FSC__NAME_BYTES];
    char key[FSC__CACHE_KEY_BYTES];
    int users;
    bool shelved;  /* kept when the last user is gone */
    size_t group;  /* work-items in a work-group of this kernel, at most */
    double per_ns; /* work in a nanosecond as last measured, 0 before the first launch */
};

struct fsc__buffer {
    fsc_device *device;
    cl_mem memory;
    size_t bytes;
};

/* Builds a text, or takes it from the cache, as for fsc__program_create. On failure *program is
   NULL. label names files of the dump folder. */
fsc_status fsc__program_build(fsc_device *device, const char *text, const char *label,
                              cl_program *program, bool *cached, fsc__text *log, fsc_error *why);

#endif
