/* From flat text to a kernel: the cache, the driver's compiler, its log, the dump folder. */
#include "device/launch_private.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "device/build_log.h"
#include "device/shelf.h"

/* Saves into the dump folder, if there is one, as LABEL-KEY.suffix. */
static void dump(fsc_device *device, const char *label, const char *key, const char *suffix,
                 const void *data, size_t bytes)
{
    if (!device->dump)
        return;
    char name[128];
    snprintf(name, sizeof name, "%.60s-%.8s%s", label, key, suffix);
    fsc__device_save(device, device->dump, name, data, bytes);
}

/* Checks a cache file and hands its binary to the driver. On failure *program is NULL. */
static fsc_status load_binary(fsc_device *device, const char *key, const char *label,
                              const void *file, size_t file_bytes, cl_program *program,
                              fsc_error *why)
{
    const void *binary = NULL;
    size_t bytes = 0;
    const char *reason = NULL;
    if (!fsc__cache_check(key, file, file_bytes, &binary, &bytes, &reason))
        FSC_FAIL(why, FSC_ERR_FILE, "%s", reason);
    const unsigned char *binaries[] = {binary};
    cl_int code = CL_SUCCESS, accepted = CL_SUCCESS;
    FSC_TRY(CL_MAKE(*program,
                    clCreateProgramWithBinary(device->context, 1, &device->id, &bytes, binaries,
                                              &accepted, &code),
                    why));
    const fsc_status status =
        CL_CALL(clBuildProgram(*program, 1, &device->id, device->options, NULL, NULL), why);
    if (status != FSC_OK)
        fsc__cl_release_program(program);
    else
        dump(device, label, key, ".bin", binary, bytes);
    return status;
}

/* A program from the cache. *program stays NULL where there is none, or none that can be used:
   that is never a failure, the text is compiled instead. */
static void load_cached(fsc_device *device, const char *key, const char *label, cl_program *program)
{
    char name[FSC__CACHE_NAME_BYTES];
    fsc__cache_name(key, name);
    char *path = fsc__device_path(device->cache, name);
    if (path && fsc__file_exists(path)) {
        fsc_error problem;
        char *file = NULL;
        size_t bytes = 0;
        fsc_status status = fsc__file_read(path, &file, &bytes, &problem);
        if (status == FSC_OK)
            status = load_binary(device, key, label, file, bytes, program, &problem);
        if (status != FSC_OK)
            fsc__log(FSC__LOG_INFO, "cached program %s is built again: %s", path, problem.text);
        fsc__free(file);
    }
    fsc__free(path);
}

/* Puts a built program's binary into the cache and the dump folder. Drivers that have none, or
   fail to give it, lose the cache and nothing else. */
static void save_binary(fsc_device *device, const char *key, const char *label, cl_program program)
{
    if (!device->cache && !device->dump)
        return;
    fsc_error problem;
    size_t bytes = 0;
    if (CL_CALL(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL),
                &problem) != FSC_OK ||
        bytes == 0) {
        fsc__log(FSC__LOG_INFO, "%s gives no binary of %s: not cached",
                 fsc__device_alias(&device->info), label);
        return;
    }
    unsigned char *file = fsc__alloc(FSC__CACHE_HEADER_BYTES + bytes, 1);
    if (!file)
        return;
    unsigned char *binaries[] = {file + FSC__CACHE_HEADER_BYTES};
    if (CL_CALL(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL),
                &problem) == FSC_OK) {
        dump(device, label, key, ".bin", binaries[0], bytes);
        if (device->cache) {
            char name[FSC__CACHE_NAME_BYTES];
            fsc__cache_header(key, binaries[0], bytes, file);
            fsc__cache_name(key, name);
            fsc__device_save(device, device->cache, name, file, FSC__CACHE_HEADER_BYTES + bytes);
        }
    } else {
        fsc__log(FSC__LOG_INFO, "%s is not cached: %s", label, problem.text);
    }
    fsc__free(file);
}

/* The driver's build log, *log freed by the caller; "" where it gives none. */
static fsc_status read_log(fsc_device *device, cl_program program, char **log, fsc_error *why)
{
    fsc_error problem;
    size_t bytes = 0;
    if (CL_CALL(clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes),
                &problem) != FSC_OK)
        bytes = 0;
    char *text = fsc__calloc(bytes + 1, 1);
    if (!text)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory for a build log of %zu bytes", bytes);
    if (bytes > 0 &&
        CL_CALL(clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, bytes, text, NULL),
                &problem) != FSC_OK)
        text[0] = '\0';
    *log = text;
    return FSC_OK;
}

static fsc_status compile(fsc_device *device, const char *key, const char *text, const char *label,
                          cl_program *program, fsc__text *log, fsc_error *why)
{
    cl_int code = CL_SUCCESS;
    FSC_TRY(
        CL_MAKE(*program, clCreateProgramWithSource(device->context, 1, &text, NULL, &code), why));
    fsc_status status = CL_CALL(
        (code = clBuildProgram(*program, 1, &device->id, device->options, NULL, NULL)), why);
    char *driver_log = NULL;
    const fsc_status log_status = read_log(device, *program, &driver_log, why);
    if (log_status != FSC_OK)
        return log_status;
    if (driver_log[0] != '\0')
        dump(device, label, key, ".log", driver_log, strlen(driver_log));
    if (log)
        fsc__text_add_bytes(log, driver_log, strlen(driver_log));
    if (code == CL_BUILD_PROGRAM_FAILURE) {
        char line[512];
        fsc__build_log_error(text, driver_log, line, sizeof line);
        status = fsc__fail(why, FSC_ERR_BUILD, "%s does not build on %s: %s", label,
                           fsc__device_alias(&device->info), line);
    }
    fsc__free(driver_log);
    return status;
}

fsc_status fsc__program_build(fsc_device *device, const char *text, const char *label,
                              cl_program *program, bool *cached, fsc__text *log, fsc_error *why)
{
    char key[FSC__CACHE_KEY_BYTES];
    FSC_TRY(fsc__cache_key(text, device->options, &device->info, key, why));
    dump(device, label, key, ".cl", text, strlen(text));
    *program = NULL;
    if (device->cache)
        load_cached(device, key, label, program);
    if (cached)
        *cached = *program != NULL;
    if (*program)
        return FSC_OK;
    const fsc_status status = compile(device, key, text, label, program, log, why);
    if (status == FSC_OK)
        save_binary(device, key, label, *program);
    else
        fsc__cl_release_program(program);
    return status;
}

/* Compares the kernel's parameters with the step's arguments: their number and, where the driver
   tells them, their names. A mismatch is our own mistake. */
static fsc_status check_arguments(cl_kernel kernel, const fsc__step *step, fsc_error *why)
{
    cl_uint count = 0;
    CL_TRY(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL), why);
    if (count != (cl_uint)step->arg_count)
        FSC_FAIL(why, FSC_ERR_INTERNAL, "kernel %s has %u parameters and its step %d arguments",
                 step->name, (unsigned)count, step->arg_count);
#ifndef NDEBUG
    for (cl_uint i = 0; i < count; ++i) {
        char name[256] = "";
        fsc_error ignored;
        if (CL_CALL(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof name, name, NULL),
                    &ignored) != FSC_OK ||
            name[0] == '\0')
            continue;
        if (strcmp(name, step->args[i].name) != 0)
            FSC_FAIL(why, FSC_ERR_INTERNAL, "parameter %u of kernel %s is %s; the step passes %s",
                     (unsigned)i, step->name, name, step->args[i].name);
    }
#endif
    return FSC_OK;
}

static fsc_status make_kernel(fsc_device *device, const fsc__step *step, fsc__program *made,
                              bool *cached, fsc__text *log, fsc_error *why)
{
    cl_int code = CL_SUCCESS;
    FSC_TRY(fsc__program_build(device, step->text, step->name, &made->program, cached, log, why));
    FSC_TRY(CL_MAKE(made->kernel, clCreateKernel(made->program, step->name, &code), why));
    CL_TRY(clGetKernelWorkGroupInfo(made->kernel, device->id, CL_KERNEL_WORK_GROUP_SIZE,
                                    sizeof made->group, &made->group, NULL),
           why);
    return check_arguments(made->kernel, step, why);
}

fsc_status fsc__program_create(fsc_device *device, const fsc__step *step, fsc__program **program,
                               bool *cached, fsc__text *log, fsc_error *why)
{
    char key[FSC__CACHE_KEY_BYTES];
    FSC_TRY(fsc__cache_key(step->text, device->options, &device->info, key, why));
    *program = fsc__shelf_take(device, key);
    if (*program) {
        if (cached)
            *cached = true;
        return FSC_OK;
    }
    fsc__program *made = fsc__calloc(1, sizeof *made);
    if (!made)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory for a program");
    made->device = device;
    made->users = 1;
    memcpy(made->key, key, sizeof key);
    snprintf(made->name, sizeof made->name, "%s", step->name);
    const fsc_status status = make_kernel(device, step, made, cached, log, why);
    if (status != FSC_OK) {
        fsc__program_destroy(made);
        return status == FSC_ERR_BUILD ? status
                                       : fsc__cl_at(status, why, "%s on %s", step->name,
                                                    fsc__device_alias(&device->info));
    }
    fsc__shelf_put(device, made);
    *program = made;
    return FSC_OK;
}

void fsc__program_free(fsc__program *program)
{
    if (!program)
        return;
    program->users--;
    if (program->users == 0 && !program->shelved)
        fsc__program_destroy(program);
}

void fsc__program_destroy(fsc__program *program)
{
    fsc__cl_release_kernel(&program->kernel);
    fsc__cl_release_program(&program->program);
    fsc__free(program);
}
