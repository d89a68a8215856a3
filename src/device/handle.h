/* What an open device is, for the files of this folder. */
#ifndef FSC_DEVICE_HANDLE_H
#define FSC_DEVICE_HANDLE_H

#include "device/device.h"
#include "device/opencl.h"

struct fsc_device {
    fsc__device_info info;
    fsc__caps caps;
    char options[128];     /* of every build */
    char quirks[128];      /* names of those applied, separated by blanks */
    char *cache, *dump;    /* folders or NULL */
    bool cache_complained; /* the one warning about an unwritable cache was given */
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    struct fsc__program **shelf; /* see shelf.h */
    int shelf_size, shelved;
};

/* The OpenCL id behind P.D. Fails when the machine's devices changed since they were listed. */
fsc_status fsc__device_find(const fsc__device_info *info, cl_platform_id *platform,
                            cl_device_id *id, fsc_error *why);

/* "<folder>/<name>", freed with fsc__free; NULL when out of memory. */
char *fsc__device_path(const char *folder, const char *name);

/* Writes a file into the cache or dump folder (made if absent); a failure is a warning, for the
   cache once per device. */
void fsc__device_save(fsc_device *device, const char *folder, const char *name, const void *data,
                      size_t bytes);

#endif
