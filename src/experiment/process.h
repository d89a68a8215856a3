/* A child process that is spoken to in lines: spawned, never forked, since a forked child hangs in
   OpenCL drivers. */
#ifndef FSC_EXPERIMENT_PROCESS_H
#define FSC_EXPERIMENT_PROCESS_H

#include <cjson/cJSON.h>
#include <sys/types.h>

#include "base/text.h"

typedef struct fsc__process {
    pid_t pid;         /* 0: none */
    int to, from;      /* its standard input and output */
    fsc__text pending; /* read and not yet returned */
} fsc__process;

typedef enum fsc__heard {
    FSC__HEARD_LINE,
    FSC__HEARD_END,       /* the child closed its output: it died */
    FSC__HEARD_NOTHING,   /* within the time */
    FSC__HEARD_INTERRUPT, /* the interrupt descriptor became readable */
    FSC__HEARD_FAILURE    /* no memory, or poll failed */
} fsc__heard;

/* args: NULL-terminated, args[0] is the name. env: object of texts set in the child before its
   loader starts, or NULL. The child is in a process group of its own, so that an interrupt from the
   terminal does not reach it. */
fsc_status fsc__process_start(const char *program, const char *const *args, const cJSON *env,
                              fsc__process *process, fsc_error *why);

/* False when the child does not listen any more. */
bool fsc__process_say(fsc__process *process, const char *line);

/* *line, without its newline, is freed with fsc__free. interrupt_fd may be -1. */
fsc__heard fsc__process_hear(fsc__process *process, int64_t timeout_ms, int interrupt_fd,
                             char **line);

/* Whether the descriptor has something to read now; -1 never has. */
bool fsc__process_interrupted(int interrupt_fd);

/* Closes the pipes and waits for the child, at most grace_ms; kills it after that. how (may be
   NULL): "signal 11 (Segmentation fault)", "exit status 3". Accepts a process that is not there. */
void fsc__process_stop(fsc__process *process, int64_t grace_ms, char *how, size_t bytes);

#endif
