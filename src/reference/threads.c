/* Threads with a known floating-point environment. */
#include "reference/threads.h"

#include <stdatomic.h>

#include "base/parallel.h"
#include "numeric/fpenv.h"

typedef struct work {
    fsc__threads_body *body;
    void *context;
    atomic_int status;
} work;

static void run_body(void *context, int64_t begin, int64_t end)
{
    work *w = context;
    if (atomic_load(&w->status) != FSC_OK)
        return;
    fsc__fpenv env;
    fsc__fpenv_enter(&env);
    fsc_status status = w->body(w->context, begin, end);
    if (!fsc__fpenv_leave(&env))
        status = FSC_ERR_INTERNAL;
    if (status != FSC_OK)
        atomic_store(&w->status, (int)status);
}

fsc_status fsc__threads_run(int64_t count, int64_t grain, fsc__threads_body *body, void *context,
                            fsc_error *why)
{
    work w = {.body = body, .context = context};
    atomic_init(&w.status, (int)FSC_OK);
    fsc__parallel(count, grain, run_body, &w);
    const fsc_status status = (fsc_status)atomic_load(&w.status);
    if (status == FSC_ERR_MEMORY)
        FSC_FAIL(why, status, "out of memory on the host");
    if (status != FSC_OK)
        FSC_FAIL(why, status, "the floating-point environment changed during a computation");
    return FSC_OK;
}
