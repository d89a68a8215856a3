/* JSON documents by cJSON, and errors that name the file and the place in it. */
#include "base/json.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_scan.h"
#include "base/text.h"

/* cJSON says NULL for any failure; this tells memory from the rest. */
static _Thread_local bool allocation_failed;

static void *allocate(size_t bytes)
{
    void *block = fsc__alloc(bytes, 1);
    if (!block)
        allocation_failed = true;
    return block;
}

static void install_hooks(void)
{
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = allocate, .free_fn = fsc__free});
}

void fsc__json_setup(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install_hooks);
}

static cJSON *parse_locked(const char *text, size_t bytes)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock); /* cJSON keeps the place of the last error in a global */
    cJSON *root = cJSON_ParseWithLength(text, bytes);
    pthread_mutex_unlock(&lock);
    return root;
}

/* Control characters would act on the terminal that shows a message. */
static char printable(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7F ? '?' : c;
}

/* Adds a step to a pointer, escaped by RFC 6901; what does not fit is replaced by "...". */
static void add_step(fsc__json *place, const char *step)
{
    const size_t most = sizeof place->pointer - 4;
    size_t length = strlen(place->pointer);
    if (length >= most)
        return;
    place->pointer[length++] = '/';
    for (; *step != '\0' && length + 1 < most; step++) {
        if (*step == '~' || *step == '/') {
            place->pointer[length++] = '~';
            place->pointer[length++] = *step == '~' ? '0' : '1';
        } else {
            place->pointer[length++] = printable(*step);
        }
    }
    memcpy(place->pointer + length, "...", 4);
    if (*step == '\0')
        place->pointer[length] = '\0';
}

static fsc__json place_of(const fsc__json *parent, const char *key, int index, const cJSON *node)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%d", index);
    fsc__json place = *parent;
    place.node = node;
    add_step(&place, key ? key : digits);
    return place;
}

static int by_key(const void *left, const void *right)
{
    const cJSON *const *a = left, *const *b = right;
    return strcmp((*a)->string, (*b)->string);
}

static fsc_status check_duplicates(const fsc__json *at, fsc_error *why)
{
    const int count = fsc__json_size(at);
    const cJSON **members = fsc__alloc((size_t)count, sizeof *members);
    if (!members)
        FSC_FAIL(why, FSC_ERR_MEMORY, "%s: out of memory", at->name);
    int filled = 0;
    const cJSON *member = NULL;
    cJSON_ArrayForEach(member, at->node) members[filled++] = member;
    qsort(members, (size_t)count, sizeof(const cJSON *), by_key);
    fsc_status status = FSC_OK;
    for (int i = 1; i < count && status == FSC_OK; i++) {
        if (strcmp(members[i - 1]->string, members[i]->string) == 0) {
            const fsc__json twice = fsc__json_member(at, members[i]->string);
            status = fsc__json_fail(&twice, why, "this key stands twice; once is allowed");
        }
    }
    fsc__free(members);
    return status;
}

/* Refuses what the grammar allows and a document of ours may not hold. */
static fsc_status check_values(const fsc__json *at, fsc_error *why)
{
    if (cJSON_IsNumber(at->node) && !isfinite(at->node->valuedouble))
        return fsc__json_fail(at, why, "this number is too large; at most 1.7e308 is allowed");
    if (cJSON_IsObject(at->node))
        FSC_TRY(check_duplicates(at, why));
    const cJSON *child = NULL;
    int index = 0;
    cJSON_ArrayForEach(child, at->node)
    {
        const fsc__json place = place_of(at, child->string, index++, child);
        FSC_TRY(check_values(&place, why));
    }
    return FSC_OK;
}

fsc_status fsc__json_parse(const char *name, const char *text, size_t bytes, cJSON **root,
                           fsc_error *why)
{
    FSC_TRY(fsc__json_scan(name, text, bytes, why));
    fsc__json_setup();
    allocation_failed = false;
    cJSON *parsed = parse_locked(text, bytes);
    if (!parsed && allocation_failed)
        FSC_FAIL(why, FSC_ERR_MEMORY, "%s: out of memory", name);
    if (!parsed)
        FSC_FAIL(why, FSC_ERR_INTERNAL, "%s: cJSON refuses a text that is JSON", name);
    const fsc__json place = fsc__json_root(name, parsed);
    const fsc_status status = check_values(&place, why);
    if (status != FSC_OK) {
        cJSON_Delete(parsed);
        return status;
    }
    *root = parsed;
    return FSC_OK;
}

fsc_status fsc__json_read(const char *path, cJSON **root, fsc_error *why)
{
    char *text = NULL;
    size_t bytes = 0;
    FSC_TRY(fsc__file_read(path, &text, &bytes, why));
    const fsc_status status = fsc__json_parse(path, text, bytes, root, why);
    fsc__free(text);
    return status;
}

fsc__json fsc__json_root(const char *name, const cJSON *root)
{
    return (fsc__json){.node = root, .name = name};
}

fsc_status fsc__json_fail(const fsc__json *at, fsc_error *why, const char *format, ...)
{
    char text[sizeof why->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    FSC_FAIL(why, FSC_ERR_INPUT, "%s: %s%s%s", at->name, at->pointer,
             at->pointer[0] != '\0' ? ": " : "", text);
}

enum { SHOWN_BYTES = 40, DESCRIPTION_BYTES = 64 };

/* "not "..."", shortened between characters. */
static void describe_text(const char *value, char *text)
{
    char shown[SHOWN_BYTES + 1];
    size_t length = 0;
    for (; value[length] != '\0' && length < SHOWN_BYTES; length++)
        shown[length] = printable(value[length]);
    const bool whole = value[length] == '\0';
    while (!whole && length > 0 && ((unsigned char)value[length] & 0xC0) == 0x80)
        length--;
    shown[length] = '\0';
    snprintf(text, DESCRIPTION_BYTES, "not \"%s%s\"", shown, whole ? "" : "...");
}

/* What stands at a place, for a message. */
static void describe(const cJSON *node, char *text)
{
    if (!node)
        snprintf(text, DESCRIPTION_BYTES, "it is missing");
    else if (cJSON_IsString(node))
        describe_text(node->valuestring, text);
    else if (cJSON_IsNumber(node))
        snprintf(text, DESCRIPTION_BYTES, "not %.17g", node->valuedouble);
    else if (cJSON_IsBool(node))
        snprintf(text, DESCRIPTION_BYTES, "not %s", cJSON_IsTrue(node) ? "true" : "false");
    else
        snprintf(text, DESCRIPTION_BYTES, "not %s",
                 cJSON_IsArray(node)    ? "an array"
                 : cJSON_IsObject(node) ? "an object"
                                        : "null");
}

static fsc_status fail_kind(const fsc__json *at, fsc_error *why, const char *wanted)
{
    char found[DESCRIPTION_BYTES];
    describe(at->node, found);
    return fsc__json_fail(at, why, "must be %s; %s", wanted, found);
}

fsc_status fsc__json_object(const fsc__json *at, fsc_error *why)
{
    return cJSON_IsObject(at->node) ? FSC_OK : fail_kind(at, why, "an object");
}

fsc_status fsc__json_array(const fsc__json *at, fsc_error *why)
{
    return cJSON_IsArray(at->node) ? FSC_OK : fail_kind(at, why, "an array");
}

static bool is_among(const char *word, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(word, names[i]) == 0)
            return true;
    }
    return false;
}

static fsc_status fail_key(const fsc__json *at, const char *key, const char *const *names,
                           size_t count, fsc_error *why)
{
    const fsc__json place = fsc__json_member(at, key);
    const char *near = fsc__text_nearest(key, names, count);
    fsc__text allowed = {0};
    fsc__text_add_list(&allowed, names, count);
    fsc_status status = FSC_ERR_INPUT;
    if (near)
        status = fsc__json_fail(&place, why, "unknown key, did you mean \"%s\"? allowed are %s",
                                near, allowed.data ? allowed.data : "others");
    else
        status = fsc__json_fail(&place, why, "unknown key; allowed are %s",
                                allowed.data ? allowed.data : "others");
    fsc__text_deinit(&allowed);
    return status;
}

fsc_status fsc__json_keys(const fsc__json *at, const char *const *names, size_t count,
                          fsc_error *why)
{
    FSC_TRY(fsc__json_object(at, why));
    const cJSON *member = NULL;
    cJSON_ArrayForEach(member, at->node)
    {
        if (!is_among(member->string, names, count))
            return fail_key(at, member->string, names, count, why);
    }
    return FSC_OK;
}

bool fsc__json_has(const fsc__json *at, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(at->node, key) != NULL;
}

fsc__json fsc__json_member(const fsc__json *at, const char *key)
{
    return place_of(at, key, 0, cJSON_GetObjectItemCaseSensitive(at->node, key));
}

fsc__json fsc__json_item(const fsc__json *at, int index)
{
    return place_of(at, NULL, index, cJSON_GetArrayItem(at->node, index));
}

int fsc__json_size(const fsc__json *at)
{
    return cJSON_IsArray(at->node) || cJSON_IsObject(at->node) ? cJSON_GetArraySize(at->node) : 0;
}

fsc_status fsc__json_text(const fsc__json *at, const char **text, fsc_error *why)
{
    if (!cJSON_IsString(at->node))
        return fail_kind(at, why, "a text");
    *text = at->node->valuestring;
    return FSC_OK;
}

fsc_status fsc__json_number(const fsc__json *at, double low, double high, double *number,
                            fsc_error *why)
{
    if (!cJSON_IsNumber(at->node) || at->node->valuedouble < low || at->node->valuedouble > high) {
        char wanted[96];
        snprintf(wanted, sizeof wanted, "a number from %.9g to %.9g", low, high);
        return fail_kind(at, why, wanted);
    }
    *number = at->node->valuedouble;
    return FSC_OK;
}

fsc_status fsc__json_integer(const fsc__json *at, int64_t low, int64_t high, int64_t *number,
                             fsc_error *why)
{
    /* JSON numbers are doubles here: beyond 2^53 the one that was written is not known. */
    const int64_t exact = INT64_C(1) << 53;
    const int64_t least = low < -exact ? -exact : low, most = high > exact ? exact : high;
    if (!cJSON_IsNumber(at->node) || floor(at->node->valuedouble) != at->node->valuedouble ||
        at->node->valuedouble < (double)least || at->node->valuedouble > (double)most) {
        char wanted[96];
        snprintf(wanted, sizeof wanted, "a whole number from %lld to %lld", (long long)least,
                 (long long)most);
        return fail_kind(at, why, wanted);
    }
    *number = (int64_t)at->node->valuedouble;
    return FSC_OK;
}

fsc_status fsc__json_flag(const fsc__json *at, bool *flag, fsc_error *why)
{
    if (!cJSON_IsBool(at->node))
        return fail_kind(at, why, "true or false");
    *flag = cJSON_IsTrue(at->node);
    return FSC_OK;
}
