/* A growing string, the nearest known word, and glob matching. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

/* Makes room for `more` bytes and a NUL; false, with text->failed set, without memory. */
static bool reserve(fsc__text *text, size_t more)
{
    if (text->failed)
        return false;
    if (text->capacity - text->length > more)
        return true;
    size_t capacity = text->length + more + 1;
    if (capacity < 2 * text->capacity)
        capacity = 2 * text->capacity;
    if (capacity < 64)
        capacity = 64;
    char *data = fsc__realloc(text->data, capacity, 1);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void fsc__text_add(fsc__text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int count = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (count < 0) {
        text->failed = true;
        return;
    }
    if (!reserve(text, (size_t)count))
        return;
    va_start(args, format);
    vsnprintf(text->data + text->length, (size_t)count + 1, format, args);
    va_end(args);
    text->length += (size_t)count;
}

void fsc__text_add_bytes(fsc__text *text, const char *bytes, size_t count)
{
    if (!reserve(text, count))
        return;
    if (count > 0)
        memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = '\0';
}

void fsc__text_deinit(fsc__text *text)
{
    fsc__free(text->data);
    *text = (fsc__text){0};
}

void fsc__text_add_list(fsc__text *text, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fsc__text_add(text, "%s%s", i > 0 ? ", " : "", names[i]);
}

enum { LONGEST_WORD = 64 };

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment) that
   turn a into b; both shorter than LONGEST_WORD. */
static int edit_distance(const char *a, const char *b)
{
    const int a_length = (int)strlen(a), b_length = (int)strlen(b);
    int rows[3][LONGEST_WORD + 1]; /* rows[i % 3][j]: the first i of a to the first j of b */
    for (int j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (int i = 1; i <= a_length; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i - 1) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= b_length; j++) {
            const int substituted = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = smaller(substituted, smaller(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = smaller(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

const char *fsc__text_nearest(const char *word, const char *const *names, size_t count)
{
    const size_t length = strlen(word);
    if (length == 0 || length >= LONGEST_WORD)
        return NULL;
    int limit = (int)length / 3;
    if (limit < 1)
        limit = 1;
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        if (strlen(names[i]) >= LONGEST_WORD)
            continue;
        const int distance = edit_distance(word, names[i]);
        if (distance <= limit) {
            nearest = names[i];
            limit = distance - 1;
        }
    }
    return nearest;
}

bool fsc__text_glob(const char *pattern, const char *word)
{
    const char *star = NULL, *resume = NULL;
    while (*word) {
        if (*pattern == '*') {
            star = pattern++;
            resume = word;
        } else if (*pattern == '?' || *pattern == *word) {
            pattern++;
            word++;
        } else if (star) {
            /* The last star takes one more character; earlier ones need no second try. */
            pattern = star + 1;
            word = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}
