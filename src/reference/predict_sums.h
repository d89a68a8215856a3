/* Tiles of sums of products, added up in the order of a group. */
#ifndef FSC_REFERENCE_PREDICT_SUMS_H
#define FSC_REFERENCE_PREDICT_SUMS_H

#include "reference/predict_run.h"

typedef struct fsc__predict_sums {
    const fsc__predict_loops *loops;
    fsc__order order;
    fsc__contract contract;
    int64_t tile_rows, tile_cols; /* of the largest tile */
    size_t scratch_floats;
} fsc__predict_sums;

/* terms: of each sum. */
fsc__predict_sums fsc__predict_sums_of(const fsc__predict_run *run, const fsc__group *group,
                                       int64_t terms);

/* tile->sum, zeros before, gets the sums of a tile. scratch has scratch_floats. */
void fsc__predict_sums_tile(const fsc__predict_sums *sums, const fsc__predict_product *tile,
                            float *scratch);

#endif
