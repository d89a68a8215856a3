/* The command line that runs a case again, quoted for a POSIX shell. */
#include "case/repro.h"
#include "case/case.h"

#include <inttypes.h>
#include <string.h>

static bool is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_+:,./-=@%";
    return word[0] != '\0' && word[strspn(word, plain)] == '\0';
}

void fsc__repro_word(fsc__text *text, const char *word)
{
    if (is_plain(word)) {
        fsc__text_add(text, "%s", word);
        return;
    }
    fsc__text_add(text, "'");
    for (const char *c = word; *c != '\0'; c++) {
        if (*c == '\'')
            fsc__text_add(text, "'\\''");
        else
            fsc__text_add_bytes(text, c, 1);
    }
    fsc__text_add(text, "'");
}

static void add_word(fsc__text *text, const char *word)
{
    fsc__text_add(text, " ");
    fsc__repro_word(text, word);
}

static void add_option(fsc__text *text, const cJSON *json, const char *key, const char *option)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
    if (!cJSON_IsString(item))
        return;
    fsc__text_add(text, " %s", option);
    add_word(text, item->valuestring);
}

static void add_tensors(fsc__text *text, const cJSON *tensors)
{
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, tensors)
    {
        fsc__text word = {0};
        fsc__text_add(&word, "%s=%s", item->string, cJSON_IsString(item) ? item->valuestring : "");
        text->failed = text->failed || word.failed;
        fsc__text_add(text, " --tensor");
        add_word(text, word.failed ? "" : word.data);
        fsc__text_deinit(&word);
    }
}

void fsc__case_repro(const cJSON *case_json, fsc__text *text)
{
    const cJSON *graph = cJSON_GetObjectItemCaseSensitive(case_json, "graph");
    const cJSON *seed = cJSON_GetObjectItemCaseSensitive(case_json, "seed");
    const cJSON *off = cJSON_GetObjectItemCaseSensitive(case_json, "off");
    fsc__text_add(text, "fusescope case");
    add_word(text, cJSON_IsString(graph) ? graph->valuestring : "");
    add_option(text, case_json, "shape", "--shape");
    add_option(text, case_json, "mode", "--mode");
    add_option(text, case_json, "unfused_mode", "--unfused-mode");
    const cJSON *rule = NULL;
    cJSON_ArrayForEach(rule, off)
    {
        fsc__text_add(text, " --off");
        add_word(text, cJSON_IsString(rule) ? rule->valuestring : "");
    }
    add_tensors(text, cJSON_GetObjectItemCaseSensitive(case_json, "tensors"));
    add_option(text, case_json, "input", "--input");
    if (cJSON_IsNumber(seed))
        fsc__text_add(text, " --seed %" PRId64, (int64_t)seed->valuedouble);
    add_option(text, case_json, "tile", "--tile");
    add_option(text, case_json, "device", "--device");
}
