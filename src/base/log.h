/* The log: messages go to a callback, the library itself prints nothing. */
#ifndef FSC_BASE_LOG_H
#define FSC_BASE_LOG_H

#include "base/status.h"

/* Named by how often they come: always worth reading, once a run, once a plan, once a launch. */
typedef enum fsc__log_level {
    FSC__LOG_WARN,
    FSC__LOG_INFO,
    FSC__LOG_DEBUG,
    FSC__LOG_TRACE
} fsc__log_level;

typedef void fsc__log_sink(void *context, fsc__log_level level, const char *line);

void fsc__log_set(fsc__log_sink *sink, void *context, fsc__log_level most);
void fsc__log(fsc__log_level level, const char *format, ...) FSC_PRINTF(2, 3);

#endif
