/* The devices of this machine, as OpenCL lists them. */
#include "device/handle.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"

enum { MAX_PLATFORMS = 32, MAX_PER_PLATFORM = 64, INFO_BYTES = 2048 };

static const char install_hint[] =
    "install one: pocl-opencl-icd runs on any processor (Debian: apt install pocl-opencl-icd)";

/* A text that does not fit into bytes is cut. */
static fsc_status platform_text(cl_platform_id platform, cl_platform_info what, char *text,
                                size_t bytes, fsc_error *why)
{
    char whole[INFO_BYTES] = "";
    CL_TRY(clGetPlatformInfo(platform, what, sizeof whole - 1, whole, NULL), why);
    snprintf(text, bytes, "%.*s", (int)bytes - 1, whole);
    return FSC_OK;
}

static fsc_status device_text(cl_device_id device, cl_device_info what, char *text, size_t bytes,
                              fsc_error *why)
{
    char whole[INFO_BYTES] = "";
    CL_TRY(clGetDeviceInfo(device, what, sizeof whole - 1, whole, NULL), why);
    snprintf(text, bytes, "%.*s", (int)bytes - 1, whole);
    return FSC_OK;
}

static void write_type(cl_device_type type, char *text, size_t bytes)
{
    static const struct {
        cl_device_type bit;
        const char *name;
    } names[] = {
        {CL_DEVICE_TYPE_CPU, "cpu"},
        {CL_DEVICE_TYPE_GPU, "gpu"},
        {CL_DEVICE_TYPE_ACCELERATOR, "accelerator"},
    };
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof names[0] && used < bytes; ++i)
        if (type & names[i].bit)
            used +=
                (size_t)snprintf(text + used, bytes - used, "%s%s", used ? " " : "", names[i].name);
    if (used == 0)
        snprintf(text, bytes, "other");
}

static fsc_status describe(cl_platform_id platform, cl_device_id device, fsc__device_info *info,
                           fsc_error *why)
{
    fsc_error ignored;
    if (platform_text(platform, CL_PLATFORM_ICD_SUFFIX_KHR, info->suffix, sizeof info->suffix,
                      &ignored) != FSC_OK)
        info->suffix[0] = '\0';
    FSC_TRY(platform_text(platform, CL_PLATFORM_NAME, info->platform_name,
                          sizeof info->platform_name, why));
    FSC_TRY(platform_text(platform, CL_PLATFORM_VERSION, info->platform_version,
                          sizeof info->platform_version, why));
    FSC_TRY(device_text(device, CL_DEVICE_NAME, info->name, sizeof info->name, why));
    FSC_TRY(device_text(device, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor, why));
    FSC_TRY(device_text(device, CL_DEVICE_VERSION, info->version, sizeof info->version, why));
    FSC_TRY(device_text(device, CL_DRIVER_VERSION, info->driver, sizeof info->driver, why));
    cl_device_type type = 0;
    CL_TRY(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL), why);
    write_type(type, info->type, sizeof info->type);
    info->oclgrind = strstr(info->platform_name, "Oclgrind") != NULL;
    return FSC_OK;
}

/* *count is 0, with FSC_OK, where no driver is installed. */
static fsc_status list_platforms(cl_platform_id platforms[MAX_PLATFORMS], cl_uint *count,
                                 fsc_error *why)
{
    cl_int code = CL_SUCCESS;
    *count = 0;
    CL_TRY((code = clGetPlatformIDs(MAX_PLATFORMS, platforms, count),
            code == CL_PLATFORM_NOT_FOUND_KHR ? CL_SUCCESS : code),
           why);
    if (code != CL_SUCCESS)
        *count = 0;
    if (*count > MAX_PLATFORMS)
        *count = MAX_PLATFORMS;
    return FSC_OK;
}

static fsc_status list_devices(cl_platform_id platform, cl_device_id devices[MAX_PER_PLATFORM],
                               cl_uint *count, fsc_error *why)
{
    cl_int code = CL_SUCCESS;
    *count = 0;
    CL_TRY((code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_PER_PLATFORM, devices, count),
            code == CL_DEVICE_NOT_FOUND ? CL_SUCCESS : code),
           why);
    if (code != CL_SUCCESS)
        *count = 0;
    if (*count > MAX_PER_PLATFORM)
        *count = MAX_PER_PLATFORM;
    return FSC_OK;
}

/* Appends a platform's devices. A platform that fails is left out with a warning: the others work.
 */
static fsc_status append_platform(cl_platform_id platform, int index, fsc__device_info **list,
                                  int *count, fsc_error *why)
{
    cl_device_id devices[MAX_PER_PLATFORM];
    cl_uint found;
    fsc_error problem;
    if (list_devices(platform, devices, &found, &problem) != FSC_OK) {
        fsc__log(FSC__LOG_WARN, "OpenCL platform %d is left out: %s", index, problem.text);
        return FSC_OK;
    }
    if (found == 0)
        return FSC_OK;
    fsc__device_info *longer = fsc__realloc(*list, (size_t)*count + found, sizeof **list);
    if (!longer)
        FSC_FAIL(why, FSC_ERR_MEMORY, "out of memory while devices are listed");
    *list = longer;
    for (cl_uint i = 0; i < found; ++i) {
        fsc__device_info *info = &longer[*count];
        memset(info, 0, sizeof *info);
        info->platform = index;
        info->device = (int)i;
        if (describe(platform, devices[i], info, &problem) != FSC_OK)
            fsc__log(FSC__LOG_WARN, "OpenCL device %d.%d is left out: %s", index, (int)i,
                     problem.text);
        else
            ++*count;
    }
    return FSC_OK;
}

fsc_status fsc__devices_list(fsc__device_info **list, int *count, fsc_error *why)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint platform_count;
    FSC_TRY(list_platforms(platforms, &platform_count, why));
    if (platform_count == 0)
        FSC_FAIL(why, FSC_ERR_NO_DEVICE, "no OpenCL driver is installed; %s", install_hint);
    fsc__device_info *found = NULL;
    int found_count = 0;
    for (cl_uint p = 0; p < platform_count; ++p) {
        const fsc_status status = append_platform(platforms[p], (int)p, &found, &found_count, why);
        if (status != FSC_OK) {
            fsc__free(found);
            return status;
        }
    }
    if (found_count == 0) {
        fsc__free(found);
        FSC_FAIL(why, FSC_ERR_NO_DEVICE,
                 "%u OpenCL driver%s installed and none has a device (rusticl's devices show "
                 "with RUSTICL_ENABLE=llvmpipe); %s",
                 (unsigned)platform_count, platform_count == 1 ? " is" : "s are", install_hint);
    }
    *list = found;
    *count = found_count;
    return FSC_OK;
}

fsc_status fsc__device_find(const fsc__device_info *info, cl_platform_id *platform,
                            cl_device_id *id, fsc_error *why)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_device_id devices[MAX_PER_PLATFORM];
    cl_uint platform_count, device_count = 0;
    FSC_TRY(list_platforms(platforms, &platform_count, why));
    if ((cl_uint)info->platform < platform_count)
        FSC_TRY(list_devices(platforms[info->platform], devices, &device_count, why));
    if ((cl_uint)info->device >= device_count)
        FSC_FAIL(why, FSC_ERR_NO_DEVICE, "device %d.%d (%s) is not there any more", info->platform,
                 info->device, info->name);
    *platform = platforms[info->platform];
    *id = devices[info->device];
    return FSC_OK;
}
