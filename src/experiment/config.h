/* The configuration of a run: a JSON document, checked as a whole before anything runs. */
#ifndef FSC_EXPERIMENT_CONFIG_H
#define FSC_EXPERIMENT_CONFIG_H

#include "base/json.h"

/* One entry of "devices". Texts are borrowed from the document or from whoever added it. */
typedef struct fsc__config_device {
    const char *select;   /* NULL: the default device */
    bool required;        /* else its absence skips its cases */
    const cJSON *env;     /* object of texts, or NULL */
    int64_t max_elements; /* 0: no limit */
} fsc__config_device;

typedef struct fsc__config {
    const char *name, *description; /* "" where not given */
    int64_t timeout_s;              /* of one case */
    fsc__config_device *devices;    /* none: whoever runs decides */
    int device_count;
    /* Array of experiments with defaults filled in: name, graph, shapes, modes, inputs, seeds
       (arrays of texts and numbers), and where given unfused_mode, off, tensors (absolute paths),
       tolerance.
     */
    cJSON *experiments;
    cJSON *root; /* the document */
} fsc__config;

/* Errors are `path: /pointer: what is wrong; what is allowed`, FSC_ERR_INPUT or FSC_ERR_FILE. */
fsc_status fsc__config_read(const char *path, fsc__config *config, fsc_error *why);
void fsc__config_deinit(fsc__config *config); /* accepts a zeroed one */

/* 32 hex digits that say which configuration results belong to: of the values, so that blanks and
   the order of nothing but whitespace do not matter. */
fsc_status fsc__config_hash(const fsc__config *config, char hex[33], fsc_error *why);

#endif
