/* Sets and checks rounding mode, flush-to-zero and denormals-are-zero: directly in MXCSR on x86,
   through <fenv.h> elsewhere. */
#include "numeric/fpenv.h"

#if defined(__SSE__)
#include <xmmintrin.h>

enum {
    MXCSR_DEFAULT = 0x1f80, /* nearest even, exceptions masked, FTZ and DAZ off */
    MXCSR_STATUS = 0x3f     /* the exception flags, which arithmetic sets */
};

void fsc__fpenv_enter(fsc__fpenv *env)
{
    env->saved[0] = _mm_getcsr();
    _mm_setcsr(MXCSR_DEFAULT);
}

bool fsc__fpenv_leave(const fsc__fpenv *env)
{
    const bool kept = (_mm_getcsr() & ~(unsigned)MXCSR_STATUS) == MXCSR_DEFAULT;
    _mm_setcsr((unsigned)env->saved[0]);
    return kept;
}

#else
#include <assert.h>
#include <fenv.h>
#include <string.h>

static_assert(sizeof(fenv_t) <= sizeof(fsc__fpenv), "the environment fits into what is saved");

void fsc__fpenv_enter(fsc__fpenv *env)
{
    fenv_t now;
    fegetenv(&now);
    memcpy(env->saved, &now, sizeof now);
    fesetenv(FE_DFL_ENV);
}

/* The standard has no word for flushing, so it is observed. */
static bool keeps_subnormals(void)
{
    volatile float smallest = 0x1p-126f, subnormal = 0x1p-140f;
    return smallest * 0.5f == 0x1p-127f && subnormal * 0x1p100f == 0x1p-40f;
}

bool fsc__fpenv_leave(const fsc__fpenv *env)
{
    const bool kept = fegetround() == FE_TONEAREST && keeps_subnormals();
    fenv_t saved;
    memcpy(&saved, env->saved, sizeof saved);
    fesetenv(&saved);
    return kept;
}
#endif
