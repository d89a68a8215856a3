/* Runs a plan on a device: builds its kernels once, then runs them on tensors. */
#ifndef FSC_ENGINE_EXECUTOR_H
#define FSC_ENGINE_EXECUTOR_H

#include "device/launch.h"

typedef struct fsc__executable fsc__executable;

/* What unwritten elements hold: a NaN in f32, f16 and bf16 alike, and no code that kernels store.
 */
enum { FSC__POISON = 0x7fa57fa5 };

typedef struct fsc__times {
    uint64_t build_ns;  /* source to program, cached or not, all kernels */
    uint64_t pack_ns;   /* packing launches */
    uint64_t kernel_ns; /* all other launches */
    uint64_t transfer_ns;
    int kernels; /* launched, packing included */
    int cached;  /* programs that came from the cache */
} fsc__times;

/* options NULL, or a tile of width 0: the device's default tile. plan must outlive the executable.
   log: the driver's log when a kernel does not build (may be NULL). All memory is had here, so that
   a run allocates nothing but its results; sizes beyond the device's are FSC_UNSUPPORTED, named. */
fsc_status fsc__executable_create(fsc_device *device, const fsc__plan *plan,
                                  const fsc__emit_options *options, fsc__executable **executable,
                                  fsc__text *log, fsc_error *why);
void fsc__executable_free(fsc__executable *executable);

/* in: per graph input, in the types of fsc__graph_input_type. out: per graph output, initialised
   here with the storage type. Every buffer a kernel writes is poisoned before the launch. taps (may
   be NULL, else tap_count(executable) entries): initialised here, f32. */
fsc_status fsc__executable_run(fsc__executable *executable, const fsc_tensor in[], fsc_tensor out[],
                               fsc_tensor taps[], fsc__times *times, fsc_error *why);

int fsc__executable_tap_count(const fsc__executable *executable);
const fsc__kernels *fsc__executable_kernels(const fsc__executable *executable, int group);

#endif
