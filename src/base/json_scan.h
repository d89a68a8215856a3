/* The strict reader in front of cJSON, which takes more than JSON allows and reports less. */
#ifndef FSC_BASE_JSON_SCAN_H
#define FSC_BASE_JSON_SCAN_H

#include <stddef.h>

#include "base/status.h"

enum { FSC__JSON_DEEPEST = 100 }; /* levels of arrays and objects */

/* Succeeds when text is one JSON value (RFC 8259) in valid UTF-8, nested FSC__JSON_DEEPEST deep at
   most, without \u0000 in strings. Otherwise says what was expected at which name:line:column;
   columns count characters from 1. */
fsc_status fsc__json_scan(const char *name, const char *text, size_t bytes, fsc_error *why);

#endif
