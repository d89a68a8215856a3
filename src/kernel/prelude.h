/* The first lines of every kernel: the words of cl/vocabulary.h and cl/storage.h spelled for a
   device and a vector width. */
#ifndef FSC_KERNEL_PRELUDE_H
#define FSC_KERNEL_PRELUDE_H

#include "base/text.h"
#include "numeric/caps.h"

/* Appends them, one definition a line; those that a kernel does not use are left out by
   fsc__source_flatten. width is 1, 2, 4, 8 or 16. */
void fsc__prelude_write(const fsc__caps *caps, int width, fsc__text *text);

bool fsc__prelude_width_valid(int width);

#endif
