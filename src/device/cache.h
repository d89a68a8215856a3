/* The program cache: built programs as files. Knows nothing of OpenCL.

   A file is a header and the driver's binary. The driver never sees a byte of a file whose header
   or checksum is wrong: damaged binaries crash drivers. */
#ifndef FSC_DEVICE_CACHE_H
#define FSC_DEVICE_CACHE_H

#include "device/device.h"

enum { FSC__CACHE_KEY_BYTES = 33, FSC__CACHE_NAME_BYTES = 40, FSC__CACHE_HEADER_BYTES = 72 };

/* Key of a program: everything that its binary depends on. */
fsc_status fsc__cache_key(const char *text, const char *options, const fsc__device_info *info,
                          char key[FSC__CACHE_KEY_BYTES], fsc_error *why);

/* A header for the binary, of FSC__CACHE_HEADER_BYTES. */
void fsc__cache_header(const char key[FSC__CACHE_KEY_BYTES], const void *binary, size_t bytes,
                       unsigned char header[FSC__CACHE_HEADER_BYTES]);

/* Checks a whole file; *binary points into it. false with a reason in words where it is not what
   the key asks for or not as it was written. */
bool fsc__cache_check(const char key[FSC__CACHE_KEY_BYTES], const void *file, size_t file_bytes,
                      const void **binary, size_t *bytes, const char **reason);

/* The name of a key's file in the cache folder: "<key>.clbin". */
void fsc__cache_name(const char key[FSC__CACHE_KEY_BYTES], char name[FSC__CACHE_NAME_BYTES]);

#endif
