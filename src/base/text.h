/* A growing string, and the nearest known word to a mistyped one. */
#ifndef FSC_BASE_TEXT_H
#define FSC_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Zero-initialise ({0}). data is NUL-terminated once anything was added, else NULL.
   After an allocation failure, failed stays true and later adds do nothing: check it once. */
typedef struct fsc__text {
    char *data;
    size_t length, capacity;
    bool failed;
} fsc__text;

void fsc__text_add(fsc__text *text, const char *format, ...) FSC_PRINTF(2, 3);
void fsc__text_add_bytes(fsc__text *text, const char *bytes, size_t count);
void fsc__text_deinit(fsc__text *text);

/* The name at a small edit distance (at most a third of the word, at least 1) of word, or NULL. */
const char *fsc__text_nearest(const char *word, const char *const *names, size_t count);

/* "add, sub, mul" of names, into text. */
void fsc__text_add_list(fsc__text *text, const char *const *names, size_t count);

/* Shell-style match of * and ?. */
bool fsc__text_glob(const char *pattern, const char *word);

#endif
