/* Text for people: columns, numbers, colours, wrapped sentences. */
#ifndef FSC_REPORT_FORMAT_H
#define FSC_REPORT_FORMAT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

enum { FSC__COLUMNS = 120 };

/* Where a report goes. */
typedef struct fsc__page {
    FILE *out;
    bool colour;
} fsc__page;

/* Text of an object's member; "" where it has none. */
const char *fsc__row_text(const cJSON *object, const char *key);

/* A figure of a comparison of a row in three digits, "1.23e-05"; "-" where there is none.
   path is "delta", "conformance/fused" and so on. */
void fsc__row_figure(const cJSON *row, const char *path, const char *key, char *text, size_t bytes);

/* text in exactly width columns, cut with ".." in the middle where it is longer. UTF-8 continuation
   bytes take no column. */
void fsc__page_cell(const fsc__page *page, const char *text, int width);

/* The colour of a verdict, "" without colour; ends with fsc__page_plain. */
const char *fsc__page_verdict(const fsc__page *page, const char *verdict);
const char *fsc__page_plain(const fsc__page *page);
const char *fsc__page_bold(const fsc__page *page);

/* first and text behind indent blanks, in lines of at most FSC__COLUMNS; further lines stand under
   the beginning of text, or a little to the right of first where that is long. */
void fsc__page_wrap(const fsc__page *page, int indent, const char *first, const char *text);

#endif
