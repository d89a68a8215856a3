/* Prints a hash of what is predicted for many cases on every instruction set of this machine.
   scripts/test.sh compares what the builds of two compilers print; the instruction sets are
   compared here. */
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "fusion/plan.h"
#include "reference/predict.h"

static const struct {
    const char *chain, *shape;
} graphs[] = {
    {"add+relu", "7x129"},
    {"mul+add(0.5)+sigmoid+tanh", "5x61"},
    {"silu+sub+gelu+div", "3x257"},
    {"scale+bias+gelu_tanh+exp+neg+abs", "4x65"},
    {"matmul", "1x65537:65537x1"},
    {"matmul+bias+gelu", "37x129:129x53"},
    {"mul+matmul(transB=1)+bias+silu", "2x19x67:35x67"},
    {"relu+conv2d(stride=2,pads=0:0:1:1)+bias+silu", "2x12x15x19:37x12x3x3"},
    {"conv2d(pads=2,groups=6,layout=nhwc)+gelu", "1x9x31x6:12x1x5x5"},
    {"layernorm+relu", "5x769"},
    {"add+layernorm(eps=1e-12)+gelu", "3x1000"},
    {"rmsnorm", "2x33"},
};
static const char *const modes[] = {
    "f32",  "f32,contract=off,boundary=round",
    "f16",  "f16,boundary=round,params=storage",
    "bf16", "bf16,boundary=round",
};
static const char *const orders[] = {"", "sequential", "lanes:64", "chunk:100"};
static const char *const variances[] = {"", "two_pass", "one_pass", "welford"};
static const char *const families[] = {"normal", "special", "small", "large"};
static const char *const isas[] = {"generic", "avx2", "avx512"};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void check(fsc_status status, const fsc_error *why)
{
    if (status != FSC_OK) {
        fprintf(stderr, "predict_hash: %s\n", why->text);
        exit(EXIT_FAILURE);
    }
}

static void fill_inputs(const fsc__plan *plan, const char *family, fsc_tensor *in)
{
    const fsc_graph *graph = plan->graph;
    fsc_error why;
    fsc__fill_request request = {.seed = 1, .storage = plan->mode.storage};
    check(fsc__input_parse(family, &request.input, &why), &why);
    for (int i = 0; i < graph->input_count; i++) {
        const fsc__value *value = &graph->values[i];
        const fsc_dtype type = fsc__graph_input_type(value, &plan->mode);
        check(fsc__tensor_init(&in[i], type, &value->shape, &why), &why);
        request.name = value->name;
        request.role = value->role;
        request.type = type;
        request.fan_in = value->fan_in;
        request.elems = fsc__shape_elems(&value->shape);
        fsc__fill(&request, in[i].data);
    }
}

/* The hash of all output bits. */
static uint64_t hash_prediction(const fsc__plan *plan, fsc__fma fma, const fsc_tensor in[])
{
    fsc_tensor out[8] = {0};
    fsc_error why;
    check(fsc__predict(plan, fma, in, out, NULL, &why), &why);
    uint64_t hash = 0;
    for (int i = 0; i < plan->graph->output_count; i++) {
        const size_t bytes =
            (size_t)fsc__shape_elems(&out[i].shape) * fsc__dtype_bytes(out[i].type);
        hash = fsc__hash(out[i].data, bytes, hash);
        fsc__tensor_deinit(&out[i]);
    }
    return hash;
}

static void print_plan(const fsc__plan *plan, const char *label)
{
    for (size_t f = 0; f < COUNT(families); f++) {
        fsc_tensor in[16] = {0};
        fill_inputs(plan, families[f], in);
        for (fsc__fma fma = FSC__FMA_EXACT; fma <= FSC__FMA_FLUSHES; fma++) {
            uint64_t first = 0;
            for (size_t s = 0; s < COUNT(isas); s++) {
                if (!fsc__predict_force_isa(isas[s]))
                    continue;
                const uint64_t hash = hash_prediction(plan, fma, in);
                printf("%s %s %s %s %016llx\n", label, families[f],
                       fma == FSC__FMA_EXACT ? "exact" : "flushes", isas[s],
                       (unsigned long long)hash);
                first = s == 0 ? hash : first;
                if (hash != first) {
                    fprintf(stderr, "predict_hash: %s differs from %s\n", isas[s], isas[0]);
                    exit(EXIT_FAILURE);
                }
            }
        }
        for (int i = 0; i < plan->graph->input_count; i++)
            fsc__tensor_deinit(&in[i]);
    }
}

/* A mode that means nothing to the graph (an order of sums where there is none) is skipped. */
static void print_mode(const fsc_graph *graph, const char *chain, const char *mode_text)
{
    fsc_mode mode;
    fsc_error why;
    fsc__plan *plan = NULL;
    check(fsc__mode_parse(mode_text, &mode, &why), &why);
    if (fsc__plan_create(graph, &mode, &(fsc__plan_options){0}, &plan, &why) != FSC_OK)
        return;
    char label[256];
    snprintf(label, sizeof label, "%s %s", chain, mode_text);
    print_plan(plan, label);
    fsc__plan_free(plan);
}

int main(void)
{
    fsc_error why;
    for (size_t g = 0; g < COUNT(graphs); g++) {
        fsc_graph *graph = NULL;
        check(fsc__graph_parse(graphs[g].chain, graphs[g].shape, &graph, &why), &why);
        for (size_t m = 0; m < COUNT(modes); m++) {
            char mode[128];
            for (size_t o = 0; o < COUNT(orders); o++) {
                snprintf(mode, sizeof mode, "%s%s%s", modes[m], o > 0 ? ",order=" : "", orders[o]);
                print_mode(graph, graphs[g].chain, mode);
            }
            for (size_t v = 1; v < COUNT(variances); v++) {
                snprintf(mode, sizeof mode, "%s,variance=%s", modes[m], variances[v]);
                print_mode(graph, graphs[g].chain, mode);
            }
        }
        fsc__graph_free(graph);
    }
    return EXIT_SUCCESS;
}
