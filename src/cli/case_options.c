/* From options to the JSON of a case. */
#include "cli/case_options.h"

#include <string.h>

#include "base/text.h"
#include "case/spec.h"

/* Which key of the case an option of one text is. */
static const struct {
    int option;
    const char *key;
} texts[] = {{'s', "shape"},  {'m', "mode"}, {'u', "unfused_mode"}, {'i', "input"},
             {'d', "device"}, {'v', "save"}, {'k', "tile"}};

static cJSON *member(cJSON *object, const char *key, cJSON *(*create)(void))
{
    cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (item != NULL)
        return item;
    item = create();
    if (item != NULL && cJSON_AddItemToObject(object, key, item))
        return item;
    cJSON_Delete(item);
    return NULL;
}

static bool put(cJSON *object, const char *key, cJSON *item)
{
    cJSON_DeleteItemFromObjectCaseSensitive(object, key);
    if (item != NULL && cJSON_AddItemToObject(object, key, item))
        return true;
    cJSON_Delete(item);
    return false;
}

/* NAME=FILE */
static bool put_tensor(cJSON *case_json, const char *value)
{
    const char *equals = strchr(value, '=');
    cJSON *tensors = member(case_json, "tensors", cJSON_CreateObject);
    fsc__text name = {0};
    if (equals == NULL || equals == value || tensors == NULL)
        return false;
    fsc__text_add_bytes(&name, value, (size_t)(equals - value));
    const bool done = !name.failed && put(tensors, name.data, cJSON_CreateString(equals + 1));
    fsc__text_deinit(&name);
    return done;
}

static bool put_rule(cJSON *case_json, const char *rule)
{
    cJSON *off = member(case_json, "off", cJSON_CreateArray);
    cJSON *item = cJSON_CreateString(rule);
    if (off != NULL && item != NULL && cJSON_AddItemToArray(off, item))
        return true;
    cJSON_Delete(item);
    return false;
}

static bool put_seed(cJSON *case_json, const char *value)
{
    int64_t seed = 0;
    return fsc__options_number(value, FSC__SEED_MAX, &seed) &&
           put(case_json, "seed", cJSON_CreateNumber((double)seed));
}

/* Puts one option into the case; false when its value is wrong. */
static bool put_option(cJSON *case_json, int option, const char *value)
{
    if (option == 't')
        return put_tensor(case_json, value);
    if (option == 'x')
        return put_rule(case_json, value);
    if (option == 'n')
        return put_seed(case_json, value);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].option == option)
            return put(case_json, texts[i].key, cJSON_CreateString(value));
    return true;
}

static int put_graph(fsc__options *opts, cJSON *case_json)
{
    const char *graph = fsc__options_word(opts);
    const char *extra = fsc__options_word(opts);
    if (graph == NULL)
        fsc__options_wrong(opts, "which graph? for example matmul+bias+gelu");
    else if (extra != NULL)
        fsc__options_wrong(opts, "\"%s\" is one graph too many", extra);
    else if (cJSON_GetObjectItemCaseSensitive(case_json, "shape") == NULL)
        fsc__options_wrong(opts, "%s on which --shape?", graph);
    else if (put(case_json, "graph", cJSON_CreateString(graph)))
        return FSC__OPTIONS_END;
    return FSC__OPTIONS_BAD;
}

int fsc__case_options(fsc__options *opts, cJSON *case_json, int flag_option, bool *flag)
{
    int code;
    while ((code = fsc__options_next(opts)) > 0) {
        *flag = *flag || code == flag_option;
        if (!put_option(case_json, code, opts->value)) {
            fsc__options_wrong(opts, "\"%s\" is no value for %s", opts->value,
                               code == 't'   ? "--tensor; NAME=FILE.npy"
                               : code == 'n' ? "--seed; a whole number from 0 to 2^53"
                                             : "an option");
            return FSC__OPTIONS_BAD;
        }
    }
    return code == FSC__OPTIONS_END ? put_graph(opts, case_json) : code;
}
