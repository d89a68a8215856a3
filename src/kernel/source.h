/* Kernel text: embedded files, includes flattened, unused definitions left out, #line kept so that
   a driver's message names our file and line. */
#ifndef FSC_KERNEL_SOURCE_H
#define FSC_KERNEL_SOURCE_H

#include "base/text.h"

typedef struct fsc__embedded_file {
    const char *name; /* "map.cl"; NULL ends the table */
    const char *text;
} fsc__embedded_file;
extern const fsc__embedded_file fsc__embedded_files[];

/* Reads cl/ files from this folder instead of the embedded ones; NULL turns it off. */
void fsc__source_folder(const char *path);

/* Appends to text: prelude, then those definitions of the file and of what it includes that are
   used, directly or not, by the file's kernel or the generated text. generated is placed before the
   file's kernel. Definitions in cl/ headers are separated by blank lines. */
fsc_status fsc__source_flatten(const char *file, const char *prelude, const char *generated,
                               fsc__text *text, fsc_error *why);

#endif
