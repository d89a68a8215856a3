/* Keys and checksums (xxHash). */
#ifndef FSC_BASE_HASH_H
#define FSC_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t fsc__hash(const void *data, size_t bytes, uint64_t seed); /* XXH3, 64 bits */

/* 32 hex digits and a NUL: XXH3, 128 bits, for cache keys. */
void fsc__hash_hex(const void *data, size_t bytes, char hex[33]);

#endif
