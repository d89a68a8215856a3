/* The report of one case: plan, verdict, three comparisons, direction, repro. */
#include "report/detail.h"

#include <string.h>

enum { LABEL = 11 };

static const cJSON *member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static void line(const fsc__page *page, const char *label, const char *text)
{
    char first[LABEL + 2];
    snprintf(first, sizeof first, "%-*s", LABEL, label);
    fsc__page_wrap(page, 0, first, text);
}

static void print_identity(const fsc__page *page, const cJSON *row)
{
    char text[512];
    const char *mode = fsc__row_text(row, "mode");
    const char *unfused = fsc__row_text(row, "unfused_mode");
    const bool same = strcmp(mode, unfused) == 0;
    snprintf(text, sizeof text, "%s on %s", fsc__row_text(row, "graph"),
             fsc__row_text(row, "shape"));
    line(page, "graph", text);
    snprintf(text, sizeof text, "%s%s%s; input %s, seed %.0f", mode, same ? "" : " against ",
             same ? "" : unfused, fsc__row_text(row, "input"),
             cJSON_GetNumberValue(member(row, "seed")));
    line(page, "mode", text);
    snprintf(text, sizeof text, "%s, driver %s", fsc__row_text(row, "device"),
             fsc__row_text(row, "driver"));
    line(page, "device", text);
}

static void print_plan(const fsc__page *page, const cJSON *row)
{
    const cJSON *fused = member(member(row, "plan"), "fused");
    const cJSON *decision = NULL;
    if (fused == NULL)
        return;
    line(page, "plan", fsc__row_text(fused, "groups"));
    cJSON_ArrayForEach(decision, member(fused, "decisions"))
    {
        char first[128];
        const bool fired = cJSON_IsTrue(member(decision, "fired"));
        snprintf(first, sizeof first, "%s  %s at %s: ", fired ? "fired" : "not  ",
                 fsc__row_text(decision, "rule"), fsc__row_text(decision, "at"));
        fsc__page_wrap(page, 2, first, fsc__row_text(decision, "reason"));
    }
    line(page, "unfused", fsc__row_text(member(member(row, "plan"), "unfused"), "groups"));
}

static void print_kernels(const fsc__page *page, const cJSON *row)
{
    static const char *const sides[] = {"fused", "unfused"};
    for (int i = 0; i < 2; i++) {
        char names[512] = "";
        const cJSON *name = NULL;
        cJSON_ArrayForEach(name, member(member(row, "kernels"), sides[i]))
        {
            const size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", used == 0 ? "" : ", ",
                     name->valuestring);
        }
        if (names[0] != '\0') {
            char text[640];
            snprintf(text, sizeof text, "%s: %s", sides[i], names);
            line(page, i == 0 ? "kernels" : "", text);
        }
    }
}

/* Where the worst element of a comparison is, and both its values. */
static void print_worst(const fsc__page *page, const cJSON *metrics)
{
    const cJSON *worst = member(metrics, "worst");
    if (cJSON_GetNumberValue(worst) >= 0.0 &&
        cJSON_GetNumberValue(member(metrics, "max_abs")) != 0.0)
        fprintf(page->out, "  worst %.0f: %.9g for %.9g", cJSON_GetNumberValue(worst),
                cJSON_GetNumberValue(member(metrics, "worst_got")),
                cJSON_GetNumberValue(member(metrics, "worst_want")));
    fprintf(page->out, "\n");
}

static void print_comparison(const fsc__page *page, const cJSON *row, const char *name,
                             const char *path, const cJSON *metrics)
{
    static const char *const keys[] = {"max_ulp", "max_abs", "rel_norm", "rel_norm_channel",
                                       "rmse"};
    const double differ = cJSON_GetNumberValue(member(metrics, "bits_differ"));
    char text[32];
    fprintf(page->out, "  %-22s", name);
    snprintf(text, sizeof text, differ < 0.0 ? "-" : "%.0f", differ);
    fprintf(page->out, " %9s", text);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        fsc__row_figure(row, path, keys[i], text, sizeof text);
        fprintf(page->out, " %8s", text);
    }
    print_worst(page, metrics);
}

static void print_comparisons(const fsc__page *page, const cJSON *row)
{
    const cJSON *conformance = member(row, "conformance");
    if (!cJSON_IsObject(conformance))
        return;
    fprintf(page->out, "\n  %-22s %9s %8s %8s %8s %8s %8s\n", "", "bits off", "max ulp", "max abs",
            "rel_norm", "channel", "rmse");
    print_comparison(page, row, "fused - predicted", "conformance/fused",
                     member(conformance, "fused"));
    print_comparison(page, row, "unfused - predicted", "conformance/unfused",
                     member(conformance, "unfused"));
    print_comparison(page, row, "fused - unfused", "delta", member(row, "delta"));
    print_comparison(page, row, "fused - truth", "error_fused", member(row, "error_fused"));
    print_comparison(page, row, "unfused - truth", "error_unfused", member(row, "error_unfused"));
    fprintf(page->out, "  of %.0f elements\n\n",
            cJSON_GetNumberValue(member(member(row, "delta"), "elems")));
}

void fsc__detail_print(const fsc__page *page, const cJSON *row)
{
    const char *verdict = fsc__row_text(row, "verdict");
    const char *direction = fsc__row_text(row, "direction");
    const cJSON *limit = member(row, "limit");
    print_identity(page, row);
    print_plan(page, row);
    print_kernels(page, row);
    print_comparisons(page, row);
    char first[64];
    snprintf(first, sizeof first, "%-*s%s%s%s: ", LABEL, "verdict",
             fsc__page_verdict(page, verdict), verdict, fsc__page_plain(page));
    fsc__page_wrap(page, 0, first, fsc__row_text(row, "reason"));
    if (direction[0] != '\0')
        line(page, "direction", direction);
    if (limit != NULL)
        line(page, "limit",
             cJSON_IsTrue(member(limit, "met")) ? "met" : fsc__row_text(limit, "missed"));
    if (fsc__row_text(row, "log")[0] != '\0')
        fprintf(page->out, "driver's log:\n%s\n", fsc__row_text(row, "log"));
    fprintf(page->out, "%-*s%s\n", LABEL, "repro", fsc__row_text(row, "repro"));
}
