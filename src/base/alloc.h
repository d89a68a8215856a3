/* All memory of the project comes from here, so that tests can fail the n-th allocation. */
#ifndef FSC_BASE_ALLOC_H
#define FSC_BASE_ALLOC_H

#include <stddef.h>

/* NULL on failure or when count * bytes overflows. Contents undefined / zero / kept. count * bytes
   of 0 gives a valid pointer. All blocks are aligned to 64 bytes except those of realloc. */
void *fsc__alloc(size_t count, size_t bytes);
void *fsc__calloc(size_t count, size_t bytes);
void *fsc__realloc(void *block, size_t count, size_t bytes); /* block from fsc__realloc, or NULL */
char *fsc__strdup(const char *text);
void fsc__free(void *block); /* NULL is fine */

/* For tests: the allocation after `successes` more successful ones fails, once; -1 turns it off. */
void fsc__alloc_fail_after(long successes);

#endif
