/* Devices: listing, choosing, opening; and what an open device is. */
#ifndef FSC_DEVICE_DEVICE_H
#define FSC_DEVICE_DEVICE_H

#include "base/text.h"
#include "numeric/caps.h"

/* One device of this machine, as listed. */
typedef struct fsc__device_info {
    int platform, device; /* P.D */
    char suffix[32];      /* ICD suffix, "POCL" */
    char platform_name[128];
    char name[128];
    char vendor[128];
    char version[128]; /* of the device */
    char driver[128];
    char platform_version[128];
    char type[24]; /* "cpu", "gpu", "accelerator", "cpu gpu accelerator" (Oclgrind) */
    bool oclgrind; /* runs only when named */
} fsc__device_info;

/* All devices; *list is freed with fsc__free. A platform without devices is not an error; no driver
   at all is FSC_ERR_NO_DEVICE. */
fsc_status fsc__devices_list(fsc__device_info **list, int *count, fsc_error *why);

/* Indices into list of those the selector means (DESIGN 6): "P.D", "all", "cpu", "gpu", a
   substring, "!" in front excludes, several words separated by blanks or commas. unique: exactly
   one is wanted, several are an error that lists them. *chosen holds count entries at most. select
   NULL or "" is the default device: the first GPU, then the first CPU; so is, where unique, the
   rest that a selector of exclusions alone leaves. */
fsc_status fsc__devices_select(const fsc__device_info *list, int count, const char *select,
                               bool unique, int *chosen, int *chosen_count, fsc_error *why);

/* A short name for messages: "pocl", "rusticl", else the device's own name; borrowed. */
const char *fsc__device_alias(const fsc__device_info *info);

typedef struct fsc_device fsc_device;

typedef struct fsc__device_options {
    const char *cache; /* folder of the program cache, NULL: none */
    const char *dump;  /* folder for flat source, build log and binary, NULL: none */
    int keep_programs; /* ready programs that stay after their last user, for the next; 0: none */
    bool no_probe;     /* list capabilities only; nothing can be launched */
} fsc__device_options;

/* Opens one device and probes it (the probe's result is kept in the cache folder, per device,
   driver and options). A device that cannot be predicted opens; caps->refused says why. */
fsc_status fsc__device_open(const fsc__device_info *info, const fsc__device_options *options,
                            fsc_device **device, fsc_error *why);
void fsc__device_close(fsc_device *device);

const fsc__caps *fsc__device_caps(const fsc_device *device);
const fsc__device_info *fsc__device_about(const fsc_device *device);

/* Names of the quirks found by the probe, separated by blanks; "" for none. */
const char *fsc__device_quirks(const fsc_device *device);

/* Words for what the probe measured: "exact" "flushes" "other"; "plain" "double" "remainder"
   "none". Static. */
const char *fsc__fma_name(fsc__fma fma);
const char *fsc__round_way_name(fsc__round_way way);

/* Options that every program is built with. */
const char *fsc__device_build_options(const fsc_device *device);

#endif
