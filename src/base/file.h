/* Whole files in and out. Errors name the path and what the system said. */
#ifndef FSC_BASE_FILE_H
#define FSC_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* *data is NUL-terminated beyond *bytes and freed by the caller with fsc__free. Regular files only,
   2 GiB at most. */
fsc_status fsc__file_read(const char *path, char **data, size_t *bytes, fsc_error *why);

/* Written to a temporary name in the same folder, flushed and renamed: a reader sees the old or the
   new file, never a part. */
fsc_status fsc__file_write(const char *path, const void *data, size_t bytes, fsc_error *why);

/* Makes path and its parents; an existing folder is fine. */
fsc_status fsc__folder_make(const char *path, fsc_error *why);
bool fsc__file_exists(const char *path);

/* base's folder joined with path unless path is absolute; fsc__free. NULL when out of memory. */
char *fsc__path_beside(const char *base, const char *path);

#endif
