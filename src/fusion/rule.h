/* The table of fusion rules. A rule joins the group that ends before a boundary with what follows.
 */
#ifndef FSC_FUSION_RULE_H
#define FSC_FUSION_RULE_H

#include "fusion/pattern.h"

typedef struct fsc__rule {
    const char *name; /* as in --off */
    const char *what; /* one sentence */
} fsc__rule;

size_t fsc__rule_count(void);
const fsc__rule *fsc__rule_at(size_t index);
const fsc__rule *fsc__rule_find(const char *name);

#endif
