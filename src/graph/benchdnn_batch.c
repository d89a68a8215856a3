/* Batch files of benchdnn: a problem a line. */
#include "graph/benchdnn.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r");
}

/* The end of the word at `at`; blanks in double quotes belong to it. */
static const char *word_end(const char *at)
{
    bool quoted = false;
    for (; *at && (quoted || !strchr(" \t\r", *at)); at++)
        quoted = quoted != (*at == '"');
    return at;
}

static fsc_status check_problem(const char *text, int64_t *weight, fsc_error *why)
{
    fsc__benchdnn problem;
    fsc__shape_parts parts;
    if (fsc__benchdnn_is(text)) {
        FSC_TRY(fsc__benchdnn_parse(text, &problem, why));
        *weight = problem.weight;
        return FSC_OK;
    }
    FSC_TRY(fsc__shape_parse(text, &parts, why));
    *weight = parts.weight;
    return FSC_OK;
}

/* What follows a problem: nothing, a weight, a comment. */
static fsc_status parse_rest(const char *line, const char *at, int64_t *weight, fsc_error *why)
{
    if (*at == '*') {
        const char *end = at + 1 + strcspn(at + 1, " \t\r#");
        const int64_t given = fsc__shape_weight(at + 1, (size_t)(end - at - 1));
        if (given == 0)
            FSC_FAIL(why, FSC_ERR_INPUT, "column %d: a weight is *1 to *1000000",
                     (int)(at - line) + 1);
        if (*weight > 1)
            FSC_FAIL(why, FSC_ERR_INPUT, "column %d: the name says a weight already, *%lld",
                     (int)(at - line) + 1, (long long)*weight);
        *weight = given;
        at = skip_blanks(end);
    }
    if (*at && *at != '#')
        FSC_FAIL(why, FSC_ERR_INPUT,
                 "column %d: expected a weight such as *3, a comment from # on, or the end",
                 (int)(at - line) + 1);
    return FSC_OK;
}

/* A line that is no comment and not blank. made->text is the caller's. */
static fsc_status parse_line(const char *line, fsc__batch_line *made, fsc_error *why)
{
    const char *begin = skip_blanks(line), *end = word_end(begin);
    if (begin[0] == '-' && begin[1] == '-')
        FSC_FAIL(why, FSC_ERR_INPUT,
                 "column %d: options of benchdnn are not read; a line has a problem, such as "
                 "mb1ic64ih56oc64kh3ph1",
                 (int)(begin - line) + 1);
    made->text = fsc__alloc((size_t)(end - begin) + 1, 1);
    if (!made->text)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory");
    memcpy(made->text, begin, (size_t)(end - begin));
    made->text[end - begin] = '\0';
    FSC_TRY(check_problem(made->text, &made->weight, why));
    return parse_rest(line, skip_blanks(end), &made->weight, why);
}

/* Lines of data, which is cut at their ends. */
static fsc_status parse_lines(const char *path, char *data, fsc__batch *batch, fsc_error *why)
{
    int number = 0;
    for (char *line = data; line;) {
        char *next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        number++;
        const char *begin = skip_blanks(line);
        if (*begin && *begin != '#') {
            fsc__batch_line *made = &batch->lines[batch->count++];
            *made = (fsc__batch_line){.line = number};
            const fsc_status status = parse_line(line, made, why);
            if (status != FSC_OK) {
                fsc__error_prefix(why, "%s:%d: ", path, number);
                return status;
            }
        }
        line = next;
    }
    if (batch->count == 0)
        FSC_FAIL(why, FSC_ERR_INPUT, "%s has no problem in it", path);
    return FSC_OK;
}

fsc_status fsc__benchdnn_batch_read(const char *path, fsc__batch *batch, fsc_error *why)
{
    char *data = NULL;
    size_t bytes = 0, most = 1;
    fsc__batch read = {0};
    fsc_status status = FSC_OK;
    FSC_GO(fsc__file_read(path, &data, &bytes, why));
    if (memchr(data, '\0', bytes))
        FSC_GO(fsc__fail(why, FSC_ERR_INPUT, "%s is no text: it has a byte of 0", path));
    for (size_t i = 0; i < bytes; i++)
        most += data[i] == '\n';
    read.lines = fsc__alloc(most, sizeof *read.lines);
    if (!read.lines)
        FSC_GO(fsc__fail(why, FSC_ERR_MEMORY, "out of memory"));
    FSC_GO(parse_lines(path, data, &read, why));
    *batch = read;
    read = (fsc__batch){0};
done:
    fsc__benchdnn_batch_deinit(&read);
    fsc__free(data);
    return status;
}

void fsc__benchdnn_batch_deinit(fsc__batch *batch)
{
    for (int i = 0; i < batch->count; i++)
        fsc__free(batch->lines[i].text);
    fsc__free(batch->lines);
    *batch = (fsc__batch){0};
}
