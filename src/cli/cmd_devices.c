/* `fusescope devices`: what is there, and what its arithmetic does. */
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "cli/cli.h"

static const struct poptOption options[] = {
    {"probe", '\0', POPT_ARG_NONE, NULL, 'p',
     "Open each device and measure its arithmetic, as every run does.", NULL},
    {"json", '\0', POPT_ARG_NONE, NULL, 'j', "Print JSON.", NULL},
    FSC__OPTION_HELP,
};

static const fsc__usage usage = {
    .name = "devices",
    .words = "[--probe] [--json]",
    .what = "Lists the OpenCL devices of this machine with the P.D that selects each.",
    .example = "fusescope devices --probe",
    .options = options,
};

/* The capabilities as names and words. NULL when out of memory. */
static cJSON *caps_json(const fsc_device *device)
{
    const fsc__caps *caps = fsc__device_caps(device);
    cJSON *made = cJSON_CreateObject();
    bool ok = made != NULL;
    ok = ok && cJSON_AddStringToObject(made, "fma", fsc__fma_name(caps->fma)) != NULL;
    ok = ok && cJSON_AddStringToObject(made, "divide", fsc__round_way_name(caps->divide)) != NULL;
    ok = ok && cJSON_AddStringToObject(made, "sqrt", fsc__round_way_name(caps->sqrt)) != NULL;
    ok = ok && cJSON_AddBoolToObject(made, "contracts", caps->contracts) != NULL;
    ok = ok && cJSON_AddBoolToObject(made, "keeps_subnormals", caps->keeps_subnormals) != NULL;
    ok = ok && cJSON_AddBoolToObject(made, "converts_half", caps->converts_half) != NULL;
    ok = ok && cJSON_AddBoolToObject(made, "timer", caps->timer) != NULL;
    ok = ok && cJSON_AddBoolToObject(made, "fp64", caps->fp64) != NULL;
    ok = ok && cJSON_AddBoolToObject(made, "fp16", caps->fp16) != NULL;
    ok = ok && cJSON_AddNumberToObject(made, "native_width", caps->native_width) != NULL;
    ok = ok && cJSON_AddNumberToObject(made, "compute_units", caps->compute_units) != NULL;
    ok = ok && cJSON_AddNumberToObject(made, "kernel_group", (double)caps->kernel_group) != NULL;
    ok = ok && cJSON_AddNumberToObject(made, "local_bytes", (double)caps->local_bytes) != NULL;
    ok = ok && cJSON_AddNumberToObject(made, "buffer_bytes", (double)caps->buffer_bytes) != NULL;
    ok = ok && cJSON_AddNumberToObject(made, "memory_bytes", (double)caps->memory_bytes) != NULL;
    ok = ok && cJSON_AddStringToObject(made, "quirks", fsc__device_quirks(device)) != NULL;
    ok = ok && cJSON_AddStringToObject(made, "refused", caps->refused) != NULL;
    if (ok)
        return made;
    cJSON_Delete(made);
    return NULL;
}

static cJSON *info_json(const fsc__device_info *info)
{
    cJSON *made = cJSON_CreateObject();
    char select[32];
    snprintf(select, sizeof select, "%d.%d", info->platform, info->device);
    bool ok = made != NULL && cJSON_AddStringToObject(made, "select", select) != NULL;
    ok = ok && cJSON_AddStringToObject(made, "suffix", info->suffix) != NULL;
    ok = ok && cJSON_AddStringToObject(made, "platform", info->platform_name) != NULL;
    ok = ok && cJSON_AddStringToObject(made, "name", info->name) != NULL;
    ok = ok && cJSON_AddStringToObject(made, "vendor", info->vendor) != NULL;
    ok = ok && cJSON_AddStringToObject(made, "version", info->version) != NULL;
    ok = ok && cJSON_AddStringToObject(made, "driver", info->driver) != NULL;
    ok = ok && cJSON_AddStringToObject(made, "type", info->type) != NULL;
    if (ok)
        return made;
    cJSON_Delete(made);
    return NULL;
}

/* Adds "caps", or "error" where the device does not open. */
static bool add_probe(const fsc__environment *env, const fsc__device_info *info, cJSON *object)
{
    const fsc__device_options device_options = {.cache = env->cache, .dump = env->dump};
    fsc_device *device = NULL;
    fsc_error why;
    if (fsc__device_open(info, &device_options, &device, &why) != FSC_OK)
        return cJSON_AddStringToObject(object, "error", why.text) != NULL;
    cJSON *caps = caps_json(device);
    fsc__device_close(device);
    if (caps != NULL && cJSON_AddItemToObject(object, "caps", caps))
        return true;
    cJSON_Delete(caps);
    return false;
}

static cJSON *list_json(const fsc__environment *env, const fsc__device_info *list, int count,
                        bool probe)
{
    cJSON *made = cJSON_CreateArray();
    for (int i = 0; i < count; i++) {
        cJSON *object = info_json(&list[i]);
        const bool ok = made != NULL && object != NULL &&
                        (!probe || add_probe(env, &list[i], object)) &&
                        cJSON_AddItemToArray(made, object);
        if (!ok) {
            cJSON_Delete(object);
            cJSON_Delete(made);
            return NULL;
        }
    }
    return made;
}

static void print_caps(const cJSON *caps)
{
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, caps)
    {
        if (cJSON_IsBool(item))
            printf("       %-17s %s\n", item->string, cJSON_IsTrue(item) ? "yes" : "no");
        else if (cJSON_IsNumber(item))
            printf("       %-17s %.0f\n", item->string, item->valuedouble);
        else if (item->valuestring[0] != '\0')
            printf("       %-17s %s\n", item->string, item->valuestring);
    }
}

static void print_list(const cJSON *list)
{
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, list)
    {
        printf("%-6s %s: %s\n       %s, %s, driver %s, suffix %s\n", fsc__row_text(item, "select"),
               fsc__row_text(item, "platform"), fsc__row_text(item, "name"),
               fsc__row_text(item, "type"), fsc__row_text(item, "version"),
               fsc__row_text(item, "driver"), fsc__row_text(item, "suffix"));
        print_caps(cJSON_GetObjectItemCaseSensitive(item, "caps"));
        if (cJSON_HasObjectItem(item, "error"))
            printf("       does not open: %s\n", fsc__row_text(item, "error"));
    }
}

static fsc__exit show(const fsc__environment *env, bool probe, bool json)
{
    fsc__device_info *list = NULL;
    int count = 0;
    fsc_error why;
    fsc__json_setup();
    if (fsc__devices_list(&list, &count, &why) != FSC_OK)
        return fsc__report_failure(&why);
    cJSON *made = list_json(env, list, count, probe);
    char *text = json ? cJSON_Print(made) : NULL;
    fsc__free(list);
    if (made == NULL || (json && text == NULL)) {
        fsc__fail(&why, FSC_ERR_MEMORY, "no memory for the list of devices");
        cJSON_Delete(made);
        return fsc__report_failure(&why);
    }
    if (json)
        printf("%s\n", text);
    else
        print_list(made);
    if (count == 0)
        fprintf(stderr, "fusescope devices: drivers are there, but no device\n");
    fsc__free(text);
    cJSON_Delete(made);
    return count == 0 ? FSC__EXIT_NO_DEVICE : FSC__EXIT_FINE;
}

fsc__exit fsc__cmd_devices(const fsc__environment *env, int argc, const char **argv)
{
    fsc__options opts;
    bool probe = false;
    bool json = false;
    int code;
    fsc__options_init(&opts, &usage, argc, argv);
    while ((code = fsc__options_next(&opts)) > 0) {
        probe = probe || code == 'p';
        json = json || code == 'j';
    }
    const char *extra = code == FSC__OPTIONS_END ? fsc__options_word(&opts) : NULL;
    if (extra != NULL)
        fsc__options_wrong(&opts, "\"%s\" is not expected", extra);
    const fsc__exit stopped = fsc__options_stop(&opts, extra != NULL ? FSC__OPTIONS_BAD : code);
    return code == FSC__OPTIONS_END && extra == NULL ? show(env, probe, json) : stopped;
}
