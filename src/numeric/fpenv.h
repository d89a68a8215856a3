/* The floating-point environment of prediction and truth: round to nearest, subnormals kept.
   Drivers change it (FTZ, DAZ) and threads inherit it, so each thread sets it first. */
#ifndef FSC_NUMERIC_FPENV_H
#define FSC_NUMERIC_FPENV_H

#include <stdbool.h>

typedef struct fsc__fpenv {
    unsigned long saved[8];
} fsc__fpenv;

void fsc__fpenv_enter(fsc__fpenv *env);
/* Restores; false when somebody changed the environment since enter: the results are void. */
bool fsc__fpenv_leave(const fsc__fpenv *env);

#endif
