/* The table of fusion rules. A rule joins the group that ends before a boundary with what follows.
 */
#ifndef FSC_FUSION_RULE_H
#define FSC_FUSION_RULE_H

#include "fusion/span.h"

typedef struct fsc__rule {
    const char *name; /* as in --off */
    const char *what; /* one sentence */
    int before;       /* pattern of the group before the boundary; FSC__PATTERN_COUNT: any */
    fsc__op_kind after;
    /* Whether the op behind the boundary may join: before is the group so far, after the group with
       the op. Else reason says why not. That no value is lost is the planner's care. */
    bool (*joins)(const fsc__span *before, const fsc__span *after, char reason[FSC__REASON_BYTES]);
} fsc__rule;

size_t fsc__rule_count(void);
const fsc__rule *fsc__rule_at(size_t index);
const fsc__rule *fsc__rule_find(const char *name);

/* The rule that decides on the node at the span's end. */
const fsc__rule *fsc__rule_behind(const fsc__span *before);

#endif
