/* Parameters and loads of the generated part of a kernel, and its text put together. */
#include "kernel/emission.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "kernel/fault.h"
#include "kernel/source.h"

fsc__view fsc__view_of(const fsc__shape *shape, int64_t cols)
{
    return (fsc__view){shape, fsc__shape_elems(shape) / cols, cols};
}

const char *fsc__stored_element(fsc_dtype type)
{
    return type == FSC_F32 ? "float" : "ushort";
}

void fsc__writer_deinit(fsc__writer *writer)
{
    fsc__text_deinit(&writer->constants);
    fsc__text_deinit(&writer->defines);
    fsc__text_deinit(&writer->ops);
    fsc__text_deinit(&writer->functions);
    fsc__text_deinit(&writer->params);
    fsc__text_deinit(&writer->params_passed);
    fsc__args_deinit(&writer->args);
}

enum { NAME = FSC__NAME_BYTES };

static void input_name(const fsc_graph *graph, int value, char name[NAME])
{
    snprintf(name, NAME, "in_%.23s", graph->values[value].name);
}

static bool has_param(const fsc__writer *writer, const char *name)
{
    for (int i = 0; i < writer->args.count; i++)
        if (strcmp(writer->args.at[i].name, name) == 0)
            return true;
    return false;
}

static void add_param(fsc__writer *writer, const char *type, const char *name)
{
    fsc__text_add(&writer->params, ", %s%s", type, name);
    fsc__text_add(&writer->params_passed, ", %s", name);
}

void fsc__writer_int(fsc__writer *writer, const char *name, int64_t number)
{
    if (has_param(writer, name))
        return;
    add_param(writer, "int ", name);
    fsc__args_int(&writer->args, name, number);
}

void fsc__writer_float(fsc__writer *writer, const char *name, float number)
{
    if (has_param(writer, name))
        return;
    add_param(writer, "float ", name);
    fsc__args_float(&writer->args, name, number);
}

static void add_buffer(fsc__writer *writer, int value, const char *name)
{
    if (has_param(writer, name))
        return;
    const fsc__plan *plan = writer->emission->plan;
    const fsc_dtype type = fsc__graph_input_type(&plan->graph->values[value], &plan->mode);
    char typed[40];
    snprintf(typed, sizeof typed, "global const %s *", fsc__stored_element(type));
    add_param(writer, typed, name);
    fsc__args_buffer(&writer->args, name, FSC__ARG_VALUE, value);
}

/* The row of the operand that row r of the view reads: "r", "r / in_x_div % in_x_mod". */
static void write_row(fsc__writer *writer, const char *name, const fsc__access *access,
                      fsc__text *text)
{
    char number[NAME];
    fsc__text_add(text, "r");
    if (access->div > 1) {
        snprintf(number, sizeof number, "%.27s_div", name);
        fsc__writer_int(writer, number, access->div);
        fsc__text_add(text, " / %s", number);
    }
    if (access->mod * access->div < writer->view.rows) {
        snprintf(number, sizeof number, "%.27s_mod", name);
        fsc__writer_int(writer, number, access->mod);
        fsc__text_add(text, " %% %s", number);
    }
}

fsc_status fsc__writer_load(fsc__writer *writer, int value, fsc__text *text, fsc_error *why)
{
    const fsc__plan *plan = writer->emission->plan;
    const fsc__value *operand = &plan->graph->values[value];
    fsc__access access;
    if (!fsc__access_of(&operand->shape, writer->view.shape, writer->view.cols, &access))
        FSC_FAIL(why, FSC_UNSUPPORTED,
                 "%s cannot be read by a fused kernel: its shape varies along "
                 "axes that are not neighbours",
                 operand->name);
    char name[NAME], stride[NAME];
    input_name(plan->graph, value, name);
    add_buffer(writer, value, name);
    const char *type = fsc__dtype_name(fsc__graph_input_type(operand, &plan->mode));
    const bool one_row = access.mod == 1;
    const bool full = access.div == 1 && access.mod == writer->view.rows;
    if (!access.along_cols) {
        fsc__text_add(text, "load1_%s(%s, ", type, name);
        if (one_row)
            fsc__text_add(text, "0");
        else
            write_row(writer, name, &access, text);
        fsc__text_add(text, ")");
    } else if (full || one_row) {
        fsc__text_add(text, "load_%s(%s, %s, n)", type, name, full ? "i" : "c");
    } else {
        snprintf(stride, sizeof stride, "%.26s_cols", name);
        fsc__writer_int(writer, stride, access.stride);
        fsc__text_add(text, "load_%s(%s, (", type, name);
        write_row(writer, name, &access, text);
        fsc__text_add(text, ") * %s + c, n)", stride);
    }
    return FSC_OK;
}

fsc_status fsc__writer_tap(fsc__writer *writer, int node, char name[NAME], fsc_error *why)
{
    int index = 0;
    FSC_TRY(fsc__kernels_add_tap(writer->emission->kernels, node, &index, why));
    snprintf(name, NAME, "tap_%d", index);
    add_param(writer, "global float *", name);
    fsc__args_buffer(&writer->args, name, FSC__ARG_TAP, index);
    return FSC_OK;
}

void fsc__step_launch(fsc__step *step, const int64_t items[3], const int64_t local[3])
{
    int64_t most = 0;
    for (int axis = 0; axis < 3; axis++) {
        const int64_t groups = (items[axis] + local[axis] - 1) / local[axis];
        step->global[axis] = (size_t)(groups * local[axis]);
        step->local[axis] = (size_t)local[axis];
        if (groups > most)
            step->slice_axis = axis;
        most = groups > most ? groups : most;
    }
}

/* Drivers compile again for each local size, so there are two: groups lie along x where they are
   well filled there, else along y. */
void fsc__step_launch_vectors(fsc__step *step, const fsc__caps *caps, int64_t vectors, int64_t rows,
                              int64_t batch)
{
    const int64_t group = caps->kernel_group < 32 ? (int64_t)caps->kernel_group : 32;
    const bool along_x = vectors >= group / 2 || vectors >= rows;
    fsc__step_launch(step, (const int64_t[3]){vectors, rows, batch},
                     (const int64_t[3]){along_x ? group : 1, along_x ? 1 : group, 1});
}

void fsc__writer_store(fsc__writer *writer)
{
    const fsc_dtype type = writer->emission->plan->mode.storage;
    fsc__text_add(&writer->defines, "#define STORED %s\n#define STORE store_%s\n",
                  fsc__stored_element(type),
                  FSC__FAULT_NOW != FSC__FAULT_NONE ? "wrong" : fsc__dtype_name(type));
    if (FSC__FAULT_NOW != FSC__FAULT_NONE)
        fsc__fault_write_store(writer, fsc__dtype_name(type));
}

static void write_generated(const fsc__writer *writer, fsc__text *text)
{
    const fsc__text *const parts[] = {&writer->defines, &writer->ops, &writer->functions};
    fsc__text_add(text, "#define PARAMS %s\n#define ARGS %s\n",
                  writer->params.data ? writer->params.data : "",
                  writer->params_passed.data ? writer->params_passed.data : "");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i]->data)
            fsc__text_add(text, "%s", parts[i]->data);
        text->failed |= parts[i]->failed;
    }
    text->failed |= writer->params.failed || writer->params_passed.failed;
}

static fsc_status write_text(const fsc__writer *writer, const char *name, int width, char **flat,
                             fsc_error *why)
{
    fsc__text prelude = {0}, generated = {0}, text = {0};
    char file[NAME + 4];
    snprintf(file, sizeof file, "%s.cl", name);
    fsc__prelude_write(writer->emission->caps, width, &prelude);
    if (writer->constants.data)
        fsc__text_add(&prelude, "%s", writer->constants.data);
    write_generated(writer, &generated);
    const bool failed = prelude.failed || generated.failed || writer->constants.failed;
    const fsc_status status =
        failed ? fsc__fail(why, FSC_ERR_MEMORY, "out of memory for the text of %s", file)
               : fsc__source_flatten(file, prelude.data, generated.data, &text, why);
    fsc__text_deinit(&prelude);
    fsc__text_deinit(&generated);
    if (status == FSC_OK)
        *flat = text.data;
    else
        fsc__text_deinit(&text);
    return status;
}

fsc_status fsc__writer_finish(fsc__writer *writer, const char *name, int width, fsc__step step,
                              const fsc__args *fixed, fsc_error *why)
{
    fsc_status status = FSC_OK;
    fsc__args args = {0};
    snprintf(step.name, sizeof step.name, "%s", name);
    FSC_GO(write_text(writer, name, width, &step.text, why));
    fsc__args_append(&args, fixed);
    fsc__args_append(&args, &writer->args);
    if (args.failed) {
        status = fsc__fail(why, FSC_ERR_MEMORY, "out of memory for the arguments of %s", name);
        goto done;
    }
    step.args = args.at;
    step.arg_count = args.count;
    FSC_GO(fsc__kernels_add_step(writer->emission->kernels, &step, why));
    return FSC_OK;
done:
    fsc__free(step.text);
    fsc__args_deinit(&args);
    return status;
}
