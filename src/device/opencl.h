/* The one wrapper for OpenCL calls: each is named in its error, counted, and can be made to fail.
   This is the only file that includes the OpenCL header. */
#ifndef FSC_DEVICE_OPENCL_H
#define FSC_DEVICE_OPENCL_H

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue: the devices are 1.2 */
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdbool.h>

#include "base/status.h"

/* An OpenCL call as a status: "clFinish: CL_OUT_OF_RESOURCES". */
#define CL_CALL(call, why) fsc__cl_status(fsc__cl_begin() ? (call) : FSC__CL_INJECTED, #call, why)

/* The same for a call that returns an object and puts its code into the variable `code`; the object
   is counted until one of the functions below releases it. */
#define CL_MAKE(object, call, why) fsc__cl_made(CL_CALL(((object) = (call), code), why))

/* Returns the failure of an OpenCL call. */
#define CL_TRY(call, why) FSC_TRY(CL_CALL(call, why))

enum { FSC__CL_INJECTED = -9999 };

bool fsc__cl_begin(void); /* counts a call; false: do not make it, it fails on purpose */
fsc_status fsc__cl_status(cl_int code, const char *call, fsc_error *why);
fsc_status fsc__cl_made(fsc_status status);

/* "CL_OUT_OF_RESOURCES"; static. */
const char *fsc__cl_code_name(cl_int code);

/* Appends " (<text>)" to what a failure says and returns it; FSC_OK passes through. */
fsc_status fsc__cl_at(fsc_status status, fsc_error *why, const char *format, ...) FSC_PRINTF(3, 4);

/* Releases *object, if any, and sets it to NULL. */
void fsc__cl_release_context(cl_context *context);
void fsc__cl_release_queue(cl_command_queue *queue);
void fsc__cl_release_program(cl_program *program);
void fsc__cl_release_kernel(cl_kernel *kernel);
void fsc__cl_release_buffer(cl_mem *buffer);
void fsc__cl_release_event(cl_event *event);

/* For tests. The call after `successes` more successful ones fails, once; -1 turns it off. */
void fsc__cl_fail_after(long successes);
long fsc__cl_calls(void); /* calls begun so far; releases are not counted */
long fsc__cl_live(void);  /* objects made and not yet released */

#endif
