/* Words of a shell command line. */
#ifndef FSC_CASE_REPRO_H
#define FSC_CASE_REPRO_H

#include "base/text.h"

/* Appends word, in single quotes where a POSIX shell would see more than its letters. */
void fsc__repro_word(fsc__text *text, const char *word);

#endif
