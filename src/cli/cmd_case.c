/* `fusescope case`: one case from the command line. */
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "case/case.h"
#include "case/row.h"
#include "cli/case_options.h"
#include "report/detail.h"

static const struct poptOption options[] = {
    {"shape", '\0', POPT_ARG_STRING, NULL, 's',
     "Shape of the input, 128x768; of a matmul A and B as stored, 384x1024:1024x4096.", "S"},
    {"mode", '\0', POPT_ARG_STRING, NULL, 'm',
     "Precision: f32 (default), f16, bf16, and fields: f16,boundary=round,order=lanes:64.", "M"},
    {"unfused-mode", '\0', POPT_ARG_STRING, NULL, 'u',
     "Precision of the unfused side, where it is another.", "M"},
    {"off", '\0', POPT_ARG_STRING, NULL, 'x', "Switch a fusion rule off; again for more.", "RULE"},
    {"tensor", '\0', POPT_ARG_STRING, NULL, 't',
     "Take an input from a .npy file, x=x.npy; again for more.", "NAME=FILE"},
    {"input", '\0', POPT_ARG_STRING, NULL, 'i',
     "Family of made inputs: normal (default), uniform:-2:2, zeros, ones, integers, ramp,\n"
     "                             small, large, positive, negative, special.",
     "FAMILY[:A[:B]]"},
    {"seed", '\0', POPT_ARG_STRING, NULL, 'n', "Seed of made inputs (0).", "N"},
    {"device", '\0', POPT_ARG_STRING, NULL, 'd',
     "Device: P.D, or a part of its names, pocl; `fusescope devices` lists them.", "SEL"},
    {"tile", '\0', POPT_ARG_STRING, NULL, 'k',
     "Rows, vectors and width of a kernel's tile, 8x2x16; changes no bit.", "RxVxW"},
    {"save", '\0', POPT_ARG_STRING, NULL, 'v',
     "Write inputs, fused, unfused, predicted and true outputs as .npy (bf16 as u2).", "DIR"},
    {"json", '\0', POPT_ARG_NONE, NULL, 'j', "Print the row of the case as JSON.", NULL},
    FSC__OPTION_HELP,
};

static const fsc__usage usage = {
    .name = "case",
    .words = "GRAPH --shape S [OPTION...]",
    .what = "Runs a chain of ops fused and unfused, compares every bit with its prediction, both\n"
            "sides with each other and with the true value, and judges the difference. Items of a\n"
            "chain take arguments: layernorm(eps=1e-12), add(0.5), matmul(transB=1).",
    .example = "fusescope case 'matmul+bias+gelu' --shape 64x256:256x128 --mode f16 --seed 7",
    .options = options,
};

static fsc__exit print_row(const fsc__environment *env, const cJSON *row, bool json)
{
    if (json) {
        char *text = cJSON_Print(row);
        printf("%s\n", text == NULL ? "" : text);
        fsc__free(text);
    } else {
        const fsc__page page = fsc__stdout_page(env);
        fsc__detail_print(&page, row);
    }
    if (fsc__row_fails(row))
        return FSC__EXIT_FAILED;
    return strcmp(fsc__row_text(row, "verdict"), "skipped") == 0 ? FSC__EXIT_NOTHING
                                                                 : FSC__EXIT_FINE;
}

/* Without --device the repro line names the device that was found. */
static bool name_device(cJSON *case_json, const fsc_device *device)
{
    const fsc__device_info *info = fsc__device_about(device);
    char select[32];
    if (cJSON_GetObjectItemCaseSensitive(case_json, "device") != NULL)
        return true;
    snprintf(select, sizeof select, "%d.%d", info->platform, info->device);
    return cJSON_AddStringToObject(case_json, "device", select) != NULL;
}

static fsc_status run_case(const fsc__environment *env, cJSON *case_json, cJSON **row,
                           fsc_error *why)
{
    const cJSON *select = cJSON_GetObjectItemCaseSensitive(case_json, "device");
    fsc_device *device = NULL;
    FSC_TRY(fsc__case_check("case", case_json, why));
    FSC_TRY(fsc__open_device(env, cJSON_GetStringValue(select), &device, why));
    const fsc_status status = name_device(case_json, device)
                                  ? fsc__case_run(device, NULL, case_json, row, why)
                                  : fsc__fail(why, FSC_ERR_MEMORY, "no memory for the case");
    fsc__device_close(device);
    return status;
}

fsc__exit fsc__cmd_case(const fsc__environment *env, int argc, const char **argv)
{
    fsc__options opts;
    fsc_error why;
    cJSON *row = NULL;
    bool json = false;
    fsc__json_setup();
    cJSON *case_json = cJSON_CreateObject();
    fsc__options_init(&opts, &usage, argc, argv);
    const int code = fsc__case_options(&opts, case_json, 'j', &json);
    fsc__exit result = fsc__options_stop(&opts, code);
    if (code == FSC__OPTIONS_END)
        result = run_case(env, case_json, &row, &why) == FSC_OK ? print_row(env, row, json)
                                                                : fsc__report_failure(&why);
    cJSON_Delete(row);
    cJSON_Delete(case_json);
    return result;
}
