/* The text of a chain, item by item: a recursive-descent parser that checks each item against its
   op's row. */
#include "graph/chain.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

typedef struct parser {
    fsc__chain *chain; /* the item being read is items[count] */
    const char *at;
    fsc_error *why;
} parser;

enum { MAX_LISTED = 4 };

/* The value of an argument: a number, numbers joined by ":", or a word. */
typedef struct argument {
    bool is_number;
    double number, more[MAX_LISTED - 1];
    int more_count;
    char word[FSC__NAME_BYTES];
} argument;

fsc_status fsc__chain_fail(const fsc__chain *chain, int item, fsc_error *why, const char *format,
                           ...)
{
    char text[1400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const fsc__item *named = &chain->items[item];
    const int length = named->length < 80 ? named->length : 80;
    FSC_FAIL(why, FSC_ERR_INPUT, "graph \"%.200s\": item %d \"%.*s\": %s", chain->text, item + 1,
             length, named->text, text);
}

/* Fails at the place that the parser has reached. */
static fsc_status fail_here(const parser *p, const char *expected)
{
    const int column = (int)(p->at - p->chain->text) + 1;
    const char found[] = {'"', *p->at, '"', '\0'};
    FSC_FAIL(p->why, FSC_ERR_INPUT, "graph \"%.200s\": column %d: expected %s, found %s",
             p->chain->text, column, expected, *p->at ? found : "the end");
}

static void skip_blanks(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

/* Steps over the character if it comes next. */
static bool take(parser *p, char character)
{
    skip_blanks(p);
    if (*p->at != character)
        return false;
    p->at++;
    return true;
}

static bool starts_word(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static fsc_status parse_word(parser *p, const char *expected, char word[FSC__NAME_BYTES])
{
    skip_blanks(p);
    if (!starts_word(*p->at))
        return fail_here(p, expected);
    const char *begin = p->at;
    while (isalnum((unsigned char)*p->at) || *p->at == '_')
        p->at++;
    const size_t length = (size_t)(p->at - begin);
    if (length > FSC__CHAIN_NAME_LENGTH)
        FSC_FAIL(p->why, FSC_ERR_INPUT,
                 "graph \"%.200s\": the name \"%.*s\" is too long; names have at most %d "
                 "characters",
                 p->chain->text, (int)(length < 80 ? length : 80), begin, FSC__CHAIN_NAME_LENGTH);
    memcpy(word, begin, length);
    word[length] = '\0';
    return FSC_OK;
}

static fsc_status parse_number(parser *p, const char *expected, double *number)
{
    skip_blanks(p);
    char *end = NULL;
    *number = strtod(p->at, &end);
    if (end == p->at)
        return fail_here(p, expected);
    p->at = end;
    return FSC_OK;
}

static fsc_status parse_value(parser *p, argument *value)
{
    skip_blanks(p);
    *value = (argument){.is_number = !starts_word(*p->at)};
    if (!value->is_number)
        return parse_word(p, "a number or a name", value->word);
    FSC_TRY(parse_number(p, "a number or a name", &value->number));
    while (value->more_count < MAX_LISTED - 1 && take(p, ':'))
        FSC_TRY(parse_number(p, "a number", &value->more[value->more_count++]));
    return FSC_OK;
}

/* Fails for the item being read: `there is no op "gelo"; did you mean gelu? Allowed: add, ...`. */
static fsc_status fail_unknown(const parser *p, const char *what, const char *word,
                               const char *const *names, size_t count)
{
    fsc__text text = {0};
    const char *nearest = fsc__text_nearest(word, names, count);
    if (nearest)
        fsc__text_add(&text, "did you mean %s? ", nearest);
    fsc__text_add(&text, "Allowed: ");
    fsc__text_add_list(&text, names, count);
    const fsc_status status =
        fsc__chain_fail(p->chain, p->chain->count, p->why, "there is no %s \"%s\"; %s", what, word,
                        text.failed ? "" : text.data);
    fsc__text_deinit(&text);
    return status;
}

static bool takes_by(const fsc__op *op)
{
    return op->kind == FSC__OP_POINTWISE && op->inputs > 1;
}

/* inf, nan and the like: as a name it would be mistaken for the number. */
static bool names_number(const char *word)
{
    char *end = NULL;
    strtod(word, &end);
    return end != word && *end == '\0';
}

static fsc_status parse_operand(parser *p, fsc__item *item, const argument *value)
{
    const fsc__op *op = item->op;
    const int most = op->inputs - 1;
    if (most == 0)
        return fsc__chain_fail(p->chain, p->chain->count, p->why,
                               "%s works on the running value alone and takes no operand",
                               op->name);
    if (item->operand_count == most)
        return fsc__chain_fail(p->chain, p->chain->count, p->why,
                               "too many operands: %s takes %d after the running value", op->name,
                               most);
    if (value->is_number && op->kind != FSC__OP_POINTWISE)
        return fsc__chain_fail(p->chain, p->chain->count, p->why,
                               "a number cannot be the operand %s of %s; give a name",
                               op->input[item->operand_count + 1].name, op->name);
    if (value->more_count > 0)
        return fsc__chain_fail(p->chain, p->chain->count, p->why,
                               "numbers joined by \":\" are for attributes that take several; an "
                               "operand is one number or a name");
    if (value->is_number && !isfinite((float)value->number))
        return fsc__chain_fail(p->chain, p->chain->count, p->why, "the number %g is no finite f32",
                               value->number);
    if (!value->is_number && names_number(value->word))
        return fsc__chain_fail(p->chain, p->chain->count, p->why,
                               "%s is no finite f32 and no name of a tensor", value->word);
    fsc__operand *operand = &item->operands[item->operand_count++];
    operand->literal = value->is_number;
    operand->number = (float)value->number;
    memcpy(operand->name, value->word, sizeof operand->name);
    return FSC_OK;
}

static fsc_status parse_by(parser *p, fsc__item *item, const argument *value)
{
    for (int i = 0; i < FSC__BY_COUNT && !value->is_number; i++) {
        if (strcmp(value->word, fsc__by_names[i]) == 0) {
            item->by = (fsc__by)i;
            item->has_by = true;
            return FSC_OK;
        }
    }
    if (value->is_number)
        return fsc__chain_fail(p->chain, p->chain->count, p->why,
                               "by= takes full, col, row, channel or scalar, not a number");
    return fail_unknown(p, "by", value->word, fsc__by_names, FSC__BY_COUNT);
}

/* An attribute that is one of some words. */
static fsc_status parse_word_attr(parser *p, fsc__item *item, const fsc__op_attr *attr,
                                  const argument *value)
{
    size_t count = 0;
    for (; attr->words[count]; count++) {
        if (!value->is_number && strcmp(value->word, attr->words[count]) == 0) {
            item->attr[attr->at] = (float)count;
            return FSC_OK;
        }
    }
    return fail_unknown(p, attr->name, value->is_number ? "" : value->word, attr->words, count);
}

static fsc_status fail_numbers(const parser *p, const fsc__op_attr *attr)
{
    char many[64] = "";
    if (attr->count > 1)
        snprintf(many, sizeof many, ", or %d of them joined by \":\"", attr->count);
    return fsc__chain_fail(p->chain, p->chain->count, p->why, "%s takes a %s from %g to %g%s",
                           attr->name, attr->whole ? "whole number" : "finite number", attr->low,
                           attr->high, many);
}

static fsc_status parse_attr(parser *p, fsc__item *item, int index, const argument *value)
{
    const fsc__op_attr *attr = &item->op->attr[index];
    item->given |= 1u << index;
    if (attr->words)
        return parse_word_attr(p, item, attr, value);
    const int given = 1 + value->more_count;
    if (!value->is_number || (given != 1 && given != attr->count))
        return fail_numbers(p, attr);
    for (int i = 0; i < attr->count; i++) {
        const double number = i == 0 || given == 1 ? value->number : value->more[i - 1];
        const bool fits = number >= attr->low && number <= attr->high && isfinite((float)number) &&
                          (!attr->whole || number == floor(number));
        if (!fits)
            return fail_numbers(p, attr);
        item->attr[attr->at + i] = (float)number;
    }
    return FSC_OK;
}

static fsc_status parse_keyed(parser *p, fsc__item *item, const char *key, const argument *value)
{
    const fsc__op *op = item->op;
    const char *allowed[FSC__OP_MAX_ATTRS + 2];
    size_t count = 0;
    int attr = -1;
    for (int i = 0; i < FSC__OP_MAX_ATTRS && op->attr[i].name; i++) {
        allowed[count++] = op->attr[i].name;
        if (strcmp(key, op->attr[i].name) == 0)
            attr = i;
    }
    if (attr >= 0)
        return parse_attr(p, item, attr, value);
    if (takes_by(op)) {
        allowed[count++] = "by";
        if (strcmp(key, "by") == 0)
            return parse_by(p, item, value);
    }
    allowed[count++] = "out";
    if (strcmp(key, "out") != 0)
        return fail_unknown(p, "argument", key, allowed, count);
    if (value->is_number)
        return fsc__chain_fail(p->chain, p->chain->count, p->why, "out= takes a name");
    memcpy(item->out, value->word, sizeof item->out);
    return FSC_OK;
}

/* One argument; keys_seen collects the keys in front of it, for duplicates. */
static fsc_status parse_argument(parser *p, fsc__item *item, char keys_seen[][FSC__NAME_BYTES],
                                 int *keys)
{
    argument value;
    FSC_TRY(parse_value(p, &value));
    if (value.is_number || !take(p, '='))
        return parse_operand(p, item, &value);
    char key[FSC__NAME_BYTES];
    memcpy(key, value.word, sizeof key);
    for (int i = 0; i < *keys; i++)
        if (strcmp(keys_seen[i], key) == 0)
            return fsc__chain_fail(p->chain, p->chain->count, p->why, "%s= is given twice", key);
    FSC_TRY(parse_value(p, &value));
    FSC_TRY(parse_keyed(p, item, key, &value));
    /* Only known keys come this far, so there are never more than an op has. */
    memcpy(keys_seen[(*keys)++], key, sizeof key);
    return FSC_OK;
}

/* An operand that is a number has no shape, so by= says nothing about it. */
static fsc_status check_item(const parser *p, const fsc__item *item)
{
    if (item->has_by && item->operand_count > 0 && item->operands[0].literal)
        return fsc__chain_fail(p->chain, p->chain->count, p->why,
                               "by= has no meaning for the number %g", item->operands[0].number);
    return FSC_OK;
}

/* Characters up to the '+' that ends the item, or to the end of the text. */
static int item_length(const char *text)
{
    int length = 0;
    for (int depth = 0; text[length] && (depth > 0 || text[length] != '+'); length++)
        depth += (text[length] == '(') - (text[length] == ')');
    while (length > 0 && text[length - 1] == ' ')
        length--;
    return length;
}

static fsc_status find_op(const parser *p, const char *name, const fsc__op **op)
{
    *op = fsc__op_find(name);
    if (*op)
        return FSC_OK;
    const size_t count = fsc__op_count();
    const char **names = fsc__alloc(count, sizeof *names);
    if (!names)
        FSC_FAIL(p->why, FSC_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++)
        names[i] = fsc__op_at(i)->name;
    const fsc_status status = fail_unknown(p, "op", name, names, count);
    fsc__free(names);
    return status;
}

/* How new operands lie on the running value unless by= says so. */
static fsc__by usual_by(const fsc__op *op)
{
    const fsc__role role = op->input[1].role;
    if (role == FSC__ROLE_BIAS || role == FSC__ROLE_SCALE)
        return FSC__BY_COL;
    return role == FSC__ROLE_DATA ? FSC__BY_FULL : FSC__BY_CHANNEL;
}

static fsc_status parse_item(parser *p)
{
    skip_blanks(p);
    fsc__item *item = &p->chain->items[p->chain->count];
    *item = (fsc__item){.text = p->at, .length = item_length(p->at)};
    char name[FSC__NAME_BYTES];
    FSC_TRY(parse_word(p, "the name of an op", name));
    FSC_TRY(find_op(p, name, &item->op));
    item->by = usual_by(item->op);
    fsc__op_initial(item->op, item->attr);
    if (take(p, '(') && !take(p, ')')) {
        char keys_seen[FSC__OP_MAX_ATTRS + 2][FSC__NAME_BYTES];
        int keys = 0;
        do
            FSC_TRY(parse_argument(p, item, keys_seen, &keys));
        while (take(p, ','));
        if (!take(p, ')'))
            return fail_here(p, "\",\" or \")\"");
    }
    FSC_TRY(check_item(p, item));
    p->chain->count++;
    return FSC_OK;
}

fsc_status fsc__chain_parse(const char *text, fsc__chain *chain, fsc_error *why)
{
    size_t most = 1;
    for (const char *c = text; *c; c++)
        most += *c == '+';
    fsc__chain parsed = {.text = text, .items = fsc__alloc(most, sizeof *parsed.items)};
    if (!parsed.items)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory");
    parser p = {.chain = &parsed, .at = text, .why = why};
    fsc_status status = FSC_OK;
    do
        FSC_GO(parse_item(&p));
    while (take(&p, '+'));
    skip_blanks(&p);
    if (*p.at)
        FSC_GO(fail_here(&p, "\"+\" or the end"));
    *chain = parsed;
    return FSC_OK;
done:
    fsc__chain_deinit(&parsed);
    return status;
}

void fsc__chain_deinit(fsc__chain *chain)
{
    fsc__free(chain->items);
    *chain = (fsc__chain){0};
}
