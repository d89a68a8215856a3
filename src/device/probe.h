/* Measures a device's arithmetic on directed patterns and decides what it can be trusted with. */
#ifndef FSC_DEVICE_PROBE_H
#define FSC_DEVICE_PROBE_H

#include "device/device.h"
#include "device/quirk.h"

/* Fills the measured fields of caps (fma .. timer, kernel_group, refused); the queried ones are
   already there. The result is kept in the cache folder. A device that cannot be predicted is
   FSC_OK with caps->refused; failures are those of OpenCL calls and of memory. */
fsc_status fsc__probe(fsc_device *device, fsc__caps *caps, fsc_error *why);

/* One trial: kernels of the width, built for the trial's caps, against C. Adds to findings (zeroed
   by the caller), lowers trial->kernel_group to the kernel's work-group limit and sets
   trial->timer. amend is device text that replaces words of the prelude: "", but in tests, which
   break a device with it. */
fsc_status fsc__probe_trial(fsc_device *device, fsc__caps *trial, int width, const char *amend,
                            fsc__finding findings[FSC__CHECK_COUNT], fsc_error *why);

/* The texts of all trials of a width, joined: what a kept result depends on besides the device. */
fsc_status fsc__probe_texts(const fsc__caps *caps, int width, fsc__text *text, fsc_error *why);

/* The kept result of an earlier probe, as JSON. load is false where there is none that fits. key is
   FSC__CACHE_KEY_BYTES. */
bool fsc__probe_load(const fsc_device *device, const char *key, fsc__caps *caps, char *quirks,
                     size_t quirk_bytes);
void fsc__probe_save(fsc_device *device, const char *key, const fsc__caps *caps,
                     const char *quirks);

#endif
