/* Splits a loop over threads: each takes the next range until none is left. */
#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum {
    MOST_THREADS = 64,
    RANGES_PER_THREAD = 8 /* evens out ranges of unequal cost and busy processors */
};

typedef struct loop {
    int64_t count, step;
    atomic_llong next;
    fsc__parallel_body *body;
    void *context;
} loop;

static void *take_ranges(void *argument)
{
    loop *work = argument;
    for (;;) {
        const int64_t begin = atomic_fetch_add(&work->next, work->step);
        if (begin >= work->count)
            return NULL;
        const int64_t left = work->count - begin;
        work->body(work->context, begin, begin + (left < work->step ? left : work->step));
    }
}

static int processors(void)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : online > MOST_THREADS ? MOST_THREADS : (int)online;
}

void fsc__parallel(int64_t count, int64_t grain, fsc__parallel_body *body, void *context)
{
    if (count <= 0)
        return;
    if (grain < 1)
        grain = 1;
    const int threads = processors();
    if (threads == 1 || count <= grain) {
        body(context, 0, count);
        return;
    }
    const int64_t grains = (count - 1) / grain + 1;
    const int64_t share = grains / (threads * RANGES_PER_THREAD);
    loop work = {
        .count = count, .step = (share > 0 ? share : 1) * grain, .body = body, .context = context};
    pthread_t others[MOST_THREADS];
    int started = 0;
    while (started < threads - 1 && started < grains - 1 &&
           pthread_create(&others[started], NULL, take_ranges, &work) == 0)
        started++;
    take_ranges(&work);
    for (int i = 0; i < started; i++)
        pthread_join(others[i], NULL);
}
