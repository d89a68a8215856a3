/* The row of a case: JSON with the same keys always, null where nothing is known. */
#ifndef FSC_CASE_ROW_H
#define FSC_CASE_ROW_H

#include "case/side.h"
#include "verdict/verdict.h"

/* Everything a row says. Zeroed parts are nulls in the row. */
typedef struct fsc__outcome {
    const cJSON *json; /* the case; need not be a valid one */
    const char *device, *driver;
    fsc__verdict verdict;
    char reason[2048];
    bool judged; /* fused, unfused, metrics, direction are filled */
    fsc__side fused, unfused;
    fsc__judged metrics;
    char direction[96];
    fsc__limit limit;
    bool limit_met;
    char missed[512]; /* where it is not met */
    fsc__text log;    /* of the driver */
} fsc__outcome;

/* NULL when out of memory. Beyond the keys of the contract a row may have `tensors` (files of its
   inputs), `bits` (hashes of the outputs), `limit` (a user's tolerance: of, met, missed) and `log`
   (the driver's). */
cJSON *fsc__row_create(const fsc__outcome *outcome);

/* Verdict and reason of a case that did not run, for whoever had to give up on it. */
cJSON *fsc__row_without_run(const cJSON *json, const char *device, const char *driver,
                            fsc__verdict verdict, const char *reason);

/* Whether the row makes the exit status of the command 1. */
bool fsc__row_fails(const cJSON *row);

/* "Portable Computing Language: pthread-..." as rows name a device. */
void fsc__device_label(const fsc__device_info *info, char *label, size_t bytes);

#endif
