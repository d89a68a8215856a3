/* `fusescope verify`: devices against the prediction. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "case/verify.h"
#include "cli/cli.h"

enum { SELECTS_MAX = 64, REPORTS_MAX = 20 };

static const struct poptOption options[] = {
    {"device", '\0', POPT_ARG_STRING, NULL, 'd', "Verify this device; again for more.", "SEL"},
    {"quick", '\0', POPT_ARG_NONE, NULL, 'q',
     "One case for each pattern, mode and input family (the default).", NULL},
    {"full", '\0', POPT_ARG_NONE, NULL, 'f', "Thirty cases for each, large ones among them.", NULL},
    {"seed", '\0', POPT_ARG_STRING, NULL, 'n', "Other shapes and other inputs (0).", "N"},
    FSC__OPTION_HELP,
};

static const fsc__usage usage = {
    .name = "verify",
    .words = "[OPTION...]",
    .what =
        "Runs every pattern in many modes on every input family, on awkward shapes, with several\n"
        "tiles, twice, rows alone and in a batch, and compares each output bit with the\n"
        "prediction, and the prediction with the truth. A bit that differs is a fault of\n"
        "fusescope or of the driver.",
    .example = "fusescope verify --device pocl --quick",
    .options = options,
};

typedef struct request {
    char *selects[SELECTS_MAX];
    int select_count;
    bool full;
    int64_t seed;
} request;

/* A verification under way, over all devices. */
typedef struct verification {
    const request *req;
    fsc__verify_cell *cells;
    int cell_count;
    fsc__verify_totals totals;
    int devices, reports;
    bool progress;
} verification;

static void print_report(verification *v, const fsc__text *report)
{
    if (report->length == 0)
        return;
    if (v->reports++ < REPORTS_MAX)
        printf("%s", report->data);
    else if (v->reports == REPORTS_MAX + 1)
        printf("(more cases differ; they are counted)\n");
}

static fsc_status verify_cell(verification *v, fsc_device *device, fsc__verify_cell *cell,
                              fsc_error *why)
{
    const fsc__verify_options made_for = {.full = v->req->full,
                                          .small = fsc__device_about(device)->oclgrind,
                                          .narrow = fsc__device_caps(device)->fma != FSC__FMA_EXACT,
                                          .seed = (uint64_t)v->req->seed};
    fsc__verify_case made;
    for (int i = 0; fsc__verify_make(&made_for, cell, i, &made); i++) {
        fsc__text report = {0};
        const int64_t before = v->totals.outputs;
        const fsc_status status = fsc__verify_run(device, &made, &v->totals, &report, why);
        print_report(v, &report);
        fsc__text_deinit(&report);
        FSC_TRY(status);
        cell->cases++;
        cell->outputs += v->totals.outputs - before;
    }
    return FSC_OK;
}

static fsc_status verify_device(verification *v, const fsc__environment *env,
                                const fsc__device_info *info, fsc_error *why)
{
    const fsc__device_options device_options = {
        .cache = env->cache, .dump = env->dump, .keep_programs = FSC__KEEP_PROGRAMS};
    fsc_device *device = NULL;
    fsc_status status;
    FSC_TRY(fsc__device_open(info, &device_options, &device, why));
    const fsc__caps *caps = fsc__device_caps(device);
    printf("%d.%d %s: %s\n", info->platform, info->device, info->platform_name, info->name);
    if (caps->refused[0]) {
        status = fsc__fail(why, FSC_UNSUPPORTED, "%s cannot be predicted: %s", info->name,
                           caps->refused);
        goto done;
    }
    for (int i = 0; i < v->cell_count; i++) {
        if (v->progress)
            fprintf(stderr, "\r\033[K[%d/%d] %s %s %s", i + 1, v->cell_count,
                    fsc__pattern_at(v->cells[i].pattern)->name, v->cells[i].mode,
                    fsc__family_name(v->cells[i].family));
        FSC_GO(verify_cell(v, device, &v->cells[i], why));
    }
    v->devices++;
done:
    if (v->progress)
        fprintf(stderr, "\r\033[K");
    fsc__device_close(device);
    return status;
}

/* Outputs of every cell: a line per mode, a column per input family. */
static void print_cells(const verification *v)
{
    int64_t fewest = INT64_MAX;
    printf("\noutputs   %-36s", "");
    for (int f = 0; f < FSC__FAMILY_COUNT; f++)
        printf(" %6.6s", fsc__family_name((fsc__family)f));
    for (int i = 0; i < v->cell_count; i++) {
        const fsc__verify_cell *cell = &v->cells[i];
        if (cell->family == 0)
            printf("\n%-9s %-36s", fsc__pattern_at(cell->pattern)->name, cell->mode);
        printf(" %6" PRId64, cell->outputs);
        if (cell->cases < fewest)
            fewest = cell->cases;
    }
    printf("\n%d cells of pattern x mode x input, at least %" PRId64
           " cases in each; the largest case has %.2g %% of the outputs\n",
           v->cell_count, fewest,
           v->totals.outputs ? 100.0 * (double)v->totals.largest_case / (double)v->totals.outputs
                             : 0.0);
}

static fsc_status verify_devices(verification *v, const fsc__environment *env, fsc_error *why)
{
    fsc_status status;
    fsc__device_info *list = NULL;
    int *chosen = NULL, count = 0;
    FSC_GO(fsc__devices_list(&list, &count, why));
    chosen = fsc__calloc((size_t)count + 1, sizeof *chosen);
    if (!chosen) {
        status = fsc__fail(why, FSC_ERR_MEMORY, "no memory for %d devices", count);
        goto done;
    }
    for (int s = 0; s < v->req->select_count || s == 0; s++) {
        const bool named = s < v->req->select_count;
        int chosen_count = 0;
        FSC_GO(fsc__devices_select(list, count, named ? v->req->selects[s] : env->device, !named,
                                   chosen, &chosen_count, why));
        for (int i = 0; i < chosen_count; i++)
            FSC_GO(verify_device(v, env, &list[chosen[i]], why));
    }
done:
    fsc__free(chosen);
    fsc__free(list);
    return status;
}

static fsc__exit run_request(const fsc__environment *env, const request *req)
{
    verification v = {.req = req, .progress = isatty(STDERR_FILENO)};
    fsc_error why;
    fsc_status status;
    FSC_GO(fsc__verify_cells(&v.cells, &v.cell_count, &why));
    FSC_GO(verify_devices(&v, env, &why));
    print_cells(&v);
    if (v.totals.beyond)
        printf("%" PRId64 " outputs are too far from the truth\n", v.totals.beyond);
    printf("verify: %" PRId64 " outputs in %" PRId64 " cases on %d device%s: %" PRId64
           " differ, %" PRId64 " flushed\n",
           v.totals.outputs, v.totals.cases, v.devices, v.devices == 1 ? "" : "s", v.totals.differ,
           v.totals.flushed);
done:
    fsc__free(v.cells);
    if (status == FSC_UNSUPPORTED) {
        fprintf(stderr, "fusescope: %s\n", why.text);
        return FSC__EXIT_NOTHING;
    }
    if (status != FSC_OK)
        return fsc__report_failure(&why);
    return v.totals.differ || v.totals.beyond ? FSC__EXIT_FAILED : FSC__EXIT_FINE;
}

/* One option; false after a message. */
static bool take(request *req, fsc__options *opts, int code)
{
    if (code == 'd' && req->select_count < SELECTS_MAX) {
        req->selects[req->select_count] = fsc__strdup(opts->value);
        return req->selects[req->select_count++] != NULL;
    }
    if (code == 'd')
        fsc__options_wrong(opts, "--device may be given %d times at most", SELECTS_MAX);
    else if (code == 'n' && !fsc__options_number(opts->value, INT64_MAX, &req->seed))
        fsc__options_wrong(opts, "--seed %s: a whole number from 0 is needed", opts->value);
    else {
        if (code == 'q' || code == 'f')
            req->full = code == 'f';
        return true;
    }
    return false;
}

fsc__exit fsc__cmd_verify(const fsc__environment *env, int argc, const char **argv)
{
    request req = {0};
    fsc__options opts;
    fsc__exit result = FSC__EXIT_USAGE;
    int code;
    fsc__options_init(&opts, &usage, argc, argv);
    while ((code = fsc__options_next(&opts)) > 0)
        if (!take(&req, &opts, code))
            goto done;
    if (code != FSC__OPTIONS_END) {
        result = code == FSC__OPTIONS_BAD ? FSC__EXIT_USAGE : FSC__EXIT_FINE;
        goto done;
    }
    const char *word = fsc__options_word(&opts);
    if (word != NULL) {
        fsc__options_wrong(&opts, "\"%s\" is not expected", word);
        goto done;
    }
    result = run_request(env, &req);
done:
    fsc__options_deinit(&opts);
    for (int i = 0; i < req.select_count; i++)
        fsc__free(req.selects[i]);
    return result;
}
