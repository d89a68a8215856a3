/* The devices of a run: what the selectors of its configuration mean on this machine, each in the
   environment that its entry asks for. */
#ifndef FSC_EXPERIMENT_TARGET_H
#define FSC_EXPERIMENT_TARGET_H

#include "experiment/coordinator.h"
#include "experiment/process.h"

/* One device to run on, or an entry that nothing fits. Texts are owned. */
typedef struct fsc__target {
    const fsc__config_device *entry; /* borrowed */
    char *select;                    /* means this device alone, in the entry's environment */
    char *place;                     /* "0.1", its indices there */
    char *device, *driver;           /* as rows name them */
    char *missing;                   /* why there is none, else NULL */
} fsc__target;

/* Asks a worker in each entry's environment. Freed with fsc__targets_free. */
fsc_status fsc__targets_find(const fsc__run *run, fsc__target **targets, int *count,
                             fsc_error *why);
void fsc__targets_free(fsc__target *targets, int count);

/* What a worker answers to its first line; *object is freed with cJSON_Delete. An answer that is a
   failure, or none, is the failure here. */
fsc_status fsc__target_ask(const fsc__run *run, fsc__process *worker, cJSON **object,
                           fsc_error *why);

#endif
