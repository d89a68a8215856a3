/* Results on disk: DIR/manifest.json says of which configuration, DIR/results.jsonl has a row a
   line. */
#ifndef FSC_EXPERIMENT_JOURNAL_H
#define FSC_EXPERIMENT_JOURNAL_H

#include "experiment/config.h"

typedef struct fsc__journal fsc__journal;

/* Makes folder where there is none. Results of another configuration there are FSC_ERR_INPUT and
   stay as they are; results of the same one are started afresh. */
fsc_status fsc__journal_open(const char *folder, const char *config_path, const fsc__config *config,
                             fsc__journal **journal, fsc_error *why);

/* The row is on its way to the disk when this returns, whatever happens to the process. */
fsc_status fsc__journal_add(fsc__journal *journal, const cJSON *row, fsc_error *why);

/* Accepts NULL. */
fsc_status fsc__journal_close(fsc__journal *journal, fsc_error *why);

#endif
