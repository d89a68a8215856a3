/* What the subcommands share: exit statuses, the environment, arguments, the standard output. */
#ifndef FSC_CLI_CLI_H
#define FSC_CLI_CLI_H

#include <popt.h>
#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"
#include "report/format.h"

/* Ready programs that a device of the command keeps. */
enum { FSC__KEEP_PROGRAMS = 512 };

typedef enum fsc__exit {
    FSC__EXIT_FINE = 0,
    FSC__EXIT_FAILED = 1, /* a case is not as it must be */
    FSC__EXIT_USAGE = 2,  /* the command line or a configuration is wrong */
    FSC__EXIT_NO_DEVICE = 3,
    FSC__EXIT_INCOMPLETE = 4, /* results could not all be written */
    FSC__EXIT_NOTHING = 77,   /* nothing ran */
    FSC__EXIT_INTERRUPTED = 130
} fsc__exit;

/* FUSESCOPE_* and the like. Read once, in main.c; nothing else looks at the environment. */
typedef struct fsc__environment {
    const char *program; /* path of this command, for spawning workers */
    const char *device;  /* FUSESCOPE_DEVICE, or NULL */
    const char *cache;   /* folder of the program cache, or NULL */
    const char *dump;    /* FUSESCOPE_DUMP, or NULL */
    bool no_color;
} fsc__environment;

/* One subcommand. argv[0] is its name. */
typedef fsc__exit fsc__command_main(const fsc__environment *env, int argc, const char **argv);

fsc__command_main fsc__cmd_case, fsc__cmd_devices, fsc__cmd_ops, fsc__cmd_run, fsc__cmd_source,
    fsc__cmd_verify, fsc__cmd_worker;

/* The row that stands for -h in every table of options, and its end. */
#define FSC__OPTION_HELP \
    {"help", 'h', POPT_ARG_NONE, NULL, 'h', "Show this help and exit.", NULL}, POPT_TABLEEND

/* What a subcommand takes. */
typedef struct fsc__usage {
    const char *name;    /* "case" */
    const char *words;   /* "GRAPH --shape S [OPTION...]" */
    const char *what;    /* one or more sentences */
    const char *example; /* a command line, with a result in words where that helps */
    const struct poptOption *options;
} fsc__usage;

/* Arguments under way. */
typedef struct fsc__options {
    const fsc__usage *usage;
    poptContext context;
    const char *value; /* of the option that next returned; freed by deinit or the next call */
} fsc__options;

enum { FSC__OPTIONS_END = 0, FSC__OPTIONS_HELP = -1, FSC__OPTIONS_BAD = -2 };

void fsc__options_init(fsc__options *opts, const fsc__usage *usage, int argc, const char **argv);

/* The val of the next option; END after the last; HELP when help was printed; BAD after a message
   about something unknown or incomplete, which names the nearest known option. */
int fsc__options_next(fsc__options *opts);

/* The next word that is no option, or NULL. */
const char *fsc__options_word(fsc__options *opts);

/* What an ended or failed loop of next means, deinit included: for `return`. */
fsc__exit fsc__options_stop(fsc__options *opts, int code);
void fsc__options_deinit(fsc__options *opts);

/* Prints "fusescope NAME: <text>" and the way to help on stderr. */
fsc__exit fsc__options_wrong(const fsc__options *opts, const char *format, ...) FSC_PRINTF(2, 3);

/* A whole number from 0 to high in decimal digits. */
bool fsc__options_number(const char *text, int64_t high, int64_t *number);

/* Prints why on stderr; the exit status that its status means. */
fsc__exit fsc__report_failure(const fsc_error *why);

/* Opens the one device that select (NULL or "": FUSESCOPE_DEVICE, else the default) means. */
fsc_status fsc__open_device(const fsc__environment *env, const char *select, fsc_device **device,
                            fsc_error *why);

/* Standard output with colour where a terminal wants it. */
fsc__page fsc__stdout_page(const fsc__environment *env);

#endif
