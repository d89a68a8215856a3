/* Reading one experiment. Each value is looked up in the experiment and then in the defaults, and
   an error names the place where it stands. */
#include "experiment/experiment.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "case/spec.h"
#include "graph/benchdnn.h"
#include "graph/npy.h"
#include "graph/shape.h"

/* An experiment being read. */
typedef struct reading {
    const fsc__json *at, *defaults;
    const char *path;
    cJSON *made;
} reading;

/* Checks one item of a list of texts. */
typedef fsc_status check_text(const char *text, fsc_error *why);

static fsc_status no_memory(fsc_error *why)
{
    FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for an experiment");
}

static fsc_status check_mode(const char *text, fsc_error *why)
{
    fsc_mode mode;
    return fsc__mode_parse(text, &mode, why);
}

static fsc_status check_input(const char *text, fsc_error *why)
{
    fsc__input input;
    return fsc__input_parse(text, &input, why);
}

static fsc_status check_item(const fsc__json *at, check_text *check, fsc_error *why)
{
    const char *text = NULL;
    FSC_TRY(fsc__json_text(at, &text, why));
    const fsc_status status = check(text, why);
    if (status != FSC_OK)
        fsc__error_prefix(why, "%s: %s: ", at->name, at->pointer);
    return status;
}

/* A list without two equal items: they would give two cases with one id. */
static fsc_status check_list(const fsc__json *at, fsc_error *why)
{
    FSC_TRY(fsc__json_array(at, why));
    if (fsc__json_size(at) == 0)
        return fsc__json_fail(at, why, "is empty; one value or more");
    int i = 0;
    for (const cJSON *node = at->node->child; node != NULL; node = node->next, i++)
        for (const cJSON *other = at->node->child; other != node; other = other->next)
            if (cJSON_Compare(node, other, true)) {
                const fsc__json item = fsc__json_item(at, i);
                return fsc__json_fail(&item, why, "stands in the list twice; once is allowed");
            }
    return FSC_OK;
}

static fsc_status check_texts(const fsc__json *at, check_text *check, fsc_error *why)
{
    FSC_TRY(check_list(at, why));
    for (int i = 0; i < fsc__json_size(at); i++) {
        const fsc__json item = fsc__json_item(at, i);
        FSC_TRY(check_item(&item, check, why));
    }
    return FSC_OK;
}

static fsc_status check_seeds(const fsc__json *at, fsc_error *why)
{
    int64_t seed = 0;
    FSC_TRY(check_list(at, why));
    for (int i = 0; i < fsc__json_size(at); i++) {
        const fsc__json item = fsc__json_item(at, i);
        FSC_TRY(fsc__json_integer(&item, 0, FSC__SEED_MAX, &seed, why));
    }
    return FSC_OK;
}

/* The keys that an experiment and the defaults share. */
static fsc_status check_shared(const fsc__json *at, fsc_error *why)
{
    const fsc__json modes = fsc__json_member(at, "modes");
    const fsc__json unfused = fsc__json_member(at, "unfused_mode");
    const fsc__json inputs = fsc__json_member(at, "inputs");
    const fsc__json seeds = fsc__json_member(at, "seeds");
    const fsc__json off = fsc__json_member(at, "off");
    const fsc__json tolerance = fsc__json_member(at, "tolerance");
    fsc__limit limit;
    if (modes.node != NULL)
        FSC_TRY(check_texts(&modes, check_mode, why));
    if (unfused.node != NULL)
        FSC_TRY(check_item(&unfused, check_mode, why));
    if (inputs.node != NULL)
        FSC_TRY(check_texts(&inputs, check_input, why));
    if (seeds.node != NULL)
        FSC_TRY(check_seeds(&seeds, why));
    if (off.node != NULL)
        FSC_TRY(fsc__spec_check_rules(&off, why));
    return fsc__limit_parse(&tolerance, FSC_F32, &limit, why);
}

fsc_status fsc__experiment_check_defaults(const fsc__json *at, fsc_error *why)
{
    static const char *const keys[] = {"modes", "unfused_mode", "inputs",
                                       "seeds", "off",          "tolerance"};
    if (at->node == NULL)
        return FSC_OK;
    FSC_TRY(fsc__json_keys(at, keys, sizeof keys / sizeof keys[0], why));
    return check_shared(at, why);
}

/* Names stand in ids, between slashes, and are matched by globs. */
static fsc_status check_name(const fsc__json *at, fsc_error *why)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    const char *name = NULL;
    FSC_TRY(fsc__json_text(at, &name, why));
    if (name[0] == '\0' || name[strspn(name, allowed)] != '\0')
        return fsc__json_fail(at, why, "\"%s\" is no name; letters, digits and _ . -", name);
    return FSC_OK;
}

/* Takes key from the experiment, else from the defaults, else nothing. */
static fsc_status take(reading *r, const char *key, fsc_error *why)
{
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(r->at->node, key);
    if (node == NULL)
        node = cJSON_GetObjectItemCaseSensitive(r->defaults->node, key);
    if (node == NULL)
        return FSC_OK;
    cJSON *copy = cJSON_Duplicate(node, true);
    if (copy != NULL && cJSON_AddItemToObject(r->made, key, copy))
        return FSC_OK;
    cJSON_Delete(copy);
    return no_memory(why);
}

/* A list of one item, where neither the experiment nor the defaults has the key. */
static fsc_status list_of(reading *r, const char *key, cJSON *item, fsc_error *why)
{
    if (cJSON_HasObjectItem(r->made, key)) {
        cJSON_Delete(item);
        return FSC_OK;
    }
    cJSON *list = item == NULL ? NULL : cJSON_AddArrayToObject(r->made, key);
    if (list != NULL && cJSON_AddItemToArray(list, item))
        return FSC_OK;
    cJSON_Delete(item);
    return no_memory(why);
}

static fsc_status add_text(cJSON *list, const char *text, fsc_error *why)
{
    cJSON *item = cJSON_CreateString(text);
    if (item != NULL && cJSON_AddItemToArray(list, item))
        return FSC_OK;
    cJSON_Delete(item);
    return no_memory(why);
}

/* Tensors by absolute paths, so that a case can run from anywhere. */
static fsc_status take_tensors(reading *r, fsc_error *why)
{
    const fsc__json tensors = fsc__json_member(r->at, "tensors");
    if (tensors.node == NULL)
        return FSC_OK;
    FSC_TRY(fsc__json_object(&tensors, why));
    char here[4096];
    if (getcwd(here, sizeof here - 2) == NULL)
        FSC_FAIL(why, FSC_ERR_FILE, "the working folder has no name that can be used");
    strcat(here, "/.");
    char *base = fsc__path_beside(here, r->path);
    cJSON *made = cJSON_AddObjectToObject(r->made, "tensors");
    fsc_status status = base == NULL || made == NULL ? no_memory(why) : FSC_OK;
    const cJSON *node = NULL;
    cJSON_ArrayForEach(node, tensors.node)
    {
        const fsc__json member = fsc__json_member(&tensors, node->string);
        const char *file = NULL;
        if (status == FSC_OK)
            status = fsc__json_text(&member, &file, why);
        char *path = status == FSC_OK ? fsc__path_beside(base, file) : NULL;
        if (status == FSC_OK &&
            (path == NULL || cJSON_AddStringToObject(made, node->string, path) == NULL))
            status = no_memory(why);
        fsc__free(path);
    }
    fsc__free(base);
    return status;
}

/* Without shapes, those of the tensors x and w (if there is one) are the shape. */
static fsc_status shape_of_tensors(reading *r, cJSON *shapes, fsc_error *why)
{
    static const char *const names[] = {"x", "w"};
    const fsc__json shapes_at = fsc__json_member(r->at, "shapes");
    const fsc__json tensors_at = fsc__json_member(r->at, "tensors");
    const cJSON *tensors = cJSON_GetObjectItemCaseSensitive(r->made, "tensors");
    char text[256] = "";
    size_t length = 0;
    if (!cJSON_HasObjectItem(tensors, "x"))
        return fsc__json_fail(&shapes_at, why,
                              "is missing; an array of shapes, a shape_file, or a tensor x that "
                              "has one");
    for (int i = 0; i < 2; i++) {
        const cJSON *file = cJSON_GetObjectItemCaseSensitive(tensors, names[i]);
        if (file == NULL)
            continue;
        const fsc__json at = fsc__json_member(&tensors_at, names[i]);
        fsc_tensor tensor = {0};
        const fsc_status status = fsc__npy_read(file->valuestring, &tensor, why);
        if (status != FSC_OK) {
            fsc__error_prefix(why, "%s: %s: ", at.name, at.pointer);
            return status;
        }
        if (i > 0)
            text[length++] = ':';
        fsc__shape_write(&tensor.shape, text + length, sizeof text - length);
        length = strlen(text);
        fsc__tensor_deinit(&tensor);
    }
    return add_text(shapes, text, why);
}

static bool has_text(const cJSON *list, const char *text)
{
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, list)
    {
        if (strcmp(item->valuestring, text) == 0)
            return true;
    }
    return false;
}

/* The problems of a batch file; their weights have no meaning here. */
static fsc_status shapes_of_file(reading *r, const fsc__json *at, cJSON *shapes, fsc_error *why)
{
    const char *file = NULL;
    FSC_TRY(fsc__json_text(at, &file, why));
    char *path = fsc__path_beside(r->path, file);
    fsc__batch batch = {0};
    fsc_status status = FSC_OK;
    FSC_GO(path == NULL ? no_memory(why) : FSC_OK);
    status = fsc__benchdnn_batch_read(path, &batch, why);
    if (status != FSC_OK)
        fsc__error_prefix(why, "%s: %s: ", at->name, at->pointer);
    FSC_GO(status);
    for (int i = 0; i < batch.count; i++) {
        if (has_text(shapes, batch.lines[i].text))
            FSC_GO(fsc__json_fail(at, why, "%s:%d: %s stands in the file twice; once is allowed",
                                  path, batch.lines[i].line, batch.lines[i].text));
        FSC_GO(add_text(shapes, batch.lines[i].text, why));
    }
done:
    fsc__benchdnn_batch_deinit(&batch);
    fsc__free(path);
    return status;
}

static fsc_status take_shapes(reading *r, fsc_error *why)
{
    const fsc__json list = fsc__json_member(r->at, "shapes");
    const fsc__json file = fsc__json_member(r->at, "shape_file");
    cJSON *shapes = cJSON_AddArrayToObject(r->made, "shapes");
    if (shapes == NULL)
        return no_memory(why);
    if (list.node != NULL && file.node != NULL)
        return fsc__json_fail(&file, why, "stands beside shapes; one of the two is allowed");
    if (file.node != NULL)
        return shapes_of_file(r, &file, shapes, why);
    if (list.node == NULL)
        return shape_of_tensors(r, shapes, why);
    FSC_TRY(check_list(&list, why));
    for (int i = 0; i < fsc__json_size(&list); i++) {
        const fsc__json item = fsc__json_item(&list, i);
        char text[256];
        FSC_TRY(fsc__shape_text(&item, text, sizeof text, why));
        if (has_text(shapes, text))
            return fsc__json_fail(&item, why, "%s stands in the list twice; once is allowed", text);
        FSC_TRY(add_text(shapes, text, why));
    }
    return FSC_OK;
}

/* The files fit the graph on one of its shapes. */
static fsc_status check_files(const reading *r, const fsc_graph *graph, fsc_error *why)
{
    const fsc__json at = fsc__json_member(r->at, "tensors");
    if (at.node == NULL)
        return FSC_OK;
    FSC_TRY(fsc__spec_check_tensors(&at, graph, why));
    const cJSON *file = NULL;
    cJSON_ArrayForEach(file, cJSON_GetObjectItemCaseSensitive(r->made, "tensors"))
    {
        fsc_tensor tensor = {0};
        const int input = fsc__graph_input(graph, file->string);
        const fsc_status status = fsc__spec_read(graph, input, file->valuestring, &tensor, why);
        fsc__tensor_deinit(&tensor);
        if (status != FSC_OK) {
            const fsc__json member = fsc__json_member(&at, file->string);
            fsc__error_prefix(why, "%s: %s: ", member.name, member.pointer);
            return status;
        }
    }
    return FSC_OK;
}

/* The graph on each of its shapes. */
static fsc_status check_graphs(const reading *r, fsc_error *why)
{
    const fsc__json graph_at = fsc__json_member(r->at, "graph");
    const fsc__json shapes_at = fsc__json_member(r->at, "shapes");
    const cJSON *shapes = cJSON_GetObjectItemCaseSensitive(r->made, "shapes");
    for (int i = 0; i < cJSON_GetArraySize(shapes); i++) {
        fsc__json shape_at = fsc__json_item(&shapes_at, i);
        if (shapes_at.node == NULL)
            shape_at = fsc__json_member(r->at, fsc__json_has(r->at, "shape_file") ? "shape_file"
                                                                                  : "tensors");
        shape_at.node = cJSON_GetArrayItem(shapes, i);
        fsc_graph *graph = NULL;
        FSC_TRY(fsc__spec_graph(&graph_at, &shape_at, &graph, why));
        const fsc_status status = check_files(r, graph, why);
        fsc__graph_free(graph);
        FSC_TRY(status);
    }
    return FSC_OK;
}

static fsc_status read_experiment(reading *r, const fsc__json *seed, fsc_error *why)
{
    static const char *const keys[] = {"name",    "graph",        "shapes",   "shape_file",
                                       "modes",   "unfused_mode", "inputs",   "off",
                                       "tensors", "seeds",        "tolerance"};
    static const char *const taken[] = {"name",   "graph", "modes", "unfused_mode",
                                        "inputs", "seeds", "off",   "tolerance"};
    FSC_TRY(fsc__json_keys(r->at, keys, sizeof keys / sizeof keys[0], why));
    const fsc__json name = fsc__json_member(r->at, "name");
    FSC_TRY(check_name(&name, why));
    FSC_TRY(check_shared(r->at, why));
    int64_t number = 0;
    if (seed->node != NULL)
        FSC_TRY(fsc__json_integer(seed, 0, FSC__SEED_MAX, &number, why));
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        FSC_TRY(take(r, taken[i], why));
    FSC_TRY(list_of(r, "modes", cJSON_CreateString("f32"), why));
    FSC_TRY(list_of(r, "inputs", cJSON_CreateString("normal"), why));
    FSC_TRY(list_of(r, "seeds", cJSON_CreateNumber((double)number), why));
    FSC_TRY(take_tensors(r, why));
    FSC_TRY(take_shapes(r, why));
    return check_graphs(r, why);
}

fsc_status fsc__experiment_read(const fsc__json *at, const fsc__json *defaults,
                                const fsc__json *seed, const char *path, cJSON **made,
                                fsc_error *why)
{
    reading r = {.at = at, .defaults = defaults, .path = path, .made = cJSON_CreateObject()};
    const fsc_status status = r.made == NULL ? no_memory(why) : read_experiment(&r, seed, why);
    if (status == FSC_OK)
        *made = r.made;
    else
        cJSON_Delete(r.made);
    return status;
}

fsc_status fsc__experiment_check_names(const fsc__json *list, fsc_error *why)
{
    for (int i = 1; i < fsc__json_size(list); i++) {
        const fsc__json item = fsc__json_item(list, i);
        const fsc__json name = fsc__json_member(&item, "name");
        for (int j = 0; j < i; j++) {
            const cJSON *other = cJSON_GetArrayItem(list->node, j);
            const cJSON *taken = cJSON_GetObjectItemCaseSensitive(other, "name");
            if (strcmp(name.node->valuestring, taken->valuestring) == 0)
                return fsc__json_fail(&name, why,
                                      "\"%s\" is also the name of experiment %d; "
                                      "names that differ",
                                      taken->valuestring, j);
        }
    }
    return FSC_OK;
}
