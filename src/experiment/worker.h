/* The process that holds a device: cases in, rows out, a line each. */
#ifndef FSC_EXPERIMENT_WORKER_H
#define FSC_EXPERIMENT_WORKER_H

#include <stdio.h>

#include "device/device.h"

/* Writes one line to out: {"devices": [{"select": "0.0", "device": LABEL, "driver": TEXT}...]} of
   all that select means (NULL: the default one), or {"status": N, "error": TEXT}. */
fsc_status fsc__worker_list(const char *select, FILE *out, fsc_error *why);

/* Opens the one device that select means and writes {"device": LABEL, "driver": TEXT}, or
   {"status": N, "error": TEXT} and returns. Then reads a case a line from in until its end and
   writes a row for each. */
fsc_status fsc__worker_serve(const char *select, const fsc__device_options *options, FILE *in,
                             FILE *out, fsc_error *why);

#endif
