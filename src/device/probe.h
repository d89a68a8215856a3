/* Measures a device's arithmetic on directed patterns and decides what it can be trusted with. */
#ifndef FSC_DEVICE_PROBE_H
#define FSC_DEVICE_PROBE_H

#include "device/device.h"

/* Fills the measured fields of caps (fma .. timer, kernel_group, refused); the queried ones are
   already there. The result is kept in the cache folder. A device that cannot be predicted is
   FSC_OK with caps->refused; failures are those of OpenCL calls and of memory. */
fsc_status fsc__probe(fsc_device *device, fsc__caps *caps, fsc_error *why);

#endif
