/* `fusescope worker`: what `fusescope run` spawns, one for each device. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "experiment/worker.h"

static const struct poptOption options[] = {
    {"device", '\0', POPT_ARG_STRING, NULL, 'd', "Hold this device.", "SEL"},
    {"list", '\0', POPT_ARG_NONE, NULL, 'l', "Only say what --device means.", NULL},
    FSC__OPTION_HELP,
};

static const fsc__usage usage = {
    .name = "worker",
    .words = "[--list] [--device SEL]",
    .what = "Reads a case a line (JSON) on standard input and writes a row a line.",
    .example = "echo '{\"graph\": \"relu\", \"shape\": \"8\"}' | fusescope worker",
    .options = options,
};

/* Standard output for rows alone: what a driver prints goes to standard error. */
static FILE *take_stdout(void)
{
    const int rows = dup(STDOUT_FILENO);
    if (rows < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return NULL;
    return fdopen(rows, "w");
}

fsc__exit fsc__cmd_worker(const fsc__environment *env, int argc, const char **argv)
{
    const fsc__device_options device_options = {
        .cache = env->cache, .dump = env->dump, .keep_programs = FSC__KEEP_PROGRAMS};
    fsc__options opts;
    char select[256] = "";
    bool list = false;
    int code;
    fsc__options_init(&opts, &usage, argc, argv);
    while ((code = fsc__options_next(&opts)) > 0) {
        if (code == 'd')
            snprintf(select, sizeof select, "%s", opts.value);
        list = list || code == 'l';
    }
    if (code != FSC__OPTIONS_END)
        return fsc__options_stop(&opts, code);
    fsc__options_deinit(&opts);
    FILE *rows = take_stdout();
    fsc_error why;
    if (rows == NULL) {
        fprintf(stderr, "fusescope worker: standard output: %s\n", strerror(errno));
        return FSC__EXIT_FAILED;
    }
    const char *wanted = select[0] == '\0' ? env->device : select;
    const fsc_status status = list ? fsc__worker_list(wanted, rows, &why)
                                   : fsc__worker_serve(wanted, &device_options, stdin, rows, &why);
    fclose(rows);
    return status == FSC_OK ? FSC__EXIT_FINE : fsc__report_failure(&why);
}
