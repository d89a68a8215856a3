/* Columns, numbers and colours. */
#include "report/format.h"

#include <string.h>

#include "verdict/verdict.h"

const char *fsc__row_text(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

/* The object at a path of keys with slashes. */
static const cJSON *find(const cJSON *object, const char *path)
{
    char key[64];
    while (object != NULL && *path != '\0') {
        const size_t length = strcspn(path, "/");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        object = cJSON_GetObjectItemCaseSensitive(object, key);
        path += length + (path[length] == '/');
    }
    return object;
}

void fsc__row_figure(const cJSON *row, const char *path, const char *key, char *text, size_t bytes)
{
    const cJSON *figure = cJSON_GetObjectItemCaseSensitive(find(row, path), key);
    if (cJSON_IsNumber(figure))
        snprintf(text, bytes, "%.3g", figure->valuedouble);
    else
        snprintf(text, bytes, "%s", cJSON_IsString(figure) ? figure->valuestring : "-");
}

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0u) == 0x80u;
}

/* Colours take no column. */
static int columns_of(const char *text)
{
    int columns = 0;
    for (; *text != '\0'; text++) {
        if (*text == '\033')
            text += strcspn(text, "m");
        else
            columns += !continues(*text);
    }
    return columns;
}

/* Bytes of the first `columns` characters. */
static int bytes_of(const char *text, int columns)
{
    int bytes = 0;
    while (text[bytes] != '\0' && (columns > 0 || continues(text[bytes]))) {
        columns -= !continues(text[bytes]);
        bytes++;
    }
    return bytes;
}

void fsc__page_cell(const fsc__page *page, const char *text, int width)
{
    const int columns = columns_of(text);
    if (columns <= width) {
        fprintf(page->out, "%s%*s", text, width - columns, "");
        return;
    }
    const int tail = (width - 2) / 2;
    const int head = width - 2 - tail;
    fprintf(page->out, "%.*s..%s", bytes_of(text, head), text,
            text + bytes_of(text, columns - tail));
}

const char *fsc__page_verdict(const fsc__page *page, const char *verdict)
{
    static const char *const colours[FSC__VERDICT_COUNT] = {
        [FSC__EXACT] = "\033[32m",   [FSC__NEGLIGIBLE] = "\033[32m", [FSC__ROUNDING] = "\033[32m",
        [FSC__DIFFERS] = "\033[33m", [FSC__RESCUED] = "\033[36m",    [FSC__MISTRUSTED] = "\033[35m",
        [FSC__UNSAFE] = "\033[31m",  [FSC__BROKEN] = "\033[1;31m",   [FSC__SKIPPED] = "\033[2m",
        [FSC__ERROR] = "\033[1;31m", [FSC__CRASH] = "\033[1;31m",    [FSC__TIMEOUT] = "\033[1;31m",
    };
    fsc__verdict found;
    return page->colour && fsc__verdict_find(verdict, &found) ? colours[found] : "";
}

const char *fsc__page_plain(const fsc__page *page)
{
    return page->colour ? "\033[0m" : "";
}

const char *fsc__page_bold(const fsc__page *page)
{
    return page->colour ? "\033[1m" : "";
}

void fsc__page_wrap(const fsc__page *page, int indent, const char *first, const char *text)
{
    const int begin = indent + columns_of(first);
    const int hang = begin <= FSC__COLUMNS / 2 ? begin : indent + 4;
    int column = begin;
    bool blank = false;
    fprintf(page->out, "%*s%s", indent, "", first);
    for (text += strspn(text, " \n"); *text != '\0'; text += strspn(text, " \n")) {
        const int length = (int)strcspn(text, " \n");
        if (blank && column + 1 + length > FSC__COLUMNS) {
            fprintf(page->out, "\n%*s", hang, "");
            column = hang;
        } else if (blank) {
            column += fprintf(page->out, " ");
        }
        column += fprintf(page->out, "%.*s", length, text);
        blank = true;
        text += length;
    }
    fprintf(page->out, "\n");
}
