/* Allocation: aligned, checked for overflow, and able to fail on request. */
#include "base/alloc.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

/* Allocations left before the one that fails; negative when none shall. */
static atomic_long successes_left = -1;

void fsc__alloc_fail_after(long successes)
{
    atomic_store(&successes_left, successes);
}

static int fails_on_request(void)
{
    long left = atomic_load(&successes_left);
    while (left >= 0) {
        if (atomic_compare_exchange_weak(&successes_left, &left, left - 1))
            return left == 0;
    }
    return 0;
}

/* count * bytes, at least 1; 0 when it overflows or leaves no room to align. */
static size_t total_bytes(size_t count, size_t bytes)
{
    if (bytes != 0 && count > (PTRDIFF_MAX - ALIGNMENT) / bytes)
        return 0;
    return count * bytes > 0 ? count * bytes : 1;
}

void *fsc__alloc(size_t count, size_t bytes)
{
    const size_t total = total_bytes(count, bytes);
    if (total == 0 || fails_on_request())
        return NULL;
    return aligned_alloc(ALIGNMENT, (total + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

void *fsc__calloc(size_t count, size_t bytes)
{
    void *block = fsc__alloc(count, bytes);
    return block ? memset(block, 0, count * bytes) : NULL;
}

void *fsc__realloc(void *block, size_t count, size_t bytes)
{
    const size_t total = total_bytes(count, bytes);
    if (total == 0 || fails_on_request())
        return NULL;
    return realloc(block, total);
}

char *fsc__strdup(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = fsc__alloc(bytes, 1);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

void fsc__free(void *block)
{
    free(block);
}
