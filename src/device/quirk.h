/* The quirk table: what a difference found by the probe means, and what is done about it. */
#ifndef FSC_DEVICE_QUIRK_H
#define FSC_DEVICE_QUIRK_H

#include "device/check.h"

/* What a check found on a device. */
typedef struct fsc__finding {
    int64_t tried, differ;
    int64_t differ_normal; /* of them without a subnormal among operands and expected result */
    uint32_t x, y, z, got, want; /* the first that differs, as bits */
} fsc__finding;

typedef struct fsc__quirk fsc__quirk;

/* The first quirk that a trial's findings ask for, or NULL where none is left. The caller applies
   it, builds the kernels for the changed trial and measures again, until a quirk refuses. */
const fsc__quirk *fsc__quirk_next(const fsc__caps *trial,
                                  const fsc__finding findings[FSC__CHECK_COUNT]);

/* Changes the trial; true where no mode can be predicted on such a device. */
bool fsc__quirk_apply(const fsc__quirk *quirk, fsc__caps *trial);

/* "flushes-subnormals", and a sentence with the first pattern that shows it. */
const char *fsc__quirk_name(const fsc__quirk *quirk);
void fsc__quirk_describe(const fsc__quirk *quirk, const fsc__finding findings[FSC__CHECK_COUNT],
                         char *text, size_t bytes);

#endif
