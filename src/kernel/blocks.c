/* Cutting device text into blocks and following their names. */
#include "kernel/blocks.h"

#include <ctype.h>
#include <string.h>

#include "base/alloc.h"

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void advance(fsc__span *rest, size_t count)
{
    rest->at += count;
    rest->length -= count;
}

static bool starts(fsc__span rest, const char *prefix)
{
    const size_t length = strlen(prefix);
    return rest.length >= length && memcmp(rest.at, prefix, length) == 0;
}

static void skip_comment(fsc__span *rest)
{
    const bool line = rest->at[1] == '/';
    advance(rest, 2);
    while (rest->length > 0 && !starts(*rest, line ? "\n" : "*/"))
        advance(rest, 1);
    if (!line && rest->length > 0)
        advance(rest, 2);
}

bool fsc__span_token(fsc__span *rest, fsc__span *token)
{
    while (rest->length > 0) {
        if (starts(*rest, "/*") || starts(*rest, "//"))
            skip_comment(rest);
        else if (isspace((unsigned char)*rest->at) || *rest->at == '\\')
            advance(rest, 1);
        else
            break;
    }
    if (rest->length == 0)
        return false;
    *token = (fsc__span){rest->at, 1};
    const bool number = isdigit((unsigned char)*rest->at) != 0;
    if (*rest->at == '"')
        while (token->length < rest->length && rest->at[token->length++] != '\n')
            if (rest->at[token->length - 1] == '"' && token->length > 1)
                break;
    if (is_word(*rest->at))
        while (token->length < rest->length &&
               (is_word(rest->at[token->length]) || (number && rest->at[token->length] == '.')))
            token->length++;
    advance(rest, token->length);
    return true;
}

bool fsc__span_is(fsc__span token, const char *word)
{
    return token.length == strlen(word) && memcmp(token.at, word, token.length) == 0;
}

/* Room for one more element; the array, moved or not, or NULL with *failed set. */
static void *grown(void *array, int count, int *capacity, size_t bytes, bool *failed)
{
    if (*failed || count < *capacity)
        return *failed ? NULL : array;
    const int more = *capacity > 0 ? 2 * *capacity : 64;
    void *moved = fsc__realloc(array, (size_t)more, bytes);
    if (!moved) {
        *failed = true;
        return NULL;
    }
    *capacity = more;
    return moved;
}

static void add_name(fsc__blocks *blocks, fsc__span name)
{
    fsc__block_name *names = grown(blocks->names, blocks->name_count, &blocks->name_capacity,
                                   sizeof *names, &blocks->failed);
    if (!names || !is_word(*name.at))
        return;
    blocks->names = names;
    names[blocks->name_count++] = (fsc__block_name){name.at, name.length, blocks->count - 1};
}

/* Skips to the bracket that closes the one just read. */
static void skip_balanced(fsc__span *rest, const char *open, const char *close)
{
    fsc__span token;
    for (int depth = 1; depth > 0 && fsc__span_token(rest, &token);)
        depth += fsc__span_is(token, open) - fsc__span_is(token, close);
}

static void enum_names(fsc__blocks *blocks, fsc__span *rest)
{
    fsc__span token;
    bool name_next = true;
    while (fsc__span_token(rest, &token) && !fsc__span_is(token, "}")) {
        if (name_next)
            add_name(blocks, token);
        name_next = fsc__span_is(token, ",");
    }
}

/* Reads one declaration or definition and adds the name that it declares. */
static void declaration_name(fsc__blocks *blocks, fsc__span *rest)
{
    fsc__span token, last = {"", 0};
    bool named = false, of_enum = false;
    while (fsc__span_token(rest, &token)) {
        const bool call = fsc__span_is(token, "(");
        if (!named && last.length > 0 && (call || strchr("[=;", *token.at)) &&
            !fsc__span_is(last, "__attribute__")) {
            add_name(blocks, last);
            named = true;
        }
        if (call)
            skip_balanced(rest, "(", ")");
        of_enum |= fsc__span_is(token, "enum");
        if (fsc__span_is(token, "{") && of_enum)
            enum_names(blocks, rest);
        else if (fsc__span_is(token, "{"))
            skip_balanced(rest, "{", "}");
        if (fsc__span_is(token, ";") || (fsc__span_is(token, "{") && named))
            return;
        if (is_word(*token.at))
            last = token;
    }
}

static bool is_directive(fsc__span line, const char *word, fsc__span *argument)
{
    fsc__span token;
    if (!fsc__span_token(&line, &token) || !fsc__span_is(token, "#") ||
        !fsc__span_token(&line, &token) || !fsc__span_is(token, word))
        return false;
    if (!fsc__span_token(&line, argument))
        *argument = (fsc__span){"", 0};
    return true;
}

static fsc__span first_line(fsc__span rest)
{
    const char *end = memchr(rest.at, '\n', rest.length);
    return (fsc__span){rest.at, end ? (size_t)(end - rest.at) : rest.length};
}

/* Past a directive and its continued lines. */
static void skip_directive(fsc__span *rest)
{
    fsc__span line;
    do {
        line = first_line(*rest);
        advance(rest, line.length < rest->length ? line.length + 1 : line.length);
    } while (line.length > 0 && line.at[line.length - 1] == '\\');
}

static void add_names(fsc__blocks *blocks, fsc__span rest)
{
    fsc__span token, name;
    for (;;) {
        fsc__span ahead = rest;
        if (!fsc__span_token(&ahead, &token))
            return;
        if (fsc__span_is(token, "#")) {
            advance(&rest, (size_t)(token.at - rest.at));
            if (is_directive(first_line(rest), "define", &name))
                add_name(blocks, name);
            skip_directive(&rest);
        } else {
            declaration_name(blocks, &rest);
        }
    }
}

static void add_block(fsc__blocks *blocks, const char *file, int line, fsc__span text)
{
    fsc__block *at =
        grown(blocks->at, blocks->count, &blocks->capacity, sizeof *at, &blocks->failed);
    if (!at)
        return;
    blocks->at = at;
    at[blocks->count++] = (fsc__block){text.at, text.length, file, line, false};
    add_names(blocks, text);
}

void fsc__blocks_lines(fsc__blocks *blocks, const char *file, const char *text)
{
    fsc__span rest = {text, strlen(text)};
    for (int number = 1; rest.length > 0; number++) {
        const fsc__span line = first_line(rest);
        add_block(blocks, file, number, line);
        advance(&rest, line.length < rest.length ? line.length + 1 : line.length);
    }
}

typedef enum condition { GUARD, TAKEN, SKIPPED, ORDINARY } condition;

enum { DEEPEST = 16 };

/* Where the splitting of a file stands. */
typedef struct splitter {
    fsc__blocks *blocks;
    const char *file;
    fsc__span block; /* being collected; at NULL: none */
    int block_line;
    condition nest[DEEPEST];
    int depth;
    fsc__span guard;
    int braces;
    bool in_comment;
} splitter;

static void flush(splitter *s)
{
    if (s->block.at)
        add_block(s->blocks, s->file, s->block_line, s->block);
    s->block.at = NULL;
}

static bool inside(const splitter *s, condition which)
{
    for (int i = 0; i < s->depth && i < DEEPEST; i++)
        if (s->nest[i] == which)
            return true;
    return false;
}

static void enter(splitter *s, condition kind)
{
    if (s->depth < DEEPEST)
        s->nest[s->depth] = kind;
    s->depth++;
}

static bool ends_with(fsc__span word, const char *suffix)
{
    const size_t length = strlen(suffix);
    return word.length >= length && memcmp(word.at + word.length - length, suffix, length) == 0;
}

/* Follows conditionals. True when the line is not part of the text. */
static bool directive_vanishes(splitter *s, fsc__span line)
{
    fsc__span argument;
    if (is_directive(line, "ifndef", &argument) || is_directive(line, "ifdef", &argument)) {
        const bool negated = is_directive(line, "ifndef", &argument);
        if (negated && s->depth == 0 && ends_with(argument, "_H")) {
            enter(s, GUARD);
            s->guard = argument;
            return true;
        }
        if (fsc__span_is(argument, "__OPENCL_VERSION__")) {
            enter(s, negated ? SKIPPED : TAKEN);
            return true;
        }
        enter(s, ORDINARY);
        return false;
    }
    if (is_directive(line, "if", &argument))
        enter(s, ORDINARY);
    condition *top = s->depth > 0 && s->depth <= DEEPEST ? &s->nest[s->depth - 1] : NULL;
    if (top && *top != ORDINARY && is_directive(line, "else", &argument)) {
        *top = *top == SKIPPED ? TAKEN : SKIPPED;
        return true;
    }
    if (top && is_directive(line, "endif", &argument)) {
        s->depth--;
        return *top != ORDINARY;
    }
    return is_directive(line, "include", &argument) ||
           (is_directive(line, "define", &argument) && argument.length == s->guard.length &&
            memcmp(argument.at, s->guard.at, argument.length) == 0);
}

/* Follows comments and braces across the line. */
static void follow(splitter *s, fsc__span line)
{
    for (size_t i = 0; i < line.length; i++) {
        const fsc__span rest = {line.at + i, line.length - i};
        if (s->in_comment && starts(rest, "*/")) {
            s->in_comment = false;
            i++;
        } else if (!s->in_comment && starts(rest, "/*")) {
            s->in_comment = true;
            i++;
        } else if (!s->in_comment && starts(rest, "//")) {
            return;
        } else if (!s->in_comment) {
            s->braces += (line.at[i] == '{') - (line.at[i] == '}');
        }
    }
}

void fsc__blocks_split(fsc__blocks *blocks, const char *file, const char *text)
{
    splitter s = {.blocks = blocks, .file = file};
    fsc__span rest = {text, strlen(text)};
    for (int number = 1; rest.length > 0; number++) {
        const fsc__span line = first_line(rest);
        advance(&rest, line.length < rest.length ? line.length + 1 : line.length);
        const bool blank = strspn(line.at, " \t\r") >= line.length;
        const bool vanishes = !s.in_comment && directive_vanishes(&s, line);
        if (vanishes || inside(&s, SKIPPED)) {
            flush(&s);
            continue;
        }
        if (blank && s.braces == 0 && !s.in_comment && !inside(&s, ORDINARY)) {
            flush(&s);
            continue;
        }
        follow(&s, line);
        if (!s.block.at) {
            s.block = line;
            s.block_line = number;
        }
        s.block.length = (size_t)(line.at + line.length - s.block.at);
    }
    flush(&s);
}

void fsc__blocks_keep(fsc__blocks *blocks, int block)
{
    if (blocks->at[block].kept)
        return;
    blocks->at[block].kept = true;
    fsc__blocks_keep_mentioned(blocks, blocks->at[block].text, blocks->at[block].length);
}

void fsc__blocks_keep_mentioned(fsc__blocks *blocks, const char *text, size_t length)
{
    fsc__span rest = {text, length}, token;
    while (fsc__span_token(&rest, &token)) {
        if (!is_word(*token.at))
            continue;
        for (int i = 0; i < blocks->name_count; i++) {
            const fsc__block_name *name = &blocks->names[i];
            if (name->length == token.length && memcmp(name->at, token.at, token.length) == 0)
                fsc__blocks_keep(blocks, name->block);
        }
    }
}

bool fsc__blocks_defines(const fsc__blocks *blocks, int block)
{
    for (int i = 0; i < blocks->name_count; i++)
        if (blocks->names[i].block == block)
            return true;
    return false;
}

void fsc__blocks_deinit(fsc__blocks *blocks)
{
    fsc__free(blocks->at);
    fsc__free(blocks->names);
    *blocks = (fsc__blocks){0};
}
