/* Building the row of a case. */
#include "case/row.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "case/case.h"

enum { LOG_BYTES = 8192 }; /* of a driver's log that a row keeps */

/* An object under construction; failed once memory ran out. */
typedef struct builder {
    cJSON *object;
    bool failed;
} builder;

static void add(builder *b, const char *key, cJSON *item)
{
    if (item != NULL && cJSON_AddItemToObject(b->object, key, item))
        return;
    cJSON_Delete(item);
    b->failed = true;
}

static void add_text(builder *b, const char *key, const char *text)
{
    add(b, key, text == NULL ? cJSON_CreateNull() : cJSON_CreateString(text));
}

static void add_number(builder *b, const char *key, double number)
{
    add(b, key, cJSON_CreateNumber(number));
}

static builder start(void)
{
    builder b = {.object = cJSON_CreateObject()};
    b.failed = b.object == NULL;
    return b;
}

/* The object, or NULL after a failure. */
static cJSON *finish(builder *b)
{
    if (!b->failed)
        return b->object;
    cJSON_Delete(b->object);
    return NULL;
}

static void add_identity(builder *b, const fsc__outcome *outcome)
{
    static const char *const given[] = {"id",   "experiment",   "graph", "shape",
                                        "mode", "unfused_mode", "input", "seed"};
    const cJSON *json = outcome->json;
    const cJSON *mode = cJSON_GetObjectItemCaseSensitive(json, "mode");
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, given[i]);
        if (item == NULL && strcmp(given[i], "unfused_mode") == 0)
            item = mode;
        add(b, given[i], item == NULL ? cJSON_CreateNull() : cJSON_Duplicate(item, true));
    }
    add_text(b, "device", outcome->device);
    add_text(b, "driver", outcome->driver);
}

static cJSON *decision_json(const fsc__plan *plan, const fsc__decision *decision)
{
    builder b = start();
    char at[96];
    snprintf(at, sizeof at, "%s -> %s", plan->graph->nodes[decision->before].op->name,
             plan->graph->nodes[decision->after].op->name);
    add_text(&b, "rule", decision->rule);
    add_text(&b, "at", at);
    add(&b, "fired", cJSON_CreateBool(decision->fired));
    add_text(&b, "reason", decision->reason);
    return finish(&b);
}

static cJSON *plan_json(const fsc__plan *plan)
{
    builder b = start();
    fsc__text groups = {0};
    fsc__plan_write(plan, &groups);
    b.failed = b.failed || groups.failed;
    add_text(&b, "groups", groups.data);
    fsc__text_deinit(&groups);
    cJSON *decisions = cJSON_CreateArray();
    add(&b, "decisions", decisions);
    for (int i = 0; i < plan->decision_count && !b.failed; i++) {
        cJSON *item = decision_json(plan, &plan->decisions[i]);
        if (item == NULL || !cJSON_AddItemToArray(decisions, item))
            b.failed = true;
    }
    return finish(&b);
}

static cJSON *pair(cJSON *fused, cJSON *unfused)
{
    builder b = start();
    add(&b, "fused", fused);
    add(&b, "unfused", unfused);
    return finish(&b);
}

static cJSON *plans_json(const fsc__outcome *outcome)
{
    return pair(plan_json(outcome->fused.plan), plan_json(outcome->unfused.plan));
}

static cJSON *kernels_json(const fsc__outcome *outcome)
{
    return pair(cJSON_Duplicate(outcome->fused.kernels, true),
                cJSON_Duplicate(outcome->unfused.kernels, true));
}

/* Conformance of one side, with the outputs that a quirk of the device changed. */
static cJSON *conformance_json(const fsc_metrics *metrics, const fsc__side *side)
{
    builder b = {.object = fsc__metrics_json(metrics)};
    b.failed = b.object == NULL;
    add_number(&b, "flushed", (double)side->flushed);
    return finish(&b);
}

static cJSON *side_times(const fsc__side *side)
{
    builder b = start();
    add_number(&b, "build_ns", (double)side->times.build_ns);
    add_number(&b, "pack_ns", (double)side->times.pack_ns);
    add_number(&b, "kernel_ns", (double)side->times.kernel_ns);
    add_number(&b, "transfer_ns", (double)side->times.transfer_ns);
    add_number(&b, "predict_ns", (double)side->predict_ns);
    add_number(&b, "truth_ns", (double)side->truth_ns);
    add_number(&b, "kernels", side->times.kernels);
    add_number(&b, "cached", side->times.cached);
    return finish(&b);
}

static cJSON *bits_of(const fsc_tensor *tensor)
{
    char hex[33];
    const size_t bytes = (size_t)fsc__shape_elems(&tensor->shape) * fsc__dtype_bytes(tensor->type);
    fsc__hash_hex(tensor->data, bytes, hex);
    return cJSON_CreateString(hex);
}

static void add_judgement(builder *b, const fsc__outcome *outcome)
{
    const fsc__judged *m = &outcome->metrics;
    add(b, "conformance",
        pair(conformance_json(&m->conformance, &outcome->fused),
             conformance_json(&m->conformance_unfused, &outcome->unfused)));
    add(b, "delta", fsc__metrics_json(&m->delta));
    add(b, "error_fused", fsc__metrics_json(&m->error_fused));
    add(b, "error_unfused", fsc__metrics_json(&m->error_unfused));
    add_text(b, "direction", outcome->direction);
    add(b, "times", pair(side_times(&outcome->fused), side_times(&outcome->unfused)));
}

static cJSON *limit_json(const fsc__outcome *outcome)
{
    builder b = start();
    add_text(&b, "of", outcome->limit.of_error ? "error" : "delta");
    add(&b, "met", cJSON_CreateBool(outcome->limit_met));
    if (!outcome->limit_met)
        add_text(&b, "missed", outcome->missed);
    return finish(&b);
}

static void add_extras(builder *b, const fsc__outcome *outcome)
{
    const cJSON *tensors = cJSON_GetObjectItemCaseSensitive(outcome->json, "tensors");
    if (tensors != NULL)
        add(b, "tensors", cJSON_Duplicate(tensors, true));
    if (outcome->judged)
        add(b, "bits", pair(bits_of(&outcome->fused.got), bits_of(&outcome->unfused.got)));
    if (outcome->judged && outcome->limit.set)
        add(b, "limit", limit_json(outcome));
    if (outcome->log.length > 0) {
        fsc__text cut = {0};
        fsc__text_add_bytes(&cut, outcome->log.data,
                            outcome->log.length < LOG_BYTES ? outcome->log.length : LOG_BYTES);
        b->failed = b->failed || cut.failed;
        add_text(b, "log", cut.data);
        fsc__text_deinit(&cut);
    }
}

cJSON *fsc__row_create(const fsc__outcome *outcome)
{
    static const char *const judged_keys[] = {"conformance",   "delta",     "error_fused",
                                              "error_unfused", "direction", "times"};
    builder b = start();
    fsc__text repro = {0};
    const bool planned = outcome->fused.plan != NULL && outcome->unfused.plan != NULL;
    add_identity(&b, outcome);
    add(&b, "plan", planned ? plans_json(outcome) : cJSON_CreateNull());
    add(&b, "kernels", outcome->judged ? kernels_json(outcome) : cJSON_CreateNull());
    add_text(&b, "verdict", fsc__verdict_name(outcome->verdict));
    add_text(&b, "reason", outcome->reason);
    if (outcome->judged)
        add_judgement(&b, outcome);
    else
        for (size_t i = 0; i < sizeof judged_keys / sizeof judged_keys[0]; i++)
            add_text(&b, judged_keys[i], NULL);
    fsc__case_repro(outcome->json, &repro);
    b.failed = b.failed || repro.failed;
    add_text(&b, "repro", repro.data);
    fsc__text_deinit(&repro);
    add_extras(&b, outcome);
    return finish(&b);
}

cJSON *fsc__row_without_run(const cJSON *json, const char *device, const char *driver,
                            fsc__verdict verdict, const char *reason)
{
    fsc__outcome outcome = {.json = json, .device = device, .driver = driver, .verdict = verdict};
    snprintf(outcome.reason, sizeof outcome.reason, "%s", reason);
    return fsc__row_create(&outcome);
}

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

bool fsc__row_fails(const cJSON *row)
{
    fsc__verdict verdict = FSC__ERROR;
    fsc__input input = {.family = FSC__NORMAL};
    const cJSON *limit = cJSON_GetObjectItemCaseSensitive(row, "limit");
    if (cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(limit, "met")))
        return true;
    fsc__verdict_find(text_of(row, "verdict"), &verdict);
    if (fsc__input_parse(text_of(row, "input"), &input, NULL) != FSC_OK)
        input.family = FSC__NORMAL;
    return fsc__verdict_fails(verdict, input.family == FSC__ZEROS);
}

void fsc__device_label(const fsc__device_info *info, char *label, size_t bytes)
{
    snprintf(label, bytes, "%s: %s", info->platform_name, info->name);
}
