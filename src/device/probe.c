#include "device/probe.h"
fsc_status fsc__probe(fsc_device *device, fsc__caps *caps, fsc_error *why)
{
    (void)device;
    (void)why;
    caps->keeps_subnormals = caps->converts_half = true;
    return FSC_OK;
}
