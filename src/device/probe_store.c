/* The probe's result as JSON in the cache folder. */
#include "device/probe.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "device/handle.h"

static const char *const fma_names[] = {
    [FSC__FMA_EXACT] = "exact", [FSC__FMA_FLUSHES] = "flushes", [FSC__FMA_OTHER] = "other"};
static const char *const way_names[] = {[FSC__ROUND_PLAIN] = "plain",
                                        [FSC__ROUND_DOUBLE] = "double",
                                        [FSC__ROUND_REMAINDER] = "remainder",
                                        [FSC__ROUND_NONE] = "none"};
enum {
    FMA_COUNT = sizeof fma_names / sizeof fma_names[0],
    WAY_COUNT = sizeof way_names / sizeof way_names[0],
    NAME_BYTES = 64
};

const char *fsc__fma_name(fsc__fma fma)
{
    return fma_names[fma];
}

const char *fsc__round_way_name(fsc__round_way way)
{
    return way_names[way];
}

static void file_name(const char *key, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "probe-%s.json", key);
}

static fsc_status read_word(const fsc__json *at, const char *key, const char *const *words,
                            int count, int *index, fsc_error *why)
{
    const char *text = NULL;
    const fsc__json member = fsc__json_member(at, key);
    FSC_TRY(fsc__json_text(&member, &text, why));
    for (int i = 0; i < count; ++i)
        if (strcmp(text, words[i]) == 0) {
            *index = i;
            return FSC_OK;
        }
    return fsc__json_fail(&member, why, "unknown word %s", text);
}

static fsc_status read_flag(const fsc__json *at, const char *key, bool *flag, fsc_error *why)
{
    const fsc__json member = fsc__json_member(at, key);
    return fsc__json_flag(&member, flag, why);
}

static fsc_status read_text(const fsc__json *at, const char *key, char *copy, size_t bytes,
                            fsc_error *why)
{
    const char *text = NULL;
    const fsc__json member = fsc__json_member(at, key);
    FSC_TRY(fsc__json_text(&member, &text, why));
    if (strlen(text) >= bytes)
        return fsc__json_fail(&member, why, "too long");
    memcpy(copy, text, strlen(text) + 1);
    return FSC_OK;
}

static fsc_status read_result(const char *key, const fsc__json *root, fsc__caps *caps, char *quirks,
                              size_t quirk_bytes, fsc_error *why)
{
    int fma = 0, divide = 0, root_way = 0;
    int64_t group = 0, loops = 0;
    char kept_key[NAME_BYTES];
    FSC_TRY(read_text(root, "key", kept_key, sizeof kept_key, why));
    if (strcmp(kept_key, key) != 0)
        FSC_FAIL(why, FSC_ERR_FILE, "it is another device's");
    FSC_TRY(read_word(root, "fma", fma_names, FMA_COUNT, &fma, why));
    FSC_TRY(read_word(root, "divide", way_names, WAY_COUNT, &divide, why));
    FSC_TRY(read_word(root, "sqrt", way_names, WAY_COUNT, &root_way, why));
    FSC_TRY(read_flag(root, "contracts", &caps->contracts, why));
    FSC_TRY(read_flag(root, "keeps_subnormals", &caps->keeps_subnormals, why));
    FSC_TRY(read_flag(root, "converts_half", &caps->converts_half, why));
    FSC_TRY(read_flag(root, "timer", &caps->timer, why));
    const fsc__json member = fsc__json_member(root, "kernel_group");
    FSC_TRY(fsc__json_integer(&member, 1, (int64_t)caps->kernel_group, &group, why));
    const fsc__json limit = fsc__json_member(root, "loop_limit");
    FSC_TRY(fsc__json_integer(&limit, 0, INT_MAX, &loops, why));
    FSC_TRY(read_text(root, "refused", caps->refused, sizeof caps->refused, why));
    FSC_TRY(read_text(root, "quirks", quirks, quirk_bytes, why));
    caps->fma = (fsc__fma)fma;
    caps->divide = (fsc__round_way)divide;
    caps->sqrt = (fsc__round_way)root_way;
    caps->kernel_group = (size_t)group;
    caps->loop_limit = (int)loops;
    return FSC_OK;
}

bool fsc__probe_load(const fsc_device *device, const char *key, fsc__caps *caps, char *quirks,
                     size_t quirk_bytes)
{
    char name[NAME_BYTES];
    file_name(key, name);
    char *path = device->cache ? fsc__device_path(device->cache, name) : NULL;
    fsc_status status = FSC_ERR_FILE;
    if (path && fsc__file_exists(path)) {
        fsc_error problem;
        cJSON *document = NULL;
        fsc__caps read = *caps;
        status = fsc__json_read(path, &document, &problem);
        if (status == FSC_OK) {
            const fsc__json root = fsc__json_root(path, document);
            status = read_result(key, &root, &read, quirks, quirk_bytes, &problem);
        }
        if (status == FSC_OK)
            *caps = read;
        else
            fsc__log(FSC__LOG_INFO, "the device is probed again: %s", problem.text);
        cJSON_Delete(document);
    }
    fsc__free(path);
    if (status != FSC_OK)
        quirks[0] = '\0';
    return status == FSC_OK;
}

static cJSON *make_document(const fsc_device *device, const char *key, const fsc__caps *caps,
                            const char *quirks)
{
    cJSON *root = cJSON_CreateObject();
    const bool made = cJSON_AddStringToObject(root, "key", key) &&
                      cJSON_AddStringToObject(root, "device", device->info.name) &&
                      cJSON_AddStringToObject(root, "driver", device->info.driver) &&
                      cJSON_AddStringToObject(root, "platform", device->info.platform_version) &&
                      cJSON_AddStringToObject(root, "options", device->options) &&
                      cJSON_AddStringToObject(root, "fma", fsc__fma_name(caps->fma)) &&
                      cJSON_AddStringToObject(root, "divide", fsc__round_way_name(caps->divide)) &&
                      cJSON_AddStringToObject(root, "sqrt", fsc__round_way_name(caps->sqrt)) &&
                      cJSON_AddBoolToObject(root, "contracts", caps->contracts) &&
                      cJSON_AddBoolToObject(root, "keeps_subnormals", caps->keeps_subnormals) &&
                      cJSON_AddBoolToObject(root, "converts_half", caps->converts_half) &&
                      cJSON_AddBoolToObject(root, "timer", caps->timer) &&
                      cJSON_AddNumberToObject(root, "kernel_group", (double)caps->kernel_group) &&
                      cJSON_AddNumberToObject(root, "loop_limit", caps->loop_limit) &&
                      cJSON_AddStringToObject(root, "refused", caps->refused) &&
                      cJSON_AddStringToObject(root, "quirks", quirks);
    if (made)
        return root;
    cJSON_Delete(root);
    return NULL;
}

void fsc__probe_save(fsc_device *device, const char *key, const fsc__caps *caps, const char *quirks)
{
    if (!device->cache)
        return;
    fsc__json_setup();
    cJSON *document = make_document(device, key, caps, quirks);
    char *text = document ? cJSON_Print(document) : NULL;
    if (text) {
        char name[NAME_BYTES];
        file_name(key, name);
        fsc__device_save(device, device->cache, name, text, strlen(text));
    }
    fsc__free(text);
    cJSON_Delete(document);
}
