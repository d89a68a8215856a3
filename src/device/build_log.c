/* The first error of a build log, in terms of our files. */
#include "device/build_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char unnamed[] = "input.cl:";

/* What #line directives say about a line (from 1) of the flat text; false where none is above it.
 *file points into text. */
static int find_place(const char *text, long flat, const char **file, int *length, long *number)
{
    int found = 0;
    long current = 1;
    for (const char *at = text; *at && current < flat; ++current) {
        long named = 0;
        char name[128];
        if (sscanf(at, "#line %ld \"%127[^\"]\"", &named, name) == 2) {
            *file = strchr(at, '"') + 1;
            *length = (int)strcspn(*file, "\"");
            *number = named - 1;
            found = 1;
        } else if (sscanf(at, "#line %ld", &named) == 1) {
            *number = named - 1;
        } else {
            ++*number;
        }
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    ++*number;
    return found;
}

void fsc__build_log_error(const char *text, const char *log, char *line, size_t bytes)
{
    const char *start = strstr(log, "error:");
    if (!start)
        start = log + strspn(log, " \t\r\n");
    while (start > log && start[-1] != '\n')
        --start;
    start += strspn(start, " \t");
    const int length = (int)strcspn(start, "\r\n");
    if (length == 0) {
        snprintf(line, bytes, "it gave no log");
        return;
    }
    const char *file = NULL;
    int file_length = 0;
    long number = 0;
    char *rest = NULL;
    if (strncmp(start, unnamed, sizeof unnamed - 1) == 0 &&
        find_place(text, strtol(start + sizeof unnamed - 1, &rest, 10), &file, &file_length,
                   &number))
        snprintf(line, bytes, "%.*s:%ld%.*s", file_length, file, number,
                 (int)(start + length - rest), rest);
    else
        snprintf(line, bytes, "%.*s", length, start);
}
