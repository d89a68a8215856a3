/* Error texts, the names of the statuses and the version. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const status_texts[] = {
    [FSC_OK] = "ok",
    [FSC_UNSUPPORTED] = "unsupported",
    [FSC_ERR_INPUT] = "wrong input",
    [FSC_ERR_FILE] = "file error",
    [FSC_ERR_MEMORY] = "out of memory",
    [FSC_ERR_NO_DEVICE] = "no device",
    [FSC_ERR_DEVICE] = "device error",
    [FSC_ERR_BUILD] = "kernel build failed",
    [FSC_ERR_INTERNAL] = "internal error",
};

const char *fsc_version(void)
{
    return FSC_VERSION;
}

const char *fsc_status_text(fsc_status status)
{
    const size_t count = sizeof status_texts / sizeof status_texts[0];
    return (size_t)status < count ? status_texts[status] : "unknown status";
}

fsc_status fsc__fail(fsc_error *why, fsc_status status, const char *format, ...)
{
    if (!why)
        return status;
    /* Through a copy: why->text itself may be among the arguments. */
    char text[sizeof why->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    why->status = status;
    memcpy(why->text, text, strlen(text) + 1);
    return status;
}

void fsc__error_prefix(fsc_error *why, const char *format, ...)
{
    if (!why)
        return;
    char text[sizeof why->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, "%s", why->text);
    memcpy(why->text, text, strlen(text) + 1);
}
