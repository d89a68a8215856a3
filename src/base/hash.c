/* Keys and checksums by XXH3. */
#include "base/hash.h"

#include <stdio.h>
#include <xxhash.h>

uint64_t fsc__hash(const void *data, size_t bytes, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, bytes, seed);
}

void fsc__hash_hex(const void *data, size_t bytes, char hex[33])
{
    const XXH128_hash_t hash = XXH3_128bits(data, bytes);
    snprintf(hex, 33, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}
