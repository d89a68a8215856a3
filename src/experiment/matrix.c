/* Expanding a configuration into cases. */
#include "experiment/matrix.h"

#include <inttypes.h>

#include "base/text.h"

enum { CASES_MAX = 1000000 };

/* One cell of the product; every node is an item of a list of the experiment. */
typedef struct cell {
    const cJSON *experiment, *shape, *mode, *input, *seed;
} cell;

static const cJSON *member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static void write_id(const cell *c, fsc__text *id)
{
    fsc__text_add(id, "%s/%s/%s/%s/%s/%" PRId64, member(c->experiment, "name")->valuestring,
                  member(c->experiment, "graph")->valuestring, c->shape->valuestring,
                  c->mode->valuestring, c->input->valuestring, (int64_t)c->seed->valuedouble);
}

static bool add_copy(cJSON *made, const char *key, const cJSON *node)
{
    if (node == NULL)
        return true;
    cJSON *copy = cJSON_Duplicate(node, true);
    if (copy != NULL && cJSON_AddItemToObject(made, key, copy))
        return true;
    cJSON_Delete(copy);
    return false;
}

/* NULL when out of memory. */
static cJSON *make_case(const cell *c, const char *id)
{
    cJSON *made = cJSON_CreateObject();
    const cJSON *e = c->experiment;
    if (made != NULL && cJSON_AddStringToObject(made, "id", id) != NULL &&
        add_copy(made, "experiment", member(e, "name")) &&
        add_copy(made, "graph", member(e, "graph")) && add_copy(made, "shape", c->shape) &&
        add_copy(made, "mode", c->mode) &&
        add_copy(made, "unfused_mode", member(e, "unfused_mode")) &&
        add_copy(made, "off", member(e, "off")) && add_copy(made, "input", c->input) &&
        add_copy(made, "seed", c->seed) && add_copy(made, "tensors", member(e, "tensors")) &&
        add_copy(made, "tolerance", member(e, "tolerance")))
        return made;
    cJSON_Delete(made);
    return NULL;
}

/* Adds the case of one cell unless the filter leaves it out. */
static fsc_status add_cell(const cell *c, const char *filter, cJSON *cases, int *count,
                           fsc_error *why)
{
    fsc__text id = {0};
    write_id(c, &id);
    fsc_status status = FSC_OK;
    if (id.failed) {
        status = fsc__fail(why, FSC_ERR_MEMORY, "no memory for the id of a case");
    } else if (filter == NULL || fsc__text_glob(filter, id.data)) {
        cJSON *made = make_case(c, id.data);
        if (made == NULL || !cJSON_AddItemToArray(cases, made)) {
            cJSON_Delete(made);
            status = fsc__fail(why, FSC_ERR_MEMORY, "no memory for %d cases", *count + 1);
        } else if (++*count > CASES_MAX) {
            status = fsc__fail(why, FSC_ERR_INPUT, "more than %d cases; split the configuration",
                               CASES_MAX);
        }
    }
    fsc__text_deinit(&id);
    return status;
}

static fsc_status add_experiment(const cJSON *experiment, const char *filter, cJSON *cases,
                                 int *count, fsc_error *why)
{
    cell c = {.experiment = experiment};
    cJSON_ArrayForEach(c.shape, member(experiment, "shapes"))
        cJSON_ArrayForEach(c.mode, member(experiment, "modes"))
            cJSON_ArrayForEach(c.input, member(experiment, "inputs"))
                cJSON_ArrayForEach(c.seed, member(experiment, "seeds"))
                    FSC_TRY(add_cell(&c, filter, cases, count, why));
    return FSC_OK;
}

fsc_status fsc__matrix_create(const fsc__config *config, const char *filter, cJSON **cases,
                              fsc_error *why)
{
    cJSON *made = cJSON_CreateArray();
    if (made == NULL)
        FSC_FAIL(why, FSC_ERR_MEMORY, "no memory for the cases");
    int count = 0;
    const cJSON *experiment = NULL;
    cJSON_ArrayForEach(experiment, config->experiments)
    {
        const fsc_status status = add_experiment(experiment, filter, made, &count, why);
        if (status != FSC_OK) {
            cJSON_Delete(made);
            return status;
        }
    }
    *cases = made;
    return FSC_OK;
}
