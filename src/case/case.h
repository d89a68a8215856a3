/* A case is a function: one JSON case in, one JSON row out. */
#ifndef FSC_CASE_CASE_H
#define FSC_CASE_CASE_H

#include <cjson/cJSON.h>

#include "device/device.h"

/* case_json, every key but graph and shape optional:
     id experiment           words for the row
     graph shape             as fsc__graph_parse
     mode unfused_mode       as fsc__mode_parse; "f32"; unfused_mode defaults to mode
     off [RULE...]           rules switched off
     input seed              "normal", 0
     tensors {NAME: FILE}    .npy files, relative to folder
     tile                    "8x2x16": rows, vectors, width; changes no bit
     device                  the selector as given, for the repro line
     save DIR                .npy files of inputs, fused, unfused, predicted, true outputs
     max_elements            cases with more outputs are skipped
     tolerance               {of: delta|error, rtol atol ulp metric...}
   *row has the keys of DESIGN section 6 and is always made unless memory runs out: what goes wrong
   with the case is its verdict (error, skipped ...) and reason. */
fsc_status fsc__case_run(fsc_device *device, const char *folder, const cJSON *case_json,
                         cJSON **row, fsc_error *why);

/* Checks a case as far as no device is needed: graph, shape, mode, rules, input, tensors' names.
   Errors carry `name: /pointer: ...`. */
fsc_status fsc__case_check(const char *name, const cJSON *case_json, fsc_error *why);

/* The command line that runs the case again, into text. */
void fsc__case_repro(const cJSON *case_json, fsc__text *text);

#endif
