/* Programs, buffers and launches on an open device. Every OpenCL call of the project is made in
   src/device, through one wrapper that names the call and decodes its error. */
#ifndef FSC_DEVICE_LAUNCH_H
#define FSC_DEVICE_LAUNCH_H

#include "device/device.h"
#include "kernel/emit.h"

typedef struct fsc__program fsc__program; /* one kernel, ready to launch */
typedef struct fsc__buffer fsc__buffer;

/* Builds step->text, or takes it from the cache. On FSC_ERR_BUILD why holds the first error with
   our file and line, and *log (fsc__text, may be NULL) the driver's whole log. cached (may be NULL)
   says where it came from. */
fsc_status fsc__program_create(fsc_device *device, const fsc__step *step, fsc__program **program,
                               bool *cached, fsc__text *log, fsc_error *why);
void fsc__program_free(fsc__program *program);

/* bytes of 1 or more; larger than the device allows is FSC_UNSUPPORTED, naming both sizes. */
fsc_status fsc__buffer_create(fsc_device *device, size_t bytes, fsc__buffer **buffer,
                              fsc_error *why);
void fsc__buffer_free(fsc__buffer *buffer);
size_t fsc__buffer_bytes(const fsc__buffer *buffer);
fsc_status fsc__buffer_write(fsc__buffer *buffer, const void *data, size_t bytes, fsc_error *why);
fsc_status fsc__buffer_read(const fsc__buffer *buffer, void *data, size_t bytes, fsc_error *why);
/* Fills the whole buffer with a repeated 4-byte pattern. */
fsc_status fsc__buffer_poison(fsc__buffer *buffer, uint32_t pattern, fsc_error *why);

/* The buffers a step's arguments refer to. */
typedef struct fsc__bindings {
    fsc__buffer **values;  /* by graph value index, NULL where not in memory */
    fsc__buffer **scratch; /* by fsc__arg.index */
    fsc__buffer **taps;
} fsc__bindings;

/* Launches and waits, cut into slices none of which should exceed half a second. *ns (may be NULL)
   gets the sum of the slices' device times, or of wall times where the timer is not believable. */
fsc_status fsc__step_run(fsc_device *device, fsc__program *program, const fsc__step *step,
                         const fsc__bindings *bindings, uint64_t *ns, fsc_error *why);

#endif
