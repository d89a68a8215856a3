/* Formats log lines and hands them to the installed callback, one thread at a time. */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fsc__log_sink *log_sink;
static void *log_context;
static fsc__log_level log_most;

void fsc__log_set(fsc__log_sink *sink, void *context, fsc__log_level most)
{
    pthread_mutex_lock(&lock);
    log_sink = sink;
    log_context = context;
    log_most = most;
    pthread_mutex_unlock(&lock);
}

void fsc__log(fsc__log_level level, const char *format, ...)
{
    pthread_mutex_lock(&lock);
    if (log_sink && level <= log_most) {
        char line[4096]; /* on the stack, so that running out of memory can be logged */
        va_list args;
        va_start(args, format);
        vsnprintf(line, sizeof line, format, args);
        va_end(args);
        log_sink(log_context, level, line);
    }
    pthread_mutex_unlock(&lock);
}
