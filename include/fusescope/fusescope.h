/* fusescope: fused OpenCL kernels whose every output bit is predicted.
 *
 * The part of the public API that exists so far: statuses and errors. Rules that hold everywhere:
 * opaque objects come from create/open/parse and go to free/close, which accept NULL; a function
 * that fails leaves its outputs untouched and says in *why, in words, what happened; the library
 * never prints, exits or aborts. */
#ifndef FUSESCOPE_H
#define FUSESCOPE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fsc_status {
    FSC_OK = 0,
    FSC_UNSUPPORTED,   /* an answer, not a failure: this device, mode or version cannot do it */
    FSC_ERR_INPUT,     /* the caller's graph, shape, mode, config or tensor is wrong */
    FSC_ERR_FILE,      /* a file cannot be read or written, or is not what it claims */
    FSC_ERR_MEMORY,    /* the host or the device is out of memory */
    FSC_ERR_NO_DEVICE, /* no driver, no device, or the selector fits none or several */
    FSC_ERR_DEVICE,    /* an OpenCL call failed */
    FSC_ERR_BUILD,     /* the driver rejected a kernel */
    FSC_ERR_INTERNAL   /* our own mistake; please report it */
} fsc_status;

/* Caller-owned, may be uninitialised before a call. Written only on failure. */
typedef struct fsc_error {
    fsc_status status;
    char text[2048]; /* one or more sentences, no final newline */
} fsc_error;

/* "0.1.0"; static. */
const char *fsc_version(void);

/* The status as a word, for example "no device"; static. */
const char *fsc_status_text(fsc_status status);

#ifdef __cplusplus
}
#endif
#endif
