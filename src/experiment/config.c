/* Reading the top level of a configuration: devices, defaults, and the list of experiments. */
#include "experiment/config.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "experiment/experiment.h"

enum { TIMEOUT_S = 120, TIMEOUT_S_MAX = 86400, VERSION = 1 };

static fsc_status read_env(const fsc__json *at, fsc__config_device *device, fsc_error *why)
{
    if (at->node == NULL)
        return FSC_OK;
    FSC_TRY(fsc__json_object(at, why));
    const cJSON *node = NULL;
    cJSON_ArrayForEach(node, at->node)
    {
        const fsc__json member = fsc__json_member(at, node->string);
        const char *value = NULL;
        FSC_TRY(fsc__json_text(&member, &value, why));
        if (node->string[0] == '\0' || strchr(node->string, '=') != NULL)
            return fsc__json_fail(&member, why,
                                  "is no name of an environment variable; letters, "
                                  "digits and _");
    }
    device->env = at->node;
    return FSC_OK;
}

static fsc_status read_select(const fsc__json *at, fsc__config_device *device, fsc_error *why)
{
    FSC_TRY(fsc__json_text(at, &device->select, why));
    if (device->select[0] == '\0')
        return fsc__json_fail(at, why, "is empty; a selector such as \"pocl\", \"0.0\" or \"all\"");
    return FSC_OK;
}

static fsc_status read_device(const fsc__json *at, fsc__config_device *device, fsc_error *why)
{
    static const char *const keys[] = {"select", "required", "env", "max_elements"};
    fsc__config_device read = {.required = true};
    if (!cJSON_IsObject(at->node)) {
        FSC_TRY(read_select(at, &read, why));
        *device = read;
        return FSC_OK;
    }
    const fsc__json select = fsc__json_member(at, "select");
    const fsc__json required = fsc__json_member(at, "required");
    const fsc__json env = fsc__json_member(at, "env");
    const fsc__json most = fsc__json_member(at, "max_elements");
    FSC_TRY(fsc__json_keys(at, keys, sizeof keys / sizeof keys[0], why));
    FSC_TRY(read_select(&select, &read, why));
    if (required.node != NULL)
        FSC_TRY(fsc__json_flag(&required, &read.required, why));
    FSC_TRY(read_env(&env, &read, why));
    if (most.node != NULL)
        FSC_TRY(fsc__json_integer(&most, 1, INT32_MAX, &read.max_elements, why));
    *device = read;
    return FSC_OK;
}

static fsc_status read_devices(const fsc__json *at, fsc__config *config, fsc_error *why)
{
    if (at->node == NULL)
        return FSC_OK;
    FSC_TRY(fsc__json_array(at, why));
    const int count = fsc__json_size(at);
    if (count == 0)
        return fsc__json_fail(at, why, "is empty; one device or more, or no such key");
    config->devices = fsc__calloc((size_t)count, sizeof *config->devices);
    if (config->devices == NULL)
        FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for %d devices", count);
    for (int i = 0; i < count; i++) {
        const fsc__json item = fsc__json_item(at, i);
        FSC_TRY(read_device(&item, &config->devices[i], why));
    }
    config->device_count = count;
    return FSC_OK;
}

static fsc_status read_experiments(const fsc__json *root, const char *path, fsc__config *config,
                                   fsc_error *why)
{
    const fsc__json defaults = fsc__json_member(root, "defaults");
    const fsc__json list = fsc__json_member(root, "experiments");
    FSC_TRY(fsc__experiment_check_defaults(&defaults, why));
    FSC_TRY(fsc__json_array(&list, why));
    if (fsc__json_size(&list) == 0)
        return fsc__json_fail(&list, why, "is empty; one experiment or more");
    const fsc__json seed = fsc__json_member(root, "seed");
    config->experiments = cJSON_CreateArray();
    if (config->experiments == NULL)
        FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for the experiments");
    for (int i = 0; i < fsc__json_size(&list); i++) {
        const fsc__json item = fsc__json_item(&list, i);
        cJSON *experiment = NULL;
        FSC_TRY(fsc__experiment_read(&item, &defaults, &seed, path, &experiment, why));
        if (!cJSON_AddItemToArray(config->experiments, experiment)) {
            cJSON_Delete(experiment);
            FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for the experiments");
        }
    }
    return fsc__experiment_check_names(&list, why);
}

static fsc_status text_or_empty(const fsc__json *root, const char *key, const char **text,
                                fsc_error *why)
{
    const fsc__json member = fsc__json_member(root, key);
    *text = "";
    return member.node == NULL ? FSC_OK : fsc__json_text(&member, text, why);
}

static fsc_status read_all(const char *path, fsc__config *config, fsc_error *why)
{
    static const char *const keys[] = {"version",   "name",    "description", "seed",
                                       "timeout_s", "devices", "defaults",    "experiments"};
    FSC_TRY(fsc__json_read(path, &config->root, why));
    const fsc__json root = fsc__json_root(path, config->root);
    const fsc__json version = fsc__json_member(&root, "version");
    const fsc__json timeout = fsc__json_member(&root, "timeout_s");
    const fsc__json devices = fsc__json_member(&root, "devices");
    int64_t number = 0;
    FSC_TRY(fsc__json_keys(&root, keys, sizeof keys / sizeof keys[0], why));
    FSC_TRY(fsc__json_integer(&version, VERSION, VERSION, &number, why));
    FSC_TRY(text_or_empty(&root, "name", &config->name, why));
    FSC_TRY(text_or_empty(&root, "description", &config->description, why));
    config->timeout_s = TIMEOUT_S;
    if (timeout.node != NULL)
        FSC_TRY(fsc__json_integer(&timeout, 1, TIMEOUT_S_MAX, &config->timeout_s, why));
    FSC_TRY(read_devices(&devices, config, why));
    return read_experiments(&root, path, config, why);
}

fsc_status fsc__config_read(const char *path, fsc__config *config, fsc_error *why)
{
    fsc__config read = {0};
    fsc__json_setup();
    const fsc_status status = read_all(path, &read, why);
    if (status == FSC_OK)
        *config = read;
    else
        fsc__config_deinit(&read);
    return status;
}

void fsc__config_deinit(fsc__config *config)
{
    fsc__free(config->devices);
    cJSON_Delete(config->experiments);
    cJSON_Delete(config->root);
    *config = (fsc__config){0};
}

fsc_status fsc__config_hash(const fsc__config *config, char hex[33], fsc_error *why)
{
    char *text = cJSON_PrintUnformatted(config->root);
    if (text == NULL)
        FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for the text of the configuration");
    fsc__hash_hex(text, strlen(text), hex);
    fsc__free(text);
    return FSC_OK;
}
