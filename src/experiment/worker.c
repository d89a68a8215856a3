/* The loop of a worker. */
#include "experiment/worker.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "case/case.h"
#include "case/row.h"

static fsc_status write_line(const cJSON *object, FILE *out, fsc_error *why)
{
    char *text = object == NULL ? NULL : cJSON_PrintUnformatted(object);
    if (text == NULL)
        FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for a line");
    const bool written = fprintf(out, "%s\n", text) >= 0 && fflush(out) == 0;
    fsc__free(text);
    if (!written)
        FSC_FAIL(why, FSC_ERR_FILE, "the coordinator does not listen: %s", strerror(errno));
    return FSC_OK;
}

static fsc_status write_failure(fsc_status failure, const fsc_error *said, FILE *out,
                                fsc_error *why)
{
    cJSON *object = cJSON_CreateObject();
    const bool made = object != NULL &&
                      cJSON_AddNumberToObject(object, "status", failure) != NULL &&
                      cJSON_AddStringToObject(object, "error", said->text) != NULL;
    const fsc_status status = write_line(made ? object : NULL, out, why);
    cJSON_Delete(object);
    return status;
}

static cJSON *info_json(const fsc__device_info *info)
{
    char label[sizeof info->platform_name + sizeof info->name + 2];
    char select[32];
    fsc__device_label(info, label, sizeof label);
    snprintf(select, sizeof select, "%d.%d", info->platform, info->device);
    cJSON *object = cJSON_CreateObject();
    if (object != NULL && cJSON_AddStringToObject(object, "select", select) != NULL &&
        cJSON_AddStringToObject(object, "device", label) != NULL &&
        cJSON_AddStringToObject(object, "driver", info->driver) != NULL)
        return object;
    cJSON_Delete(object);
    return NULL;
}

/* Those that select means: *chosen, freed with fsc__free, holds indices into *list. */
static fsc_status choose(const char *select, bool unique, fsc__device_info **list, int **chosen,
                         int *count, fsc_error *why)
{
    int listed = 0;
    FSC_TRY(fsc__devices_list(list, &listed, why));
    *chosen = fsc__calloc((size_t)listed + 1, sizeof **chosen);
    if (*chosen == NULL)
        FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for %d devices", listed);
    return fsc__devices_select(*list, listed, select, unique, *chosen, count, why);
}

static cJSON *list_json(const fsc__device_info *list, const int *chosen, int count)
{
    cJSON *object = cJSON_CreateObject();
    cJSON *devices = cJSON_AddArrayToObject(object, "devices");
    bool ok = devices != NULL;
    for (int i = 0; i < count && ok; i++) {
        cJSON *info = info_json(&list[chosen[i]]);
        ok = info != NULL && cJSON_AddItemToArray(devices, info);
    }
    if (ok)
        return object;
    cJSON_Delete(object);
    return NULL;
}

fsc_status fsc__worker_list(const char *select, FILE *out, fsc_error *why)
{
    fsc__device_info *list = NULL;
    int *chosen = NULL;
    int count = 0;
    fsc_error said = {.text = ""};
    fsc__json_setup();
    fsc_status status = choose(select, false, &list, &chosen, &count, &said);
    if (status != FSC_OK) {
        status = write_failure(status, &said, out, why);
    } else {
        cJSON *object = list_json(list, chosen, count);
        status = write_line(object, out, why);
        cJSON_Delete(object);
    }
    fsc__free(chosen);
    fsc__free(list);
    return status;
}

static fsc_status open_device(const char *select, const fsc__device_options *options,
                              fsc_device **device, fsc_error *why)
{
    fsc__device_info *list = NULL;
    int *chosen = NULL;
    int count = 0;
    fsc_status status = choose(select, true, &list, &chosen, &count, why);
    if (status == FSC_OK)
        status = fsc__device_open(&list[chosen[0]], options, device, why);
    fsc__free(chosen);
    fsc__free(list);
    return status;
}

/* The next line without its newline; false at the end of in. */
static bool read_line(FILE *in, fsc__text *line)
{
    char part[4096];
    line->length = 0;
    while (fgets(part, sizeof part, in) != NULL) {
        const size_t length = strlen(part);
        const bool whole = length > 0 && part[length - 1] == '\n';
        fsc__text_add_bytes(line, part, whole ? length - 1 : length);
        if (whole)
            return !line->failed;
    }
    return false;
}

static fsc_status serve_case(fsc_device *device, const fsc__text *line, FILE *out, fsc_error *why)
{
    cJSON *case_json = NULL;
    cJSON *row = NULL;
    fsc_status status;
    FSC_GO(fsc__json_parse("case", line->data, line->length, &case_json, why));
    FSC_GO(fsc__case_run(device, NULL, case_json, &row, why));
    FSC_GO(write_line(row, out, why));
done:
    cJSON_Delete(row);
    cJSON_Delete(case_json);
    return status;
}

fsc_status fsc__worker_serve(const char *select, const fsc__device_options *options, FILE *in,
                             FILE *out, fsc_error *why)
{
    fsc_device *device = NULL;
    fsc__text line = {0};
    fsc_error said = {.text = ""};
    cJSON *hello = NULL;
    fsc_status status;
    fsc__json_setup();
    const fsc_status opened = open_device(select, options, &device, &said);
    if (opened != FSC_OK)
        return write_failure(opened, &said, out, why);
    hello = info_json(fsc__device_about(device));
    FSC_GO(write_line(hello, out, why));
    while (status == FSC_OK && read_line(in, &line))
        status = serve_case(device, &line, out, why);
done:
    cJSON_Delete(hello);
    fsc__text_deinit(&line);
    fsc__device_close(device);
    return status;
}
