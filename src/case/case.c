/* One case from JSON to row: both sides run, predicted, set beside the truth, and judged. */
#include "case/case.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "case/row.h"
#include "case/save.h"

fsc_status fsc__case_check(const char *name, const cJSON *case_json, fsc_error *why)
{
    fsc__spec spec = {0};
    FSC_TRY(fsc__spec_parse(name, case_json, &spec, why));
    fsc_status status = FSC_OK;
    for (int unfused = 0; unfused < 2 && status == FSC_OK; unfused++) {
        fsc__plan *plan = NULL;
        status = fsc__spec_plan(&spec, unfused != 0, 0, &plan, why);
        if (status != FSC_OK)
            fsc__error_prefix(why, "%s: /%s: ", name, unfused ? "unfused_mode" : "mode");
        fsc__plan_free(plan);
    }
    fsc__spec_deinit(&spec);
    return status;
}

/* Tensors by absolute paths. */
static bool resolve_tensors(const char *folder, cJSON *json)
{
    char here[4096];
    fsc__text base = {0};
    if (folder == NULL)
        folder = "";
    if (folder[0] != '/') {
        if (getcwd(here, sizeof here) == NULL)
            return false;
        fsc__text_add(&base, "%s/", here);
    }
    fsc__text_add(&base, "%s/case", folder);
    bool ok = !base.failed;
    cJSON *item = NULL;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(json, "tensors"))
    {
        if (!ok || !cJSON_IsString(item))
            continue;
        char *path = fsc__path_beside(base.data, item->valuestring);
        ok = path != NULL && cJSON_SetValuestring(item, path) != NULL;
        fsc__free(path);
    }
    fsc__text_deinit(&base);
    return ok;
}

static bool put_default(cJSON *json, const char *key, cJSON *item)
{
    if (item != NULL && cJSON_GetObjectItemCaseSensitive(json, key) == NULL)
        return cJSON_AddItemToObject(json, key, item);
    cJSON_Delete(item);
    return item != NULL;
}

/* The case with everything said that its repro line needs to work from anywhere. */
static fsc_status resolve(const char *folder, const cJSON *case_json, cJSON **resolved,
                          fsc_error *why)
{
    fsc__json_setup();
    cJSON *copy = cJSON_Duplicate(case_json, true);
    if (copy != NULL && resolve_tensors(folder, copy) &&
        put_default(copy, "mode", cJSON_CreateString("f32")) &&
        put_default(copy, "input", cJSON_CreateString("normal")) &&
        put_default(copy, "seed", cJSON_CreateNumber(0.0))) {
        *resolved = copy;
        return FSC_OK;
    }
    cJSON_Delete(copy);
    FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for the case");
}

/* Each value fits a buffer of the device. Asked before anything is filled or computed. */
static fsc_status check_buffers(const fsc__spec *spec, const fsc__caps *caps, fsc_error *why)
{
    for (int i = 0; i < spec->graph->value_count; i++) {
        const fsc__value *value = &spec->graph->values[i];
        const fsc_dtype type = value->kind == FSC__VALUE_INPUT
                                   ? fsc__graph_input_type(value, &spec->fused)
                                   : spec->fused.storage;
        const uint64_t bytes = (uint64_t)fsc__shape_elems(&value->shape) * fsc__dtype_bytes(type);
        if (bytes > caps->buffer_bytes)
            FSC_FAIL(why, FSC_UNSUPPORTED,
                     "%s takes %" PRIu64 " bytes; a buffer of this device has %" PRIu64 " at most",
                     value->name, bytes, caps->buffer_bytes);
    }
    return FSC_OK;
}

/* A case that cannot run here, in words that are its row's reason. */
static fsc_status refuse(const fsc__spec *spec, const fsc__caps *caps, fsc_error *why)
{
    if (caps->refused[0] != '\0')
        FSC_FAIL(why, FSC_UNSUPPORTED, "%s", caps->refused);
    const fsc_graph *graph = spec->graph;
    int64_t elems = 0;
    for (int i = 0; i < graph->output_count; i++)
        elems += fsc__shape_elems(&graph->values[graph->outputs[i]].shape);
    if (elems > spec->max_elements)
        FSC_FAIL(why, FSC_UNSUPPORTED,
                 "%" PRId64 " outputs; max_elements of this device is %" PRId64, elems,
                 spec->max_elements);
    return check_buffers(spec, caps, why);
}

static fsc_status plan_side(fsc__side *side, const fsc__spec *spec, bool unfused,
                            const fsc__caps *caps, fsc_error *why)
{
    side->mode = unfused ? &spec->unfused : &spec->fused;
    const fsc_status status = fsc__spec_plan(spec, unfused, caps->max_arguments, &side->plan, why);
    /* A field without meaning for this graph is ordinary in a matrix of graphs and modes. */
    return status == FSC_ERR_INPUT ? FSC_UNSUPPORTED : status;
}

/* Fused against unfused. Two storage types have no common bits: the unfused values count as
   exact numbers then. */
static fsc_status compare_sides(const fsc__side *fused, const fsc__side *unfused, fsc_tensor *wide,
                                fsc_metrics *metrics, fsc_error *why)
{
    if (fused->got.type == unfused->got.type)
        return fsc__compare(&fused->got, &unfused->got, metrics, why);
    FSC_TRY(fsc__tensor_convert(&unfused->got, FSC_F64, wide, why));
    return fsc__compare(&fused->got, wide, metrics, why);
}

static fsc_status judge(const fsc__spec *spec, fsc__outcome *outcome, fsc_error *why)
{
    fsc__judged *m = &outcome->metrics;
    const fsc__side *fused = &outcome->fused;
    const fsc__side *unfused = &outcome->unfused;
    fsc_tensor wide = {0};
    fsc_status status;
    FSC_GO(fsc__compare(&fused->got, &fused->predicted, &m->conformance, why));
    FSC_GO(fsc__compare(&unfused->got, &unfused->predicted, &m->conformance_unfused, why));
    FSC_GO(compare_sides(fused, unfused, &wide, &m->delta, why));
    FSC_GO(fsc__compare(&fused->got, fsc__side_truth(fused), &m->error_fused, why));
    FSC_GO(fsc__compare(&unfused->got, fsc__side_truth(unfused), &m->error_unfused, why));
    m->storage = spec->fused.storage;
    m->elems = m->delta.elems;
    outcome->verdict = fsc__verdict_of(m, outcome->reason, sizeof outcome->reason);
    fsc__direction(m, outcome->direction, sizeof outcome->direction);
    outcome->limit = spec->limit;
    const fsc_tensor *want = spec->limit.of_error ? fsc__side_truth(fused) : &unfused->got;
    outcome->limit_met = fsc__limit_met(&spec->limit, &fused->got, want,
                                        spec->limit.of_error ? &m->error_fused : &m->delta,
                                        outcome->missed, sizeof outcome->missed);
    outcome->judged = true;
done:
    fsc__tensor_deinit(&wide);
    return status;
}

static fsc_status run(fsc_device *device, const fsc__spec *spec, fsc__outcome *outcome,
                      fsc_error *why)
{
    const fsc__caps *caps = fsc__device_caps(device);
    FSC_TRY(refuse(spec, caps, why));
    if (spec->graph->output_count != 1)
        FSC_FAIL(why, FSC_UNSUPPORTED, "the graph has %d outputs; a case has one",
                 spec->graph->output_count);
    FSC_TRY(plan_side(&outcome->fused, spec, false, caps, why));
    FSC_TRY(plan_side(&outcome->unfused, spec, true, caps, why));
    FSC_TRY(fsc__side_inputs(&outcome->fused, spec, NULL, why));
    FSC_TRY(fsc__side_inputs(&outcome->unfused, spec, &outcome->fused, why));
    FSC_TRY(fsc__side_run(&outcome->fused, device, &spec->tile, &outcome->log, why));
    FSC_TRY(fsc__side_run(&outcome->unfused, device, &spec->tile, &outcome->log, why));
    FSC_TRY(fsc__side_refer(&outcome->fused, caps->fma, why));
    FSC_TRY(fsc__side_refer(&outcome->unfused, caps->fma, why));
    FSC_TRY(judge(spec, outcome, why));
    return spec->save == NULL ? FSC_OK : fsc__save(spec, outcome, why);
}

fsc_status fsc__case_run(fsc_device *device, const char *folder, const cJSON *case_json,
                         cJSON **row, fsc_error *why)
{
    cJSON *json = NULL;
    FSC_TRY(resolve(folder, case_json, &json, why));
    const fsc__device_info *info = fsc__device_about(device);
    char label[sizeof info->platform_name + sizeof info->name + 2];
    fsc__device_label(info, label, sizeof label);
    fsc__spec spec = {0};
    fsc_error said = {.text = ""};
    fsc__outcome outcome = {.json = json, .device = label, .driver = info->driver};
    fsc_status status = fsc__spec_parse("case", json, &spec, &said);
    if (status == FSC_OK)
        status = run(device, &spec, &outcome, &said);
    if (status != FSC_OK) {
        outcome.judged = false;
        outcome.verdict = status == FSC_UNSUPPORTED ? FSC__SKIPPED : FSC__ERROR;
        snprintf(outcome.reason, sizeof outcome.reason, "%s", said.text);
    }
    cJSON *made = fsc__row_create(&outcome);
    fsc__side_deinit(&outcome.unfused);
    fsc__side_deinit(&outcome.fused);
    fsc__text_deinit(&outcome.log);
    fsc__spec_deinit(&spec);
    cJSON_Delete(json);
    if (made == NULL)
        FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for the row of the case");
    *row = made;
    return FSC_OK;
}
