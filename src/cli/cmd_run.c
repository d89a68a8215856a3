/* `fusescope run`: the cases of a configuration. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "experiment/coordinator.h"
#include "experiment/journal.h"
#include "experiment/matrix.h"
#include "report/table.h"

enum { DEVICES_MAX = 64 };

static const struct poptOption options[] = {
    {"device", '\0', POPT_ARG_STRING, NULL, 'd',
     "Run on this device instead of those of the configuration; again for more.", "SEL"},
    {"out", '\0', POPT_ARG_STRING, NULL, 'o',
     "Keep results.jsonl and manifest.json there; a folder with results of another\n"
     "                             configuration is refused, those of this one start afresh.",
     "DIR"},
    {"filter", '\0', POPT_ARG_STRING, NULL, 'f',
     "Only cases whose experiment/graph/shape/mode/input/seed matches (* and ?).", "GLOB"},
    {"list", '\0', POPT_ARG_NONE, NULL, 'l', "Print the names of the cases and run nothing.", NULL},
    FSC__OPTION_HELP,
};

static const fsc__usage usage = {
    .name = "run",
    .words = "CONFIG.json [OPTION...]",
    .what = "Checks the whole configuration, then runs its cases: experiments x shapes x modes x\n"
            "inputs x seeds on each device. Prints a table; every case that is not as it must be\n"
            "comes with its reason and a command that repeats it.",
    .example = "fusescope run configs/quickstart.json --out results --filter 'layernorm*/f16/*'",
    .options = options,
};

/* What the command line says; texts are owned. */
typedef struct request {
    const char *config;
    char *out, *filter;
    char *devices[DEVICES_MAX];
    int device_count;
    bool list;
} request;

/* A run under way. */
typedef struct running {
    fsc__table table;
    fsc__journal *journal; /* NULL without --out */
    bool progress;         /* stderr is a terminal */
    bool began;            /* there was a row, written or not */
} running;

static int interrupt_pipe[2] = {-1, -1};

static void on_signal(int number)
{
    (void)number;
    const int saved = errno;
    if (write(interrupt_pipe[1], "!", 1) < 0)
        errno = saved; /* the pipe is full: it says so already */
    errno = saved;
}

static fsc_status catch_signals(fsc_error *why)
{
    if (pipe(interrupt_pipe) != 0)
        FSC_FAIL(why, FSC_ERR_FILE, "pipe: %s", strerror(errno));
    for (int i = 0; i < 2; i++)
        fcntl(interrupt_pipe[i], F_SETFD, FD_CLOEXEC);
    fcntl(interrupt_pipe[1], F_SETFL, O_NONBLOCK);
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return FSC_OK;
}

static void clear_progress(const running *r)
{
    if (r->progress)
        fprintf(stderr, "\r\033[K");
}

static void on_case(void *context, int done, int total, const char *device, const char *id)
{
    const running *r = context;
    if (r->progress)
        fprintf(stderr, "\r\033[K[%d/%d] %.30s %.60s", done + 1, total, device, id);
}

static fsc_status on_row(void *context, const cJSON *row, fsc_error *why)
{
    running *r = context;
    r->began = true;
    if (r->journal != NULL)
        FSC_TRY(fsc__journal_add(r->journal, row, why));
    clear_progress(r);
    fsc__table_add(&r->table, row);
    /* With a journal the results go on; without one nobody would ever see them. */
    if (fflush(stdout) != 0 && r->journal == NULL)
        FSC_FAIL(why, FSC_ERR_FILE, "standard output: %s", strerror(errno));
    return FSC_OK;
}

/* The configuration's entry of a selector given on the command line keeps its environment and
   limits. */
static fsc__config_device entry_of(const fsc__config *config, const char *select)
{
    for (int i = 0; i < config->device_count; i++)
        if (strcmp(config->devices[i].select, select) == 0) {
            fsc__config_device entry = config->devices[i];
            entry.required = true;
            return entry;
        }
    return (fsc__config_device){.select = select, .required = true};
}

/* The command line, else the configuration, else the environment, else the default device. */
static int choose_devices(const fsc__environment *env, const request *req,
                          const fsc__config *config, fsc__config_device *devices)
{
    for (int i = 0; i < req->device_count; i++)
        devices[i] = entry_of(config, req->devices[i]);
    if (req->device_count > 0)
        return req->device_count;
    for (int i = 0; i < config->device_count; i++)
        devices[i] = config->devices[i];
    if (config->device_count > 0)
        return config->device_count;
    devices[0] = (fsc__config_device){.select = env->device, .required = true};
    return 1;
}

static fsc__exit list_cases(const cJSON *cases)
{
    const cJSON *c = NULL;
    cJSON_ArrayForEach(c, cases) printf("%s\n", fsc__row_text(c, "id"));
    return cases->child == NULL ? FSC__EXIT_NOTHING : FSC__EXIT_FINE;
}

static fsc__exit outcome(const running *r, bool interrupted)
{
    if (interrupted)
        return FSC__EXIT_INTERRUPTED;
    if (r->table.failed > 0)
        return FSC__EXIT_FAILED;
    return r->table.cases == r->table.verdicts[FSC__SKIPPED] ? FSC__EXIT_NOTHING : FSC__EXIT_FINE;
}

static fsc__exit run_cases(const fsc__environment *env, const request *req,
                           const fsc__config *config, const cJSON *cases,
                           fsc__config_device *devices)
{
    running r = {.progress = isatty(STDERR_FILENO)};
    fsc_error why;
    fsc_status status;
    bool interrupted = false;
    if (req->out != NULL &&
        fsc__journal_open(req->out, req->config, config, &r.journal, &why) != FSC_OK)
        return fsc__report_failure(&why);
    fsc__table_init(&r.table, fsc__stdout_page(env), cases);
    FSC_GO(catch_signals(&why));
    const fsc__run run = {
        .program = env->program,
        .cases = cases,
        .devices = devices,
        .device_count = choose_devices(env, req, config, devices),
        .timeout_s = config->timeout_s,
        .interrupt_fd = interrupt_pipe[0],
        .on_row = on_row,
        .on_case = on_case,
        .context = &r,
    };
    FSC_GO(fsc__coordinate(&run, &interrupted, &why));
done:
    clear_progress(&r);
    if (status == FSC_OK || r.began)
        fsc__table_end(&r.table);
    const fsc_status closed = fsc__journal_close(r.journal, status == FSC_OK ? &why : NULL);
    if (status == FSC_OK && closed == FSC_OK)
        return outcome(&r, interrupted);
    const fsc__exit failure = fsc__report_failure(&why);
    return r.began || closed != FSC_OK ? FSC__EXIT_INCOMPLETE : failure;
}

static fsc__exit run_request(const fsc__environment *env, const request *req)
{
    fsc__config config = {0};
    cJSON *cases = NULL;
    fsc_error why;
    fsc__exit result;
    if (fsc__config_read(req->config, &config, &why) != FSC_OK)
        return fsc__report_failure(&why);
    const size_t most = (size_t)(config.device_count + req->device_count) + 1;
    fsc__config_device *devices = fsc__calloc(most, sizeof *devices);
    if (devices == NULL) {
        fsc__fail(&why, FSC_ERR_MEMORY, "no memory for the devices");
        result = fsc__report_failure(&why);
    } else if (fsc__matrix_create(&config, req->filter, &cases, &why) != FSC_OK) {
        result = fsc__report_failure(&why);
    } else if (req->list) {
        result = list_cases(cases);
    } else if (cases->child == NULL) {
        fprintf(stderr, "fusescope run: no case matches %s; --list shows their names\n",
                req->filter);
        result = FSC__EXIT_NOTHING;
    } else {
        result = run_cases(env, req, &config, cases, devices);
    }
    fsc__free(devices);
    cJSON_Delete(cases);
    fsc__config_deinit(&config);
    return result;
}

/* Replaces *kept by a copy of value. */
static bool keep(char **kept, const char *value)
{
    fsc__free(*kept);
    *kept = fsc__strdup(value);
    return *kept != NULL;
}

/* Takes the options into req; END, or what ended the loop. */
static int take_options(fsc__options *opts, request *req)
{
    int code;
    bool ok = true;
    while (ok && (code = fsc__options_next(opts)) > 0) {
        if (code == 'o')
            ok = keep(&req->out, opts->value);
        else if (code == 'f')
            ok = keep(&req->filter, opts->value);
        else if (code == 'd' && req->device_count < DEVICES_MAX)
            ok = keep(&req->devices[req->device_count++], opts->value);
        else if (code == 'd')
            ok = false;
        req->list = req->list || code == 'l';
    }
    if (!ok) {
        fsc__options_wrong(opts, "too many devices, or no memory for the arguments");
        return FSC__OPTIONS_BAD;
    }
    return code;
}

fsc__exit fsc__cmd_run(const fsc__environment *env, int argc, const char **argv)
{
    fsc__options opts;
    request req = {0};
    fsc__exit result;
    fsc__options_init(&opts, &usage, argc, argv);
    const int code = take_options(&opts, &req);
    const char *extra = NULL;
    if (code == FSC__OPTIONS_END) {
        req.config = fsc__options_word(&opts);
        extra = fsc__options_word(&opts);
    }
    if (code != FSC__OPTIONS_END)
        result = code == FSC__OPTIONS_BAD ? FSC__EXIT_USAGE : FSC__EXIT_FINE;
    else if (req.config == NULL)
        result = fsc__options_wrong(&opts, "which configuration? configs/quickstart.json is one");
    else if (extra != NULL)
        result = fsc__options_wrong(&opts, "\"%s\" is one configuration too many", extra);
    else
        result = run_request(env, &req);
    for (int i = 0; i < req.device_count; i++)
        fsc__free(req.devices[i]);
    fsc__free(req.out);
    fsc__free(req.filter);
    fsc__options_deinit(&opts);
    return result;
}
