/* Names of OpenCL calls and codes, the live-object count, and failures on purpose. */
#include "device/opencl.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static atomic_long calls_begun, objects_live;
static atomic_long failure_in = -1;

#define ROW(code)   \
    {               \
        code, #code \
    }
static const struct {
    cl_int code;
    const char *name;
} code_names[] = {
    ROW(CL_SUCCESS),
    ROW(CL_DEVICE_NOT_FOUND),
    ROW(CL_DEVICE_NOT_AVAILABLE),
    ROW(CL_COMPILER_NOT_AVAILABLE),
    ROW(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    ROW(CL_OUT_OF_RESOURCES),
    ROW(CL_OUT_OF_HOST_MEMORY),
    ROW(CL_PROFILING_INFO_NOT_AVAILABLE),
    ROW(CL_MEM_COPY_OVERLAP),
    ROW(CL_BUILD_PROGRAM_FAILURE),
    ROW(CL_MAP_FAILURE),
    ROW(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    ROW(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    ROW(CL_COMPILE_PROGRAM_FAILURE),
    ROW(CL_LINKER_NOT_AVAILABLE),
    ROW(CL_LINK_PROGRAM_FAILURE),
    ROW(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    ROW(CL_INVALID_VALUE),
    ROW(CL_INVALID_DEVICE_TYPE),
    ROW(CL_INVALID_PLATFORM),
    ROW(CL_INVALID_DEVICE),
    ROW(CL_INVALID_CONTEXT),
    ROW(CL_INVALID_QUEUE_PROPERTIES),
    ROW(CL_INVALID_COMMAND_QUEUE),
    ROW(CL_INVALID_HOST_PTR),
    ROW(CL_INVALID_MEM_OBJECT),
    ROW(CL_INVALID_BINARY),
    ROW(CL_INVALID_BUILD_OPTIONS),
    ROW(CL_INVALID_PROGRAM),
    ROW(CL_INVALID_PROGRAM_EXECUTABLE),
    ROW(CL_INVALID_KERNEL_NAME),
    ROW(CL_INVALID_KERNEL_DEFINITION),
    ROW(CL_INVALID_KERNEL),
    ROW(CL_INVALID_ARG_INDEX),
    ROW(CL_INVALID_ARG_VALUE),
    ROW(CL_INVALID_ARG_SIZE),
    ROW(CL_INVALID_KERNEL_ARGS),
    ROW(CL_INVALID_WORK_DIMENSION),
    ROW(CL_INVALID_WORK_GROUP_SIZE),
    ROW(CL_INVALID_WORK_ITEM_SIZE),
    ROW(CL_INVALID_GLOBAL_OFFSET),
    ROW(CL_INVALID_EVENT_WAIT_LIST),
    ROW(CL_INVALID_EVENT),
    ROW(CL_INVALID_OPERATION),
    ROW(CL_INVALID_BUFFER_SIZE),
    ROW(CL_INVALID_GLOBAL_WORK_SIZE),
    ROW(CL_INVALID_PROPERTY),
    ROW(CL_INVALID_COMPILER_OPTIONS),
    ROW(CL_INVALID_LINKER_OPTIONS),
    ROW(CL_PLATFORM_NOT_FOUND_KHR),
    {FSC__CL_INJECTED, "made to fail by a test"},
};
#undef ROW

const char *fsc__cl_code_name(cl_int code)
{
    for (size_t i = 0; i < sizeof code_names / sizeof code_names[0]; ++i)
        if (code_names[i].code == code)
            return code_names[i].name;
    return "a code that OpenCL 1.2 does not know";
}

bool fsc__cl_begin(void)
{
    atomic_fetch_add(&calls_begun, 1);
    if (atomic_load(&failure_in) < 0)
        return true;
    return atomic_fetch_sub(&failure_in, 1) != 0;
}

/* The first identifier of the form cl[A-Z]... in the text of a call. */
static int find_name(const char *call, const char **name)
{
    for (const char *at = strstr(call, "cl"); at; at = strstr(at + 1, "cl")) {
        if (!isupper((unsigned char)at[2]) || (at > call && (isalnum((unsigned char)at[-1]))))
            continue;
        int length = 2;
        while (isalnum((unsigned char)at[length]))
            ++length;
        *name = at;
        return length;
    }
    *name = "OpenCL";
    return 6;
}

fsc_status fsc__cl_status(cl_int code, const char *call, fsc_error *why)
{
    if (code == CL_SUCCESS)
        return FSC_OK;
    const char *name;
    const int length = find_name(call, &name);
    const bool memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY;
    FSC_FAIL(why, memory ? FSC_ERR_MEMORY : FSC_ERR_DEVICE, "%.*s: %s (%d)", length, name,
             fsc__cl_code_name(code), (int)code);
}

fsc_status fsc__cl_made(fsc_status status)
{
    if (status == FSC_OK)
        atomic_fetch_add(&objects_live, 1);
    return status;
}

fsc_status fsc__cl_at(fsc_status status, fsc_error *why, const char *format, ...)
{
    if (status == FSC_OK || !why)
        return status;
    const size_t used = strlen(why->text);
    const size_t room = sizeof why->text - used;
    if (room < 16)
        return status;
    va_list arguments;
    va_start(arguments, format);
    char text[256];
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(why->text + used, room, " (%s)", text);
    return status;
}

void fsc__cl_release_context(cl_context *context)
{
    if (*context) {
        clReleaseContext(*context);
        atomic_fetch_sub(&objects_live, 1);
    }
    *context = NULL;
}

void fsc__cl_release_queue(cl_command_queue *queue)
{
    if (*queue) {
        clReleaseCommandQueue(*queue);
        atomic_fetch_sub(&objects_live, 1);
    }
    *queue = NULL;
}

void fsc__cl_release_program(cl_program *program)
{
    if (*program) {
        clReleaseProgram(*program);
        atomic_fetch_sub(&objects_live, 1);
    }
    *program = NULL;
}

void fsc__cl_release_kernel(cl_kernel *kernel)
{
    if (*kernel) {
        clReleaseKernel(*kernel);
        atomic_fetch_sub(&objects_live, 1);
    }
    *kernel = NULL;
}

void fsc__cl_release_buffer(cl_mem *buffer)
{
    if (*buffer) {
        clReleaseMemObject(*buffer);
        atomic_fetch_sub(&objects_live, 1);
    }
    *buffer = NULL;
}

void fsc__cl_release_event(cl_event *event)
{
    if (*event) {
        clReleaseEvent(*event);
        atomic_fetch_sub(&objects_live, 1);
    }
    *event = NULL;
}

void fsc__cl_fail_after(long successes)
{
    atomic_store(&failure_in, successes);
}

long fsc__cl_calls(void)
{
    return atomic_load(&calls_begun);
}

long fsc__cl_live(void)
{
    return atomic_load(&objects_live);
}
