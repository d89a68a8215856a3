/* Runs cases on devices: one worker process per device, one device after another. */
#ifndef FSC_EXPERIMENT_COORDINATOR_H
#define FSC_EXPERIMENT_COORDINATOR_H

#include "experiment/config.h"

typedef struct fsc__run {
    const char *program; /* path of the command, whose subcommand `worker` is spawned */
    const cJSON *cases;  /* of fsc__matrix_create */
    const fsc__config_device *devices;
    int device_count;
    int64_t timeout_s; /* of one case */
    int interrupt_fd;  /* becomes readable when the user interrupts; -1: never */

    /* Called for each row as it comes; a failure ends the run. */
    fsc_status (*on_row)(void *context, const cJSON *row, fsc_error *why);
    /* Called before each case: the done-th of total, counted from 0. May be NULL. */
    void (*on_case)(void *context, int done, int total, const char *device, const char *id);
    void *context;
} fsc__run;

/* A required device that is not there is FSC_ERR_NO_DEVICE before anything runs; the cases of
   another that is not there are skipped rows. A worker that dies or takes too long is a row (crash,
   timeout) and the next case gets a new one. *interrupted: the run was ended by the user. */
fsc_status fsc__coordinate(const fsc__run *run, bool *interrupted, fsc_error *why);

#endif
