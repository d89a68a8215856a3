/* Parsing of a case's JSON, its plans and its tensors. */
#include "case/spec.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "fusion/rule.h"
#include "graph/chain.h"
#include "graph/npy.h"

static const char *const case_keys[] = {
    "id",   "experiment", "graph",  "shape", "mode",         "unfused_mode", "off", "input",
    "seed", "tensors",    "device", "save",  "max_elements", "tolerance",    "tile"};

static fsc_status text_or(const fsc__json *at, const char *key, const char *otherwise,
                          const char **text, fsc_error *why)
{
    *text = otherwise;
    const fsc__json member = fsc__json_member(at, key);
    return member.node == NULL ? FSC_OK : fsc__json_text(&member, text, why);
}

static fsc_status integer_or(const fsc__json *at, const char *key, int64_t low, int64_t high,
                             int64_t *number, fsc_error *why)
{
    const fsc__json member = fsc__json_member(at, key);
    return member.node == NULL ? FSC_OK : fsc__json_integer(&member, low, high, number, why);
}

/* Puts a place in front of what a parser said about the text there. */
static fsc_status said_at(const fsc__json *at, fsc_status status, fsc_error *why)
{
    if (status != FSC_OK)
        fsc__error_prefix(why, "%s: %s: ", at->name, at->pointer);
    return status;
}

fsc_status fsc__spec_graph(const fsc__json *graph_at, const fsc__json *shape_at, fsc_graph **graph,
                           fsc_error *why)
{
    const char *chain_text = NULL;
    char shape_text[256];
    fsc__chain chain = {0};
    if (cJSON_IsObject(graph_at->node))
        return fsc__json_fail(graph_at, why,
                              "graphs of objects are not supported; a chain such as "
                              "\"matmul+bias+gelu\"");
    FSC_TRY(fsc__json_text(graph_at, &chain_text, why));
    FSC_TRY(said_at(graph_at, fsc__chain_parse(chain_text, &chain, why), why));
    fsc__chain_deinit(&chain);
    FSC_TRY(fsc__shape_text(shape_at, shape_text, sizeof shape_text, why));
    return said_at(shape_at, fsc__graph_parse(chain_text, shape_text, graph, why), why);
}

static fsc_status parse_graph(const fsc__json *at, fsc__spec *spec, fsc_error *why)
{
    const fsc__json graph = fsc__json_member(at, "graph");
    const fsc__json shape = fsc__json_member(at, "shape");
    return fsc__spec_graph(&graph, &shape, &spec->graph, why);
}

static fsc_status parse_modes(const fsc__json *at, fsc__spec *spec, fsc_error *why)
{
    const char *mode = NULL;
    const char *unfused = NULL;
    FSC_TRY(text_or(at, "mode", "f32", &mode, why));
    FSC_TRY(text_or(at, "unfused_mode", mode, &unfused, why));
    const fsc__json mode_at = fsc__json_member(at, "mode");
    const fsc__json unfused_at = fsc__json_member(at, "unfused_mode");
    FSC_TRY(said_at(&mode_at, fsc__mode_parse(mode, &spec->fused, why), why));
    return said_at(&unfused_at, fsc__mode_parse(unfused, &spec->unfused, why), why);
}

fsc_status fsc__spec_check_rules(const fsc__json *at, fsc_error *why)
{
    FSC_TRY(fsc__json_array(at, why));
    for (int i = 0; i < fsc__json_size(at); i++) {
        const fsc__json item = fsc__json_item(at, i);
        const char *rule = NULL;
        FSC_TRY(fsc__json_text(&item, &rule, why));
        if (fsc__rule_find(rule) != NULL)
            continue;
        fsc__text list = {0};
        for (size_t r = 0; r < fsc__rule_count(); r++)
            fsc__text_add(&list, r == 0 ? "%s" : ", %s", fsc__rule_at(r)->name);
        const fsc_status status = fsc__json_fail(&item, why, "\"%s\" is not a rule; %s", rule,
                                                 list.data == NULL ? "" : list.data);
        fsc__text_deinit(&list);
        return status;
    }
    return FSC_OK;
}

static fsc_status parse_off(const fsc__json *at, fsc__spec *spec, fsc_error *why)
{
    const fsc__json off = fsc__json_member(at, "off");
    if (off.node == NULL)
        return FSC_OK;
    FSC_TRY(fsc__spec_check_rules(&off, why));
    const int count = fsc__json_size(&off);
    spec->off = fsc__calloc((size_t)count, sizeof *spec->off);
    if (spec->off == NULL)
        FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for %d names of rules", count);
    for (int i = 0; i < count; i++)
        spec->off[i] = fsc__json_item(&off, i).node->valuestring;
    spec->off_count = count;
    return FSC_OK;
}

static fsc_status no_such_tensor(const fsc__json *at, const char *name, const fsc_graph *graph,
                                 fsc_error *why)
{
    fsc__text list = {0};
    for (int i = 0; i < graph->input_count; i++)
        fsc__text_add(&list, i == 0 ? "%s" : ", %s", graph->values[i].name);
    const fsc_status status = fsc__json_fail(at, why, "\"%s\" is no input of the graph; %s", name,
                                             list.data == NULL ? "" : list.data);
    fsc__text_deinit(&list);
    return status;
}

fsc_status fsc__spec_check_tensors(const fsc__json *at, const fsc_graph *graph, fsc_error *why)
{
    FSC_TRY(fsc__json_object(at, why));
    const cJSON *node = NULL;
    cJSON_ArrayForEach(node, at->node)
    {
        const fsc__json member = fsc__json_member(at, node->string);
        const char *file = NULL;
        FSC_TRY(fsc__json_text(&member, &file, why));
        if (fsc__graph_input(graph, node->string) < 0)
            return no_such_tensor(&member, node->string, graph, why);
    }
    return FSC_OK;
}

static fsc_status parse_tensors(const fsc__json *at, fsc__spec *spec, fsc_error *why)
{
    spec->files = fsc__calloc((size_t)spec->graph->input_count, sizeof *spec->files);
    if (spec->files == NULL)
        FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for the names of %d tensors",
                 spec->graph->input_count);
    const fsc__json tensors = fsc__json_member(at, "tensors");
    if (tensors.node == NULL)
        return FSC_OK;
    FSC_TRY(fsc__spec_check_tensors(&tensors, spec->graph, why));
    const cJSON *node = NULL;
    cJSON_ArrayForEach(node, tensors.node)
        spec->files[fsc__graph_input(spec->graph, node->string)] = node->valuestring;
    return FSC_OK;
}

static fsc_status parse_tile(const fsc__json *at, fsc__spec *spec, fsc_error *why)
{
    const char *tile = NULL;
    FSC_TRY(text_or(at, "tile", NULL, &tile, why));
    const fsc__json tile_at = fsc__json_member(at, "tile");
    return tile == NULL ? FSC_OK : said_at(&tile_at, fsc__tile_parse(tile, &spec->tile, why), why);
}

static fsc_status parse_all(const fsc__json *at, fsc__spec *spec, fsc_error *why)
{
    FSC_TRY(fsc__json_keys(at, case_keys, sizeof case_keys / sizeof case_keys[0], why));
    FSC_TRY(parse_graph(at, spec, why));
    FSC_TRY(parse_modes(at, spec, why));
    FSC_TRY(parse_off(at, spec, why));
    const char *input = NULL;
    FSC_TRY(text_or(at, "input", "normal", &input, why));
    const fsc__json input_at = fsc__json_member(at, "input");
    FSC_TRY(said_at(&input_at, fsc__input_parse(input, &spec->input, why), why));
    int64_t seed = 0;
    FSC_TRY(integer_or(at, "seed", 0, FSC__SEED_MAX, &seed, why));
    spec->seed = (uint64_t)seed;
    FSC_TRY(parse_tensors(at, spec, why));
    FSC_TRY(text_or(at, "save", NULL, &spec->save, why));
    FSC_TRY(parse_tile(at, spec, why));
    spec->max_elements = INT64_MAX;
    FSC_TRY(integer_or(at, "max_elements", 1, INT32_MAX, &spec->max_elements, why));
    const fsc__json tolerance = fsc__json_member(at, "tolerance");
    return fsc__limit_parse(&tolerance, spec->fused.storage, &spec->limit, why);
}

fsc_status fsc__spec_parse(const char *name, const cJSON *json, fsc__spec *spec, fsc_error *why)
{
    const fsc__json root = fsc__json_root(name, json);
    fsc__spec parsed = {0};
    const fsc_status status = parse_all(&root, &parsed, why);
    if (status == FSC_OK)
        *spec = parsed;
    else
        fsc__spec_deinit(&parsed);
    return status;
}

void fsc__spec_deinit(fsc__spec *spec)
{
    fsc__graph_free(spec->graph);
    fsc__free(spec->off);
    fsc__free(spec->files);
    *spec = (fsc__spec){0};
}

fsc_status fsc__spec_plan(const fsc__spec *spec, bool unfused, int max_inputs, fsc__plan **plan,
                          fsc_error *why)
{
    const fsc__plan_options options = {
        .unfused = unfused,
        .off = spec->off,
        .off_count = spec->off_count,
        .max_inputs = max_inputs,
    };
    return fsc__plan_create(spec->graph, unfused ? &spec->unfused : &spec->fused, &options, plan,
                            why);
}

fsc_status fsc__spec_read(const fsc_graph *graph, int input, const char *file, fsc_tensor *tensor,
                          fsc_error *why)
{
    const fsc__value *value = &graph->values[input];
    fsc_tensor stored = {0};
    FSC_TRY(fsc__npy_read(file, &stored, why));
    if (!fsc__shape_equal(&stored.shape, &value->shape)) {
        char has[128];
        char needs[128];
        fsc__shape_write(&stored.shape, has, sizeof has);
        fsc__shape_write(&value->shape, needs, sizeof needs);
        fsc__tensor_deinit(&stored);
        FSC_FAIL(why, FSC_ERR_INPUT, "%s is %s; %s of the graph is %s", file, has, value->name,
                 needs);
    }
    *tensor = stored;
    return FSC_OK;
}

fsc_status fsc__spec_tensor(const fsc__spec *spec, int input, const fsc_mode *mode,
                            fsc_tensor *tensor, fsc_error *why)
{
    const fsc__value *value = &spec->graph->values[input];
    const fsc_dtype type = fsc__graph_input_type(value, mode);
    if (spec->files[input] != NULL) {
        fsc_tensor stored = {0};
        FSC_TRY(fsc__spec_read(spec->graph, input, spec->files[input], &stored, why));
        const fsc_status status = fsc__tensor_convert(&stored, type, tensor, why);
        fsc__tensor_deinit(&stored);
        return status;
    }
    FSC_TRY(fsc__tensor_init(tensor, type, &value->shape, why));
    const fsc__fill_request request = {
        .input = spec->input,
        .seed = spec->seed,
        .name = value->name,
        .role = value->role,
        .type = type,
        .storage = mode->storage,
        .fan_in = value->fan_in,
        .elems = fsc__shape_elems(&value->shape),
    };
    fsc__fill(&request, tensor->data);
    return FSC_OK;
}
