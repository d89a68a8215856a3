/* The table of a run, within FSC__COLUMNS columns. */
#include "report/table.h"

#include <string.h>

#include "case/row.h"

/* Widths: those that the cases decide have a largest value; the others are fixed. Two blanks in
   front and one between columns make FSC__COLUMNS with all at their largest. */
enum {
    SHAPE_MAX = 21,
    MODE_MAX = 23,
    INPUT_MAX = 12,
    VERDICT = 10,
    BITS = 8,
    FIGURE = 8,
    DIRECTION = 12
};

/* What feeds a case: its family, and its seed where the run has several; or files. */
static void write_input(const fsc__table *table, const cJSON *row, char *text, size_t bytes)
{
    const cJSON *seed = cJSON_GetObjectItemCaseSensitive(row, "seed");
    if (cJSON_GetObjectItemCaseSensitive(row, "tensors") != NULL)
        snprintf(text, bytes, "tensors");
    else
        snprintf(text, bytes, table->seeds ? "%s/%.0f" : "%s", fsc__row_text(row, "input"),
                 cJSON_GetNumberValue(seed));
}

static int wider(int width, const char *text, int most)
{
    const int length = (int)strlen(text);
    return length < width ? width : length < most ? length : most;
}

void fsc__table_init(fsc__table *table, fsc__page page, const cJSON *cases)
{
    *table = (fsc__table){.page = page, .shape = 5, .mode = 4, .input = 5};
    const cJSON *first =
        cJSON_GetObjectItemCaseSensitive(cases == NULL ? NULL : cases->child, "seed");
    const cJSON *c = NULL;
    cJSON_ArrayForEach(c, cases) table->seeds =
        table->seeds || !cJSON_Compare(first, cJSON_GetObjectItemCaseSensitive(c, "seed"), true);
    cJSON_ArrayForEach(c, cases)
    {
        char input[96];
        write_input(table, c, input, sizeof input);
        table->shape = wider(table->shape, fsc__row_text(c, "shape"), SHAPE_MAX);
        table->mode = wider(table->mode, fsc__row_text(c, "mode"), MODE_MAX);
        table->input = wider(table->input, input, INPUT_MAX);
    }
}

static void cell(const fsc__table *table, const char *text, int width)
{
    fprintf(table->page.out, " ");
    fsc__page_cell(&table->page, text, width);
}

static void print_titles(const fsc__table *table)
{
    fprintf(table->page.out, " ");
    cell(table, "shape", table->shape);
    cell(table, "mode", table->mode);
    cell(table, "input", table->input);
    cell(table, "verdict", VERDICT);
    cell(table, "bits off", BITS);
    cell(table, "fus-unf", FIGURE);
    cell(table, "err fus", FIGURE);
    cell(table, "err unf", FIGURE);
    fprintf(table->page.out, " nearer\n");
}

static void print_headings(fsc__table *table, const cJSON *row)
{
    const fsc__page *page = &table->page;
    const char *device = fsc__row_text(row, "device");
    const char *experiment = fsc__row_text(row, "experiment");
    if (table->cases == 0 || strcmp(device, table->device) != 0) {
        const char *driver = fsc__row_text(row, "driver");
        fprintf(page->out, "%s%s%s%s%s%s\n", table->cases == 0 ? "" : "\n", fsc__page_bold(page),
                device, driver[0] == '\0' ? "" : ", driver ", driver, fsc__page_plain(page));
        print_titles(table);
        table->experiment[0] = '\0';
    }
    snprintf(table->device, sizeof table->device, "%s", device);
    if (strcmp(experiment, table->experiment) != 0) {
        fprintf(page->out, "%s: %s\n", experiment, fsc__row_text(row, "graph"));
        table->skipped[0] = '\0';
    }
    snprintf(table->experiment, sizeof table->experiment, "%s", experiment);
}

/* Bits that differ from the prediction, both sides together. */
static void bits_off(const cJSON *row, char *text, size_t bytes)
{
    const cJSON *conformance = cJSON_GetObjectItemCaseSensitive(row, "conformance");
    const cJSON *side = NULL;
    double off = 0.0;
    snprintf(text, bytes, "-");
    cJSON_ArrayForEach(side, conformance)
    {
        off += cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(side, "bits_differ"));
        snprintf(text, bytes, "%.0f", off);
    }
}

/* "fused 3.1x" of "fused is nearer the truth, 3.1x", "fused exact" where it equals the truth,
   "fused finite" where the other is not finite. */
static void short_direction(const cJSON *row, char *text, size_t bytes)
{
    const char *direction = fsc__row_text(row, "direction");
    const char *factor = strstr(direction, ", ");
    const int word = (int)strcspn(direction, " :");
    if (direction[0] == '\0')
        snprintf(text, bytes, "-");
    else if (factor == NULL)
        snprintf(text, bytes, "%.*s", word, direction);
    else
        snprintf(text, bytes, "%.*s %s", word, direction,
                 strncmp(factor, ", which", 7) == 0    ? "exact"
                 : strncmp(factor, ", finite", 8) == 0 ? "finite"
                                                       : factor + 2);
}

static void print_line(const fsc__table *table, const cJSON *row)
{
    static const char *const comparisons[] = {"delta", "error_fused", "error_unfused"};
    const fsc__page *page = &table->page;
    const char *verdict = fsc__row_text(row, "verdict");
    char text[96];
    fprintf(page->out, " ");
    cell(table, fsc__row_text(row, "shape"), table->shape);
    cell(table, fsc__row_text(row, "mode"), table->mode);
    write_input(table, row, text, sizeof text);
    cell(table, text, table->input);
    fprintf(page->out, "%s", fsc__page_verdict(page, verdict));
    cell(table, verdict, VERDICT);
    fprintf(page->out, "%s", fsc__page_plain(page));
    bits_off(row, text, sizeof text);
    cell(table, text, BITS);
    for (size_t i = 0; i < sizeof comparisons / sizeof comparisons[0]; i++) {
        fsc__row_figure(row, comparisons[i], "rel_norm", text, sizeof text);
        cell(table, text, FIGURE);
    }
    short_direction(row, text, sizeof text);
    fprintf(page->out, " %.*s\n", DIRECTION, text);
}

static void print_failure(const fsc__table *table, const cJSON *row)
{
    const cJSON *limit = cJSON_GetObjectItemCaseSensitive(row, "limit");
    const char *missed = fsc__row_text(limit, "missed");
    fsc__page_wrap(&table->page, 6, "", fsc__row_text(row, "reason"));
    if (missed[0] != '\0')
        fsc__page_wrap(&table->page, 6, "limit missed: ", missed);
    fprintf(table->page.out, "      repro: %s\n", fsc__row_text(row, "repro"));
}

/* Once for a row of cases that are skipped for one reason. */
static void print_skipped(fsc__table *table, const char *reason)
{
    if (strncmp(reason, table->skipped, sizeof table->skipped - 1) == 0)
        return;
    fsc__page_wrap(&table->page, 6, "", reason);
    snprintf(table->skipped, sizeof table->skipped, "%s", reason);
}

void fsc__table_add(fsc__table *table, const cJSON *row)
{
    fsc__verdict verdict = FSC__ERROR;
    fsc__verdict_find(fsc__row_text(row, "verdict"), &verdict);
    print_headings(table, row);
    print_line(table, row);
    if (fsc__row_fails(row)) {
        print_failure(table, row);
        table->failed++;
    } else if (verdict == FSC__SKIPPED) {
        print_skipped(table, fsc__row_text(row, "reason"));
    }
    table->verdicts[verdict]++;
    table->cases++;
}

void fsc__table_end(const fsc__table *table)
{
    fprintf(table->page.out, "%srun: %d cases:", table->cases == 0 ? "" : "\n", table->cases);
    for (int i = 0; i < FSC__VERDICT_COUNT; i++)
        fprintf(table->page.out, "%s %d %s", i == 0 ? "" : ",", table->verdicts[i],
                fsc__verdict_name((fsc__verdict)i));
    fprintf(table->page.out, "\n");
}
