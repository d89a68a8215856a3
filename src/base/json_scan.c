/* Checks text against the JSON grammar, so that errors name the line and the column. */
#include "base/json_scan.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_NUMBER = 60 }; /* cJSON cuts numbers at 63 characters */

/* What may come next. */
typedef enum expectation {
    VALUE,
    FIRST_ITEM,
    FIRST_KEY,
    KEY,
    COLON,
    AFTER_ITEM,
    AFTER_MEMBER,
    END
} expectation;

static const char *const expectation_texts[] = {
    [VALUE] = "a value",
    [FIRST_ITEM] = "a value or ']'",
    [FIRST_KEY] = "a key in double quotes or '}'",
    [KEY] = "a key in double quotes",
    [COLON] = "':'",
    [AFTER_ITEM] = "',' or ']'",
    [AFTER_MEMBER] = "',' or '}'",
    [END] = "nothing after the value",
};

typedef struct scanner {
    const char *name, *text;
    size_t bytes, at;
    expectation next;
    size_t opened[FSC__JSON_DEEPEST]; /* offsets of the brackets that are open */
    int depth;
    fsc_error *why;
} scanner;

static size_t line_of(const scanner *scan, size_t offset)
{
    size_t line = 1;
    for (size_t i = 0; i < offset; i++)
        line += scan->text[i] == '\n';
    return line;
}

static fsc_status fail_at(const scanner *scan, size_t offset, const char *format, ...)
    FSC_PRINTF(3, 4);

static fsc_status fail_at(const scanner *scan, size_t offset, const char *format, ...)
{
    size_t column = 1;
    for (size_t i = offset; i > 0 && scan->text[i - 1] != '\n'; i--)
        column += ((unsigned char)scan->text[i - 1] & 0xC0) != 0x80; /* not a continuation byte */
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    FSC_FAIL(scan->why, FSC_ERR_INPUT, "%s:%zu:%zu: %s", scan->name, line_of(scan, offset), column,
             text);
}

/* Length of the UTF-8 sequence at text, 0 when it is not one (RFC 3629). */
static size_t utf8_length(const unsigned char *text, size_t left)
{
    static const struct {
        unsigned char low, high; /* of the first byte */
        unsigned char second_low, second_high;
        size_t length;
    } forms[] = {
        {0x00, 0x7F, 0x00, 0x00, 1}, {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
        {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
        {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (text[0] < forms[i].low || text[0] > forms[i].high)
            continue;
        const size_t length = forms[i].length;
        if (length > left)
            return 0;
        if (length > 1 && (text[1] < forms[i].second_low || text[1] > forms[i].second_high))
            return 0;
        for (size_t j = 2; j < length; j++) {
            if (text[j] < 0x80 || text[j] > 0xBF)
                return 0;
        }
        return length;
    }
    return 0;
}

static fsc_status check_utf8(const scanner *scan)
{
    for (size_t at = 0; at < scan->bytes;) {
        const unsigned char *here = (const unsigned char *)scan->text + at;
        const size_t length = utf8_length(here, scan->bytes - at);
        if (length == 0)
            return fail_at(scan, at, "byte 0x%02x is not valid UTF-8", *here);
        at += length;
    }
    return FSC_OK;
}

/* The character at `at`, 0 at the end of the text. A NUL in the text is refused wherever it is
   read, so the two need not be told apart. */
static char peek(const scanner *scan)
{
    return scan->at < scan->bytes ? scan->text[scan->at] : '\0';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static fsc_status fail_unexpected(const scanner *scan)
{
    const char *wanted = expectation_texts[scan->next];
    const unsigned char c = (unsigned char)peek(scan);
    if (scan->at == scan->bytes && scan->depth == 0)
        return fail_at(scan, scan->at, "the text is empty; a JSON value is needed");
    if (scan->at == scan->bytes) {
        const size_t opened = scan->opened[scan->depth - 1];
        return fail_at(scan, scan->at, "the text ends too early: expected %s, for '%c' of line %zu",
                       wanted, scan->text[opened], line_of(scan, opened));
    }
    if (c > 0x20 && c < 0x7F)
        return fail_at(scan, scan->at, "expected %s, not '%c'", wanted, c);
    return fail_at(scan, scan->at, "expected %s, not byte 0x%02x", wanted, c);
}

/* The four hex digits at offset, or -1. */
static int32_t hex4(const scanner *scan, size_t offset)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    int32_t value = 0;
    for (size_t i = offset; i < offset + 4; i++) {
        const char *digit =
            i < scan->bytes && scan->text[i] != '\0' ? strchr(digits, scan->text[i]) : NULL;
        if (!digit)
            return -1;
        value = value * 16 + (int32_t)((digit - digits) % 16);
    }
    return value;
}

/* A \uXXXX escape, or a pair of them, at scan->at. */
static fsc_status scan_unicode_escape(scanner *scan)
{
    const int32_t unit = hex4(scan, scan->at + 2);
    if (unit < 0)
        return fail_at(scan, scan->at, "\\u needs four hexadecimal digits");
    if (unit == 0)
        return fail_at(scan, scan->at, "\\u0000 is not allowed in a string");
    const size_t second = scan->at + 6;
    scan->at = second;
    if (unit < 0xD800 || unit > 0xDFFF)
        return FSC_OK;
    int32_t low = -1;
    if (second + 1 < scan->bytes && scan->text[second] == '\\' && scan->text[second + 1] == 'u')
        low = hex4(scan, second + 2);
    if (unit > 0xDBFF || low < 0xDC00 || low > 0xDFFF)
        return fail_at(scan, second - 6, "\\u%04x is half of a surrogate pair", (unsigned int)unit);
    scan->at = second + 6;
    return FSC_OK;
}

static fsc_status scan_string(scanner *scan)
{
    const size_t quote = scan->at++;
    while (scan->at < scan->bytes) {
        const char c = scan->text[scan->at];
        if (c == '"') {
            scan->at++;
            return FSC_OK;
        }
        if (c == '\n')
            return fail_at(scan, quote, "this string has no closing quote on its line");
        if ((unsigned char)c < 0x20)
            return fail_at(scan, scan->at, "byte 0x%02x in a string; write it as an escape",
                           (unsigned char)c);
        if (c != '\\') {
            scan->at++;
            continue;
        }
        const char escape = scan->at + 1 < scan->bytes ? scan->text[scan->at + 1] : '\0';
        if (escape == 'u')
            FSC_TRY(scan_unicode_escape(scan));
        else if (escape != '\0' && strchr("\"\\/bfnrt", escape))
            scan->at += 2;
        else
            return fail_at(scan, scan->at,
                           "unknown escape; allowed are \\\" \\\\ \\/ \\b \\f "
                           "\\n \\r \\t \\uXXXX");
    }
    return fail_at(scan, quote, "the text ends inside this string");
}

static fsc_status scan_digits(scanner *scan)
{
    if (!is_digit(peek(scan)))
        return fail_at(scan, scan->at, "a digit is missing in this number");
    while (is_digit(peek(scan)))
        scan->at++;
    return FSC_OK;
}

static fsc_status scan_number(scanner *scan)
{
    const size_t begin = scan->at;
    if (peek(scan) == '-')
        scan->at++;
    if (peek(scan) == '0' && scan->at + 1 < scan->bytes && is_digit(scan->text[scan->at + 1]))
        return fail_at(scan, scan->at, "a number does not start with 0 and another digit");
    FSC_TRY(scan_digits(scan));
    if (peek(scan) == '.') {
        scan->at++;
        FSC_TRY(scan_digits(scan));
    }
    if (peek(scan) == 'e' || peek(scan) == 'E') {
        scan->at++;
        if (peek(scan) == '+' || peek(scan) == '-')
            scan->at++;
        FSC_TRY(scan_digits(scan));
    }
    if (scan->at - begin > LONGEST_NUMBER)
        return fail_at(scan, begin, "this number has more than %d characters", LONGEST_NUMBER);
    return FSC_OK;
}

static fsc_status scan_word(scanner *scan)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t length = strlen(words[i]);
        if (scan->bytes - scan->at >= length &&
            memcmp(scan->text + scan->at, words[i], length) == 0) {
            scan->at += length;
            return FSC_OK;
        }
    }
    return fail_unexpected(scan);
}

static void after_value(scanner *scan)
{
    if (scan->depth == 0)
        scan->next = END;
    else
        scan->next = scan->text[scan->opened[scan->depth - 1]] == '[' ? AFTER_ITEM : AFTER_MEMBER;
}

static fsc_status scan_value(scanner *scan)
{
    const char c = peek(scan);
    if (c == '{' || c == '[') {
        if (scan->depth == FSC__JSON_DEEPEST)
            return fail_at(scan, scan->at, "nested deeper than %d levels", FSC__JSON_DEEPEST);
        scan->opened[scan->depth++] = scan->at++;
        scan->next = c == '{' ? FIRST_KEY : FIRST_ITEM;
        return FSC_OK;
    }
    if (c == '"')
        FSC_TRY(scan_string(scan));
    else if (c == '-' || is_digit(c))
        FSC_TRY(scan_number(scan));
    else
        FSC_TRY(scan_word(scan));
    after_value(scan);
    return FSC_OK;
}

/* One token; scan->at is on a character that is not blank. */
static fsc_status scan_token(scanner *scan)
{
    const expectation next = scan->next;
    const char c = peek(scan);
    const bool closes_array = c == ']' && (next == FIRST_ITEM || next == AFTER_ITEM);
    const bool closes_object = c == '}' && (next == FIRST_KEY || next == AFTER_MEMBER);
    if (closes_array || closes_object) {
        scan->at++;
        scan->depth--;
        after_value(scan);
    } else if (next == VALUE || next == FIRST_ITEM) {
        FSC_TRY(scan_value(scan));
    } else if (c == '"' && (next == KEY || next == FIRST_KEY)) {
        FSC_TRY(scan_string(scan));
        scan->next = COLON;
    } else if (c == ':' && next == COLON) {
        scan->at++;
        scan->next = VALUE;
    } else if (c == ',' && (next == AFTER_ITEM || next == AFTER_MEMBER)) {
        scan->at++;
        scan->next = next == AFTER_ITEM ? VALUE : KEY;
    } else {
        return fail_unexpected(scan);
    }
    return FSC_OK;
}

static void skip_blanks(scanner *scan)
{
    while (scan->at < scan->bytes && memchr(" \t\r\n", scan->text[scan->at], 4))
        scan->at++;
}

fsc_status fsc__json_scan(const char *name, const char *text, size_t bytes, fsc_error *why)
{
    scanner scan = {.name = name, .text = text, .bytes = bytes, .next = VALUE, .why = why};
    FSC_TRY(check_utf8(&scan));
    if (bytes >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        scan.at = 3; /* a byte order mark, which some editors write */
    skip_blanks(&scan);
    while (scan.at < scan.bytes || scan.next != END) {
        FSC_TRY(scan_token(&scan));
        skip_blanks(&scan);
    }
    return FSC_OK;
}
