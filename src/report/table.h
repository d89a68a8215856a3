/* The table of a run: a row per case as it comes, and the last line that scripts read. */
#ifndef FSC_REPORT_TABLE_H
#define FSC_REPORT_TABLE_H

#include "report/format.h"
#include "verdict/verdict.h"

typedef struct fsc__table {
    fsc__page page;
    int shape, mode, input;            /* widths */
    bool seeds;                        /* the cases have several: shown */
    char device[300], experiment[128]; /* of the last row */
    char skipped[512];                 /* the last reason printed under this experiment */
    int verdicts[FSC__VERDICT_COUNT];
    int cases, failed;
} fsc__table;

/* cases: those of the run, for the widths. */
void fsc__table_init(fsc__table *table, fsc__page page, const cJSON *cases);

/* One line, headings where the device or the experiment changes, and for a case that is not as
   expected its reason and how to repeat it. */
void fsc__table_add(fsc__table *table, const cJSON *row);

/* "run: 30 cases: 8 exact, ..." with every word. */
void fsc__table_end(const fsc__table *table);

#endif
