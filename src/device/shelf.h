/* Programs kept ready after their last user is gone, for the next one with the same text. */
#ifndef FSC_DEVICE_SHELF_H
#define FSC_DEVICE_SHELF_H

#include "device/launch_private.h"

/* The program with this key, taken by one more user, or NULL. */
fsc__program *fsc__shelf_take(fsc_device *device, const char *key);

/* Offers a new program. It stays its users' alone where the device keeps none or all are in use. */
void fsc__shelf_put(fsc_device *device, fsc__program *program);

/* Releases all that are kept; nobody may use one any more. */
void fsc__shelf_clear(fsc_device *device);

/* Releases what a program holds and its memory. */
void fsc__program_destroy(fsc__program *program);

#endif
