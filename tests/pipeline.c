/* See pipeline.h. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/executor.h"
#include "graph/npy.h"
#include "harness.h"
#include "pipeline.h"
#include "reference/predict.h"
#include "reference/truth.h"

void pipeline_open(pipeline *p, const char *chain, const char *shape, const char *mode,
                   bool unfused)
{
    fsc_error why;
    const fsc__plan_options options = {.unfused = unfused};
    *p = (pipeline){0};
    ck_status_ok(fsc__graph_parse(chain, shape, &p->graph, &why), &why);
    ck_status_ok(fsc__mode_parse(mode, &p->mode, &why), &why);
    ck_status_ok(fsc__plan_create(p->graph, &p->mode, &options, &p->plan, &why), &why);
    p->in = fsc__calloc((size_t)p->graph->input_count, sizeof *p->in);
    for (int i = 0; i < p->graph->input_count; i++) {
        const fsc__value *value = &p->graph->values[i];
        ck_status_ok(fsc__tensor_init(&p->in[i], fsc__graph_input_type(value, &p->mode),
                                      &value->shape, &why),
                     &why);
    }
}

void pipeline_close(pipeline *p)
{
    for (int i = 0; i < p->graph->input_count; i++)
        fsc__tensor_deinit(&p->in[i]);
    fsc__free(p->in);
    fsc__tensor_deinit(&p->predicted);
    fsc__tensor_deinit(&p->truth);
    fsc__tensor_deinit(&p->out);
    fsc__plan_free(p->plan);
    fsc__graph_free(p->graph);
    *p = (pipeline){0};
}

static fsc_tensor *input(pipeline *p, const char *name)
{
    const int index = fsc__graph_input(p->graph, name);
    ck_assert_msg(index >= 0, "no input called %s", name);
    return &p->in[index];
}

void pipeline_set(pipeline *p, const char *name, const double *values, int64_t count)
{
    fsc_tensor *tensor = input(p, name);
    ck_assert_int_eq(fsc__shape_elems(&tensor->shape), count);
    for (int64_t i = 0; i < count; i++)
        fsc__dtype_store(tensor->type, tensor->data, i, values[i]);
}

void pipeline_set_all(pipeline *p, const char *name, double value)
{
    fsc_tensor *tensor = input(p, name);
    for (int64_t i = 0; i < fsc__shape_elems(&tensor->shape); i++)
        fsc__dtype_store(tensor->type, tensor->data, i, value);
}

void pipeline_load(pipeline *p, const char *name, const char *file)
{
    fsc_error why;
    char path[512];
    fsc_tensor loaded, *tensor = input(p, name);
    snprintf(path, sizeof path, "%s/%s", FSC_TEST_DATA, file);
    ck_status_ok(fsc__npy_read(path, &loaded, &why), &why);
    ck_assert_int_eq(fsc__shape_elems(&loaded.shape), fsc__shape_elems(&tensor->shape));
    for (int64_t i = 0; i < fsc__shape_elems(&loaded.shape); i++)
        fsc__dtype_store(tensor->type, tensor->data, i,
                         fsc__dtype_load(loaded.type, loaded.data, i));
    fsc__tensor_deinit(&loaded);
}

void pipeline_fill(pipeline *p, const char *text, uint64_t seed)
{
    fsc_error why;
    fsc__input family;
    ck_status_ok(fsc__input_parse(text, &family, &why), &why);
    for (int i = 0; i < p->graph->input_count; i++) {
        const fsc__value *value = &p->graph->values[i];
        const fsc__fill_request request = {.input = family,
                                           .seed = seed,
                                           .name = value->name,
                                           .role = value->role,
                                           .type = p->in[i].type,
                                           .storage = p->mode.storage,
                                           .fan_in = value->fan_in,
                                           .elems = fsc__shape_elems(&value->shape)};
        fsc__fill(&request, p->in[i].data);
    }
}

void pipeline_predict(pipeline *p, fsc__fma fma)
{
    fsc_error why;
    fsc__tensor_deinit(&p->predicted);
    ck_status_ok(fsc__predict(p->plan, fma, p->in, &p->predicted, NULL, &why), &why);
}

void pipeline_truth(pipeline *p)
{
    fsc_error why;
    fsc__tensor_deinit(&p->truth);
    ck_status_ok(fsc__truth(p->graph, &p->mode, p->in, &p->truth, NULL, &why), &why);
}

void pipeline_run(pipeline *p, fsc_device *device, const fsc__tile *tile)
{
    fsc_error why;
    fsc__executable *executable = NULL;
    const fsc__emit_options options = {.tile = tile ? *tile
                                                    : fsc__tile_default(fsc__device_caps(device))};
    ck_status_ok(fsc__executable_create(device, p->plan, &options, &executable, NULL, &why), &why);
    fsc__tensor_deinit(&p->out);
    ck_status_ok(fsc__executable_run(executable, p->in, &p->out, NULL, NULL, &why), &why);
    fsc__executable_free(executable);
}

int64_t pipeline_first_difference(const fsc_tensor *a, const fsc_tensor *b)
{
    ck_assert_int_eq(a->type, b->type);
    ck_assert(fsc__shape_equal(&a->shape, &b->shape));
    const size_t bytes = fsc__dtype_bytes(a->type);
    for (int64_t i = 0; i < fsc__shape_elems(&a->shape); i++)
        if (memcmp((const char *)a->data + (size_t)i * bytes,
                   (const char *)b->data + (size_t)i * bytes, bytes) != 0)
            return i;
    return -1;
}

static fsc_device *test_device;

static void close_device(void)
{
    fsc__device_close(test_device);
}

fsc_device *pipeline_device(void)
{
    fsc_error why;
    fsc__device_info *list = NULL;
    int count = 0, chosen_count = 0;
    if (test_device)
        return test_device;
    const char *select = getenv("FUSESCOPE_DEVICE");
    ck_status_ok(fsc__devices_list(&list, &count, &why), &why);
    int *chosen = fsc__calloc((size_t)count, sizeof *chosen);
    ck_status_ok(fsc__devices_select(list, count, select ? select : "pocl", true, chosen,
                                     &chosen_count, &why),
                 &why);
    const fsc__device_options options = {0};
    ck_status_ok(fsc__device_open(&list[chosen[0]], &options, &test_device, &why), &why);
    fsc__free(chosen);
    fsc__free(list);
    atexit(close_device);
    return test_device;
}
