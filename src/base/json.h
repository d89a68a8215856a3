/* Reading JSON (cJSON) with errors that name the place: file:line:col for text that is not JSON,
   `file: /json/pointer: what is wrong; what is allowed` for values. Duplicate keys are errors. */
#ifndef FSC_BASE_JSON_H
#define FSC_BASE_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* Makes cJSON take its memory from base/alloc. Reading does it by itself; call it before building a
   document. What cJSON prints is then freed with fsc__free. */
void fsc__json_setup(void);

/* name is used in messages only. *root is freed with cJSON_Delete. An empty or truncated text,
   bytes after the value, invalid UTF-8, nesting deeper than 100 and duplicate keys are errors. */
fsc_status fsc__json_parse(const char *name, const char *text, size_t bytes, cJSON **root,
                           fsc_error *why);
fsc_status fsc__json_read(const char *path, cJSON **root, fsc_error *why);

/* A place in a document. pointer is the RFC 6901 path, "" for the root. */
typedef struct fsc__json {
    const cJSON *node; /* borrowed; NULL for an absent optional member */
    const char *name;  /* of the document */
    char pointer[256];
} fsc__json;

fsc__json fsc__json_root(const char *name, const cJSON *root);

/* Fails with "file: /pointer: <text>". */
fsc_status fsc__json_fail(const fsc__json *at, fsc_error *why, const char *format, ...)
    FSC_PRINTF(3, 4);

/* Refuses keys that are not in the list, naming the nearest allowed one. at must be an object. */
fsc_status fsc__json_keys(const fsc__json *at, const char *const *names, size_t count,
                          fsc_error *why);

bool fsc__json_has(const fsc__json *at, const char *key);
fsc__json fsc__json_member(const fsc__json *at, const char *key); /* node NULL when absent */
fsc__json fsc__json_item(const fsc__json *at, int index);
int fsc__json_size(const fsc__json *at); /* items of an array, members of an object, else 0 */

/* The value of a place, or a failure that says what it must be and is. Integers are limited to
   +-2^53 as well. */
fsc_status fsc__json_object(const fsc__json *at, fsc_error *why);
fsc_status fsc__json_array(const fsc__json *at, fsc_error *why);
fsc_status fsc__json_text(const fsc__json *at, const char **text, fsc_error *why);
fsc_status fsc__json_number(const fsc__json *at, double low, double high, double *number,
                            fsc_error *why);
fsc_status fsc__json_integer(const fsc__json *at, int64_t low, int64_t high, int64_t *number,
                             fsc_error *why);
fsc_status fsc__json_flag(const fsc__json *at, bool *flag, fsc_error *why);

#endif
