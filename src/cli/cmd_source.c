/* `fusescope source`: the kernels of a plan, as the driver gets them. */
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "case/spec.h"
#include "cli/case_options.h"
#include "device/launch.h"

static const struct poptOption options[] = {
    {"shape", '\0', POPT_ARG_STRING, NULL, 's',
     "Shape of the input, 128x768; of a matmul A and B as stored, 384x1024:1024x4096.", "S"},
    {"mode", '\0', POPT_ARG_STRING, NULL, 'm', "Precision: f32 (default), f16, bf16, and fields.",
     "M"},
    {"off", '\0', POPT_ARG_STRING, NULL, 'x', "Switch a fusion rule off; again for more.", "RULE"},
    {"tile", '\0', POPT_ARG_STRING, NULL, 'k',
     "Rows, vectors and width of a kernel's tile, 8x2x16; changes no bit.", "RxVxW"},
    {"unfused", '\0', POPT_ARG_NONE, NULL, 'U', "The kernels of the unfused pipeline.", NULL},
    {"device", '\0', POPT_ARG_STRING, NULL, 'd',
     "Write for this device, build there, and print the driver's log.", "SEL"},
    FSC__OPTION_HELP,
};

static const fsc__usage usage = {
    .name = "source",
    .words = "GRAPH --shape S [OPTION...]",
    .what = "Prints the OpenCL C of each kernel of a plan. Without --device it is written for a\n"
            "device with exact arithmetic and vectors of eight floats.",
    .example = "fusescope source layernorm+relu --shape 128x768 --mode f16",
    .options = options,
};

/* An ordinary CPU. */
static const fsc__caps usual_caps = {
    .keeps_subnormals = true,
    .converts_half = true,
    .timer = true,
    .fp64 = true,
    .native_width = 8,
    .compute_units = 2,
    .kernel_group = 1024,
    .local_bytes = 32768,
    .buffer_bytes = (uint64_t)1 << 31,
    .memory_bytes = (uint64_t)1 << 32,
    .max_arguments = 64,
};

/* Builds one kernel and prints what the driver says. */
static fsc_status build(fsc_device *device, const fsc__step *step, fsc_error *why)
{
    fsc__program *program = NULL;
    fsc__text log = {0};
    bool cached = false;
    const fsc_status status = fsc__program_create(device, step, &program, &cached, &log, why);
    printf("/* build: %s%s */\n", status == FSC_OK ? "ok" : "failed",
           cached ? ", from the cache" : "");
    if (log.length > 0)
        printf("/* driver's log:\n%s\n*/\n", log.data);
    fsc__program_free(program);
    fsc__text_deinit(&log);
    return status;
}

static fsc_status print_group(const fsc__plan *plan, int group, const fsc__caps *caps,
                              const fsc__tile *tile, fsc_device *device, fsc_error *why)
{
    const fsc__emit_options emit_options = {.tile =
                                                tile->width > 0 ? *tile : fsc__tile_default(caps)};
    fsc__kernels kernels = {0};
    FSC_TRY(fsc__emit(plan, &plan->groups[group], caps, &emit_options, &kernels, why));
    fsc_status status = FSC_OK;
    for (int i = 0; i < kernels.step_count && status == FSC_OK; i++) {
        const fsc__step *step = &kernels.steps[i];
        printf(
            "/* group %d of %d, kernel %s, global %zu x %zu x %zu, local %zu x %zu x %zu */\n%s\n",
            group + 1, plan->group_count, step->name, step->global[0], step->global[1],
            step->global[2], step->local[0], step->local[1], step->local[2], step->text);
        if (device != NULL)
            status = build(device, step, why);
    }
    fsc__kernels_deinit(&kernels);
    return status;
}

static fsc_status print_source(const fsc__environment *env, const cJSON *case_json, bool unfused,
                               fsc_error *why)
{
    fsc__spec spec = {0};
    fsc__plan *plan = NULL;
    fsc_device *device = NULL;
    fsc_status status;
    const cJSON *select = cJSON_GetObjectItemCaseSensitive(case_json, "device");
    FSC_GO(fsc__spec_parse("source", case_json, &spec, why));
    if (select != NULL)
        FSC_GO(fsc__open_device(env, select->valuestring, &device, why));
    const fsc__caps *caps = device == NULL ? &usual_caps : fsc__device_caps(device);
    FSC_GO(fsc__spec_plan(&spec, unfused, caps->max_arguments, &plan, why));
    for (int g = 0; g < plan->group_count; g++)
        FSC_GO(print_group(plan, g, caps, &spec.tile, device, why));
done:
    fsc__plan_free(plan);
    fsc__device_close(device);
    fsc__spec_deinit(&spec);
    return status;
}

fsc__exit fsc__cmd_source(const fsc__environment *env, int argc, const char **argv)
{
    fsc__options opts;
    fsc_error why;
    bool unfused = false;
    fsc__json_setup();
    cJSON *case_json = cJSON_CreateObject();
    fsc__options_init(&opts, &usage, argc, argv);
    const int code = fsc__case_options(&opts, case_json, 'U', &unfused);
    fsc__exit result = fsc__options_stop(&opts, code);
    if (code == FSC__OPTIONS_END && print_source(env, case_json, unfused, &why) != FSC_OK)
        result = fsc__report_failure(&why);
    cJSON_Delete(case_json);
    return result;
}
