/* Choosing devices by words. Knows nothing of OpenCL: works on a list. */
#include "device/device.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { WORD_BYTES = 160 };

/* Words for a whole class of devices; Oclgrind, which claims every type, is in none. */
static const struct {
    const char *word, *type;
} classes[] = {{"all", ""}, {"cpu", "cpu"}, {"gpu", "gpu"}};

/* Common names that would match nothing (PoCL before 1.8 says "pocl" in its ICD suffix only) or too
   much ("intel" is in the name of a processor that another driver runs on). */
static const struct {
    const char *word, *platform;
} aliases[] = {
    {"pocl", "portable computing language"},
    {"rusticl", "rusticl"},
    {"oclgrind", "oclgrind"},
    {"intel", "intel"},
};

static bool contains(const char *text, const char *part)
{
    const size_t length = strlen(part);
    for (; *text || length == 0; ++text) {
        size_t same = 0;
        while (same < length &&
               tolower((unsigned char)text[same]) == tolower((unsigned char)part[same]))
            ++same;
        if (same == length)
            return true;
    }
    return false;
}

static bool same_word(const char *a, const char *b)
{
    return strlen(a) == strlen(b) && contains(a, b);
}

const char *fsc__device_alias(const fsc__device_info *info)
{
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; ++i)
        if (contains(info->platform_name, aliases[i].platform))
            return aliases[i].word;
    return info->name;
}

/* "P.D" */
static bool parse_index(const char *word, int *platform, int *device)
{
    int used = 0;
    if (!isdigit((unsigned char)word[0]))
        return false;
    return sscanf(word, "%4d.%4d%n", platform, device, &used) == 2 && word[used] == '\0';
}

static bool matches(const char *word, const fsc__device_info *info)
{
    int platform, device;
    if (parse_index(word, &platform, &device))
        return info->platform == platform && info->device == device;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; ++i)
        if (same_word(word, classes[i].word))
            return !info->oclgrind && contains(info->type, classes[i].type);
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; ++i)
        if (same_word(word, aliases[i].word))
            return contains(info->platform_name, aliases[i].platform) ||
                   contains(info->suffix, word);
    char label[512];
    snprintf(label, sizeof label, "%s %s:%s %s", info->suffix, info->platform_name, info->name,
             info->version);
    return contains(label, word) && (!info->oclgrind || contains(word, "oclgrind"));
}

/* Fails with the sentence and one line per device, or per marked device. */
static fsc_status fail_with_list(const fsc__device_info *list, int count, const bool *marked,
                                 const char *problem, const char *select, fsc_error *why)
{
    char lines[1600] = "";
    size_t used = 0;
    for (int i = 0; i < count && used < sizeof lines; ++i)
        if (!marked || marked[i])
            used +=
                (size_t)snprintf(lines + used, sizeof lines - used, "\n  %d.%d  %s: %s (%s)",
                                 list[i].platform, list[i].device, list[i].platform_name,
                                 list[i].name, list[i].oclgrind ? "only when named" : list[i].type);
    FSC_FAIL(why, FSC_ERR_NO_DEVICE, "%s \"%.*s\"; %s:%s", problem, WORD_BYTES, select,
             marked ? "name one of" : "there are", count ? lines : " none");
}

/* The default among the marked: the first GPU, then the first CPU, then the first. */
static int pick_default(const fsc__device_info *list, int count, const bool *marked)
{
    static const char *const preference[] = {"gpu", "cpu", ""};
    for (size_t p = 0; p < sizeof preference / sizeof preference[0]; ++p)
        for (int i = 0; i < count; ++i)
            if (marked[i] && !list[i].oclgrind && contains(list[i].type, preference[p]))
                return i;
    return -1;
}

/* Copies the next word of *text, which is moved behind it; false at the end. */
static bool next_word(const char **text, char word[WORD_BYTES])
{
    *text += strspn(*text, " \t,");
    const size_t length = strcspn(*text, " \t,");
    const size_t kept = length < WORD_BYTES ? length : WORD_BYTES - 1;
    memcpy(word, *text, kept);
    word[kept] = '\0';
    *text += length;
    return length > 0;
}

/* Sets marked[] for a word and returns how many devices it means. */
static int mark(const fsc__device_info *list, int count, const char *word, bool value, bool *marked)
{
    int found = 0;
    for (int i = 0; i < count; ++i)
        if (matches(word, &list[i])) {
            marked[i] = value;
            ++found;
        }
    return found;
}

/* Marks what the selector's words mean; *named is false when it only excludes. */
static fsc_status mark_words(const fsc__device_info *list, int count, const char *select,
                             bool *marked, bool *named, fsc_error *why)
{
    char word[WORD_BYTES];
    *named = false;
    for (const char *rest = select; next_word(&rest, word);) {
        if (word[0] == '!')
            continue;
        *named = true;
        if (mark(list, count, word, true, marked) == 0)
            return fail_with_list(list, count, NULL, "no device fits", word, why);
    }
    if (!*named)
        mark(list, count, "all", true, marked);
    for (const char *rest = select; next_word(&rest, word);)
        if (word[0] == '!')
            mark(list, count, word + 1, false, marked);
    return FSC_OK;
}

enum { MAX_DEVICES = 256 };

fsc_status fsc__devices_select(const fsc__device_info *list, int count, const char *select,
                               bool unique, int *chosen, int *chosen_count, fsc_error *why)
{
    if (!select)
        select = "";
    if (count > MAX_DEVICES)
        FSC_FAIL(why, FSC_UNSUPPORTED, "%d devices; at most %d can be chosen from", count,
                 MAX_DEVICES);
    bool marked[MAX_DEVICES] = {false};
    /* A selector that as a whole is part of a name may hold blanks. */
    bool named = select[0] != '\0' && mark(list, count, select, true, marked) > 0;
    const bool is_default = select[strspn(select, " \t,")] == '\0';
    if (!named)
        FSC_TRY(mark_words(list, count, select, marked, &named, why));

    int found = 0, last = -1;
    if (is_default || (unique && !named)) {
        last = pick_default(list, count, marked);
        found = last >= 0;
    } else {
        for (int i = 0; i < count; ++i)
            if (marked[i]) {
                last = i;
                ++found;
            }
    }
    if (found == 0)
        return fail_with_list(list, count, NULL,
                              is_default ? "nothing runs by default, with the selector"
                                         : "no device is left by",
                              select, why);
    if (unique && found > 1)
        return fail_with_list(list, count, marked, "several devices fit", select, why);
    if (found == 1) {
        chosen[0] = last;
    } else {
        for (int i = 0, n = 0; i < count; ++i)
            if (marked[i])
                chosen[n++] = i;
    }
    *chosen_count = found;
    return FSC_OK;
}
