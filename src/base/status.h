/* The three macros that change control flow, and the function behind them. */
#ifndef FSC_BASE_STATUS_H
#define FSC_BASE_STATUS_H

#include "fusescope/fusescope.h"

#if defined(__GNUC__)
#define FSC_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define FSC_PRINTF(format_index, first)
#endif

/* Formats into why (which may be NULL) and returns status. */
fsc_status fsc__fail(fsc_error *why, fsc_status status, const char *format, ...) FSC_PRINTF(3, 4);

/* Puts text in front of what why already says: "configs/a.json: /seed: " and so on. */
void fsc__error_prefix(fsc_error *why, const char *format, ...) FSC_PRINTF(2, 3);

/* Returns a failure of this function. */
#define FSC_FAIL(why, status_value, ...) return fsc__fail((why), (status_value), __VA_ARGS__)

/* Returns the failure of a call. */
#define FSC_TRY(call)                        \
    do {                                     \
        const fsc_status fsc_tried = (call); \
        if (fsc_tried != FSC_OK)             \
            return fsc_tried;                \
    } while (0)

/* For functions that hold resources: stores the failure of a call in `status`, jumps to `done:`. */
#define FSC_GO(call)          \
    do {                      \
        status = (call);      \
        if (status != FSC_OK) \
            goto done;        \
    } while (0)

#endif
