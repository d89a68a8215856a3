/* The arguments that describe a case: GRAPH, --shape, --mode and the others. */
#ifndef FSC_CLI_CASE_OPTIONS_H
#define FSC_CLI_CASE_OPTIONS_H

#include <cjson/cJSON.h>

#include "cli/cli.h"

/* Reads the whole command line into case_json, an empty object. Options by their val: s shape,
   m mode, u unfused_mode, i input, d device, v save, n seed, t tensor, x off, k tile; flag is set
   where the option flag_option stands. FSC__OPTIONS_END, or what ended the reading (with its
   message printed).
 */
int fsc__case_options(fsc__options *opts, cJSON *case_json, int flag_option, bool *flag);

#endif
