/* Finding the devices of a run, in child processes: the environment of an entry decides what a
   loader lists, and the coordinator itself never touches a driver. */
#include "experiment/target.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "experiment/process.h"

enum { ANSWER_MS = 300000, GRACE_MS = 5000 };

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

/* The worker's first line, whatever it says. */
static fsc_status hear_object(const fsc__run *run, fsc__process *worker, cJSON **object,
                              fsc_error *why)
{
    char how[96];
    char *line = NULL;
    switch (fsc__process_hear(worker, ANSWER_MS, run->interrupt_fd, &line)) {
    case FSC__HEARD_LINE:
        break;
    case FSC__HEARD_END:
        fsc__process_stop(worker, GRACE_MS, how, sizeof how);
        FSC_FAIL(why, FSC_ERR_DEVICE, "the worker died before its first case: %s", how);
    case FSC__HEARD_NOTHING:
        FSC_FAIL(why, FSC_ERR_DEVICE, "the worker did not answer in %d s", ANSWER_MS / 1000);
    case FSC__HEARD_INTERRUPT:
        FSC_FAIL(why, FSC_ERR_DEVICE, "interrupted");
    case FSC__HEARD_FAILURE:
        FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for the answer of a worker");
    }
    const fsc_status status = fsc__json_parse("worker", line, strlen(line), object, why);
    fsc__free(line);
    return status;
}

fsc_status fsc__target_ask(const fsc__run *run, fsc__process *worker, cJSON **object,
                           fsc_error *why)
{
    cJSON *heard = NULL;
    FSC_TRY(hear_object(run, worker, &heard, why));
    const cJSON *failure = cJSON_GetObjectItemCaseSensitive(heard, "status");
    if (failure == NULL) {
        *object = heard;
        return FSC_OK;
    }
    const fsc_status status =
        fsc__fail(why, (fsc_status)failure->valueint, "%s", text_of(heard, "error"));
    cJSON_Delete(heard);
    return status;
}

static fsc_status no_memory(fsc_error *why)
{
    FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for the devices");
}

/* A new target at the end of the list. */
static fsc_status append(fsc__target **targets, int *count, const fsc__target *target,
                         fsc_error *why)
{
    fsc__target *grown = fsc__realloc(*targets, (size_t)*count + 1, sizeof *grown);
    if (grown == NULL)
        return no_memory(why);
    grown[(*count)++] = *target;
    *targets = grown;
    return FSC_OK;
}

static bool same_env(const cJSON *a, const cJSON *b)
{
    if (cJSON_GetArraySize(a) == 0 || cJSON_GetArraySize(b) == 0)
        return cJSON_GetArraySize(a) == cJSON_GetArraySize(b);
    return cJSON_Compare(a, b, true);
}

static bool is_listed(const fsc__target *targets, int count, const fsc__config_device *entry,
                      const char *place)
{
    for (int i = 0; i < count; i++)
        if (targets[i].missing == NULL && strcmp(targets[i].place, place) == 0 &&
            same_env(targets[i].entry->env, entry->env))
            return true;
    return false;
}

static void deinit(fsc__target *target)
{
    fsc__free(target->select);
    fsc__free(target->place);
    fsc__free(target->device);
    fsc__free(target->driver);
    fsc__free(target->missing);
}

/* Adds what one entry means. A selector that means one device says so in repro lines better than
   an index would. */
static fsc_status add_found(const fsc__config_device *entry, const cJSON *answer,
                            fsc__target **targets, int *count, fsc_error *why)
{
    const cJSON *devices = cJSON_GetObjectItemCaseSensitive(answer, "devices");
    const bool only = cJSON_GetArraySize(devices) == 1 && entry->select != NULL;
    const int before = *count;
    const cJSON *found = NULL;
    cJSON_ArrayForEach(found, devices)
    {
        if (is_listed(*targets, before, entry, text_of(found, "select")))
            continue;
        fsc__target target = {
            .entry = entry,
            .select = fsc__strdup(only ? entry->select : text_of(found, "select")),
            .place = fsc__strdup(text_of(found, "select")),
            .device = fsc__strdup(text_of(found, "device")),
            .driver = fsc__strdup(text_of(found, "driver")),
        };
        fsc_status status = FSC_OK;
        if (target.select == NULL || target.place == NULL || target.device == NULL ||
            target.driver == NULL)
            status = no_memory(why);
        if (status == FSC_OK)
            status = append(targets, count, &target, why);
        if (status != FSC_OK) {
            deinit(&target);
            return status;
        }
    }
    return FSC_OK;
}

static fsc_status add_missing(const fsc__config_device *entry, const char *reason,
                              fsc__target **targets, int *count, fsc_error *why)
{
    fsc__target target = {
        .entry = entry,
        .select = fsc__strdup(entry->select == NULL ? "" : entry->select),
        .place = fsc__strdup(""),
        .device = fsc__strdup(entry->select == NULL ? "" : entry->select),
        .driver = fsc__strdup(""),
        .missing = fsc__strdup(reason),
    };
    fsc_status status = FSC_OK;
    if (target.select == NULL || target.place == NULL || target.device == NULL ||
        target.driver == NULL || target.missing == NULL)
        status = no_memory(why);
    if (status == FSC_OK)
        status = append(targets, count, &target, why);
    if (status != FSC_OK)
        deinit(&target);
    return status;
}

static fsc_status ask_entry(const fsc__run *run, const fsc__config_device *entry, cJSON **answer,
                            fsc_error *why)
{
    const char *args[] = {"fusescope", "worker", "--list", NULL, NULL, NULL};
    if (entry->select != NULL) {
        args[3] = "--device";
        args[4] = entry->select;
    }
    fsc__process worker = {0};
    FSC_TRY(fsc__process_start(run->program, args, entry->env, &worker, why));
    const fsc_status status = fsc__target_ask(run, &worker, answer, why);
    fsc__process_stop(&worker, status == FSC_OK ? GRACE_MS : 0, NULL, 0);
    return status;
}

static fsc_status find_entry(const fsc__run *run, const fsc__config_device *entry,
                             fsc__target **targets, int *count, fsc_error *why)
{
    cJSON *answer = NULL;
    fsc_error said = {.text = ""};
    const fsc_status asked = ask_entry(run, entry, &answer, &said);
    fsc_status status = asked;
    if (asked == FSC_OK)
        status = add_found(entry, answer, targets, count, why);
    else if (asked != FSC_ERR_MEMORY && !entry->required)
        status = add_missing(entry, said.text, targets, count, why);
    else
        status = fsc__fail(why, asked, "%s", said.text);
    cJSON_Delete(answer);
    return status;
}

fsc_status fsc__targets_find(const fsc__run *run, fsc__target **targets, int *count, fsc_error *why)
{
    fsc__target *made = NULL;
    int filled = 0;
    for (int i = 0; i < run->device_count; i++) {
        const fsc_status status = find_entry(run, &run->devices[i], &made, &filled, why);
        if (status != FSC_OK) {
            fsc__targets_free(made, filled);
            return status;
        }
    }
    *targets = made;
    *count = filled;
    return FSC_OK;
}

void fsc__targets_free(fsc__target *targets, int count)
{
    for (int i = 0; i < count; i++)
        deinit(&targets[i]);
    fsc__free(targets);
}
