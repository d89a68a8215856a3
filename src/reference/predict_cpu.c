/* Which instruction set the prediction uses on this processor. */
#include <stdatomic.h>
#include <string.h>

#include "reference/predict.h"
#include "reference/predict_isa.h"

typedef struct variant {
    const char *name;
    const fsc__predict_loops *exact, *flushes;
} variant;

#if defined(__x86_64__)
enum { VARIANT_COUNT = 3 };
static const variant variants[VARIANT_COUNT] = {
    {"avx512", &fsc__predict_loops_avx512_exact, &fsc__predict_loops_avx512_flushes},
    {"avx2", &fsc__predict_loops_avx2_exact, &fsc__predict_loops_avx2_flushes},
    {"generic", &fsc__predict_loops_generic_exact, &fsc__predict_loops_generic_flushes},
};

static bool processor_has(int index)
{
    if (index == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("fma");
    if (index == 1)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return true;
}
#else
enum { VARIANT_COUNT = 1 };
static const variant variants[VARIANT_COUNT] = {
    {"generic", &fsc__predict_loops_generic_exact, &fsc__predict_loops_generic_flushes},
};

static bool processor_has(int index)
{
    return index == 0;
}
#endif

static atomic_int forced = -1; /* index into variants, or -1 */

static const variant *variant_in_use(void)
{
    int index = atomic_load(&forced);
    if (index < 0) {
        index = 0;
        while (!processor_has(index))
            index++;
    }
    return &variants[index];
}

const char *fsc__predict_isa(void)
{
    return variant_in_use()->name;
}

bool fsc__predict_force_isa(const char *name)
{
    if (!name) {
        atomic_store(&forced, -1);
        return true;
    }
    for (int i = 0; i < VARIANT_COUNT; i++) {
        if (strcmp(name, variants[i].name) == 0 && processor_has(i)) {
            atomic_store(&forced, i);
            return true;
        }
    }
    return false;
}

const fsc__predict_loops *fsc__predict_loops_of(fsc__fma fma)
{
    const variant *in_use = variant_in_use();
    return fma == FSC__FMA_FLUSHES ? in_use->flushes : in_use->exact;
}
