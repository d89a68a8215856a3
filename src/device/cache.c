/* Keys, headers and checks of cached programs. */
#include "device/cache.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

/* Layout, little-endian whatever the machine:
     0  8  magic                       24 32  key in hex digits
     8  4  format                      56  8  checksum of the binary
    12  4  bytes of this header        64  8  checksum of the header before it
    16  8  bytes of the binary
   A change of the layout, or of how kernels are built, gets a new format number. */
static const char magic[8] = {'F', 'S', 'C', 'P', 'R', 'O', 'G', '\n'};
enum { FORMAT = 1, KEY_AT = 24, CHECKSUM_AT = 56, HEADER_SUM_AT = 64, KEY_DIGITS = 32 };

fsc_status fsc__cache_key(const char *text, const char *options, const fsc__device_info *info,
                          char key[FSC__CACHE_KEY_BYTES], fsc_error *why)
{
    /* Lengths keep the fields apart: no two tuples have one spelling. */
    const char *const fields[] = {text,         options,       info->platform_name,   info->name,
                                  info->driver, info->version, info->platform_version};
    fsc__text all = {0};
    fsc__text_add(&all, "format %d", (int)FORMAT);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i)
        fsc__text_add(&all, "\n%zu %s", strlen(fields[i]), fields[i]);
    const bool failed = all.failed;
    if (!failed)
        fsc__hash_hex(all.data, all.length, key);
    fsc__text_deinit(&all);
    if (failed)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory for a cache key");
    return FSC_OK;
}

static void put(unsigned char *at, int bytes, uint64_t value)
{
    for (int i = 0; i < bytes; ++i)
        at[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; ++i)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

void fsc__cache_header(const char key[FSC__CACHE_KEY_BYTES], const void *binary, size_t bytes,
                       unsigned char header[FSC__CACHE_HEADER_BYTES])
{
    memcpy(header, magic, sizeof magic);
    put(header + 8, 4, FORMAT);
    put(header + 12, 4, FSC__CACHE_HEADER_BYTES);
    put(header + 16, 8, bytes);
    memcpy(header + KEY_AT, key, KEY_DIGITS);
    put(header + CHECKSUM_AT, 8, fsc__hash(binary, bytes, 0));
    put(header + HEADER_SUM_AT, 8, fsc__hash(header, HEADER_SUM_AT, 0));
}

bool fsc__cache_check(const char key[FSC__CACHE_KEY_BYTES], const void *file, size_t file_bytes,
                      const void **binary, size_t *bytes, const char **reason)
{
    const unsigned char *header = file;
    *reason = NULL;
    if (file_bytes <= FSC__CACHE_HEADER_BYTES)
        *reason = "it is too short";
    else if (memcmp(header, magic, sizeof magic) != 0)
        *reason = "it is not a cached program";
    else if (get(header + HEADER_SUM_AT, 8) != fsc__hash(header, HEADER_SUM_AT, 0))
        *reason = "its header is damaged";
    else if (get(header + 8, 4) != FORMAT || get(header + 12, 4) != FSC__CACHE_HEADER_BYTES)
        *reason = "it has another format";
    else if (memcmp(header + KEY_AT, key, KEY_DIGITS) != 0)
        *reason = "it is another program";
    else if (get(header + 16, 8) != file_bytes - FSC__CACHE_HEADER_BYTES)
        *reason = "its length is wrong";
    else if (get(header + CHECKSUM_AT, 8) !=
             fsc__hash(header + FSC__CACHE_HEADER_BYTES, file_bytes - FSC__CACHE_HEADER_BYTES, 0))
        *reason = "its contents are damaged";
    if (*reason)
        return false;
    *binary = header + FSC__CACHE_HEADER_BYTES;
    *bytes = file_bytes - FSC__CACHE_HEADER_BYTES;
    return true;
}

void fsc__cache_name(const char key[FSC__CACHE_KEY_BYTES], char name[FSC__CACHE_NAME_BYTES])
{
    snprintf(name, FSC__CACHE_NAME_BYTES, "%.32s.clbin", key);
}
