/* A chain of pointwise ops over rows x cols. A work-item makes W neighbouring columns of a row. */
#include "vocabulary.h"
#include "rounded.h"
#include "portable.h"
#include "storage.h"

kernel void map(global STORED *out, int rows, int cols PARAMS)
{
    const int c = (int)get_global_id(0) * W;
    const int r = (int)get_global_id(1);
    if (c >= cols || r >= rows)
        return;
    const int i = r * cols + c;
    const int n = cols - c;
    STORE(out, i, n, chain(r, c, i, n ARGS));
}
