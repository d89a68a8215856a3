/* Which fields of a mode mean something to a graph. */
#ifndef FSC_FUSION_PLAN_FIELDS_H
#define FSC_FUSION_PLAN_FIELDS_H

#include "fusion/pattern.h"

/* FSC__MODE_ bits. */
unsigned fsc__plan_fields(const fsc_graph *graph);

/* FSC_ERR_INPUT when the mode names another field. */
fsc_status fsc__plan_fields_check(const fsc_graph *graph, const fsc_mode *mode, fsc_error *why);

#endif
