/* Reading a driver's build log. Knows nothing of OpenCL. */
#ifndef FSC_DEVICE_BUILD_LOG_H
#define FSC_DEVICE_BUILD_LOG_H

#include <stddef.h>

/* The log's line that says what is wrong, with our file and line, into line (cut to bytes): the
   first with "error:", else the first with text, else "it gave no log". text is the flat kernel
   text, whose #line directives name our files; most drivers follow them, Oclgrind counts the lines
   of the flat text and calls it input.cl. */
void fsc__build_log_error(const char *text, const char *log, char *line, size_t bytes);

#endif
