/* The flushing fma: the text of cl/vocabulary.h, as the prediction compiles it. */
#define FSC_FMA_FLUSHES
#include "vocabulary.h"

#include "device/check.h"

float fsc__check_flushing_fma(float x, float y, float z)
{
    return FMA(x, y, z);
}
