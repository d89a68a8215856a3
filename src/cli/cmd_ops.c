/* `fusescope ops`: the table of ops. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "graph/op.h"

static const struct poptOption options[] = {FSC__OPTION_HELP};

static const fsc__usage usage = {
    .name = "ops",
    .words = "",
    .what = "Prints the ops that graphs are made of: inputs, attributes with their defaults, the\n"
            "measured maximum error of the f32 result in ULP, and what they do.",
    .example = "fusescope ops",
    .options = options,
};

/* "x w" for the inputs of matmul. */
static void write_inputs(const fsc__op *op, char *text, size_t bytes)
{
    text[0] = '\0';
    for (int i = 0; i < op->inputs; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, bytes - used, "%s%s", i == 0 ? "" : " ",
                 op->input[i].name == NULL ? "x" : op->input[i].name);
    }
}

/* "eps=1e-05" */
static void write_attributes(const fsc__op *op, char *text, size_t bytes)
{
    snprintf(text, bytes, op->attr[0].name == NULL ? "-" : "");
    for (int i = 0; i < FSC__OP_MAX_ATTRS && op->attr[i].name != NULL; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, bytes - used, "%s%s=%g", i == 0 ? "" : " ", op->attr[i].name,
                 op->attr[i].initial);
    }
}

static void print_op(const fsc__page *page, const fsc__op *op)
{
    char inputs[96];
    char attributes[96];
    char ulp[24];
    char first[256];
    write_inputs(op, inputs, sizeof inputs);
    write_attributes(op, attributes, sizeof attributes);
    snprintf(ulp, sizeof ulp, op->kind == FSC__OP_POINTWISE ? "%g" : "-", op->ulp);
    snprintf(first, sizeof first, "%-10s %-14s %-18s %4s  ", op->name, inputs, attributes, ulp);
    fsc__page_wrap(page, 0, first, op->note == NULL ? "" : op->note);
}

fsc__exit fsc__cmd_ops(const fsc__environment *env, int argc, const char **argv)
{
    fsc__options opts;
    fsc__options_init(&opts, &usage, argc, argv);
    const int code = fsc__options_next(&opts);
    const char *extra = code == FSC__OPTIONS_END ? fsc__options_word(&opts) : NULL;
    if (extra != NULL)
        fsc__options_wrong(&opts, "\"%s\" is not expected", extra);
    const fsc__exit stopped = fsc__options_stop(&opts, extra != NULL ? FSC__OPTIONS_BAD : code);
    if (code != FSC__OPTIONS_END || extra != NULL)
        return stopped;
    const fsc__page page = fsc__stdout_page(env);
    printf("%-10s %-14s %-18s %4s  %s\n", "op", "inputs", "attributes", "ulp", "");
    for (size_t i = 0; i < fsc__op_count(); i++)
        print_op(&page, fsc__op_at(i));
    return FSC__EXIT_FINE;
}
