/* Arguments by popt: help, unknown words, numbers. */
#include "cli/cli.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { NAMES_MAX = 24 };

void fsc__options_init(fsc__options *opts, const fsc__usage *usage, int argc, const char **argv)
{
    *opts = (fsc__options){.usage = usage};
    opts->context = poptGetContext("fusescope", argc, argv, usage->options, 0);
}

static void print_help(const fsc__options *opts)
{
    const fsc__usage *usage = opts->usage;
    printf("Usage: fusescope %s %s\n\n%s\n\nOptions:\n", usage->name, usage->words, usage->what);
    for (const struct poptOption *o = usage->options; o->longName != NULL; o++) {
        char name[64];
        const char *value = o->argDescrip == NULL ? "" : o->argDescrip;
        if (o->shortName != '\0')
            snprintf(name, sizeof name, "-%c, --%s", o->shortName, o->longName);
        else
            snprintf(name, sizeof name, "--%s%s%s", o->longName, *value ? " " : "", value);
        printf("  %-26s %s\n", name, o->descrip);
    }
    printf("\nExample:\n  %s\n", usage->example);
}

/* Says which option is unknown, and the nearest one. */
static void complain(const fsc__options *opts, int code)
{
    char word[128];
    const char *names[NAMES_MAX];
    size_t count = 0;
    const char *bad = poptBadOption(opts->context, POPT_BADOPTION_NOALIAS);
    snprintf(word, sizeof word, "%s", bad == NULL ? "" : bad);
    if (code != POPT_ERROR_BADOPT) {
        fsc__options_wrong(opts, "%s: %s", word, poptStrerror(code));
        return;
    }
    word[strcspn(word, "=")] = '\0';
    for (const struct poptOption *o = opts->usage->options; o->longName != NULL; o++)
        if (count < NAMES_MAX)
            names[count++] = o->longName;
    const char *near = fsc__text_nearest(word + strspn(word, "-"), names, count);
    if (near != NULL)
        fsc__options_wrong(opts, "unknown option %s; did you mean --%s?", word, near);
    else
        fsc__options_wrong(opts, "unknown option %s", word);
}

int fsc__options_next(fsc__options *opts)
{
    free((char *)(uintptr_t)opts->value);
    opts->value = NULL;
    const int code = poptGetNextOpt(opts->context);
    if (code == -1)
        return FSC__OPTIONS_END;
    if (code < -1) {
        complain(opts, code);
        return FSC__OPTIONS_BAD;
    }
    if (code == 'h') {
        print_help(opts);
        return FSC__OPTIONS_HELP;
    }
    opts->value = poptGetOptArg(opts->context);
    return code;
}

const char *fsc__options_word(fsc__options *opts)
{
    return poptGetArg(opts->context);
}

void fsc__options_deinit(fsc__options *opts)
{
    free((char *)(uintptr_t)opts->value);
    opts->value = NULL;
    opts->context = poptFreeContext(opts->context);
}

fsc__exit fsc__options_stop(fsc__options *opts, int code)
{
    fsc__options_deinit(opts);
    return code == FSC__OPTIONS_BAD ? FSC__EXIT_USAGE : FSC__EXIT_FINE;
}

fsc__exit fsc__options_wrong(const fsc__options *opts, const char *format, ...)
{
    const char *name = opts->usage->name;
    va_list values;
    va_start(values, format);
    fprintf(stderr, "fusescope %s: ", name);
    vfprintf(stderr, format, values);
    va_end(values);
    fprintf(stderr, "\nfusescope %s -h shows how it is used\n", name);
    return FSC__EXIT_USAGE;
}

bool fsc__options_number(const char *text, int64_t high, int64_t *number)
{
    int64_t value = 0;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        const int digit = *text - '0';
        if (digit < 0 || digit > 9 || value > (high - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    *number = value;
    return true;
}
