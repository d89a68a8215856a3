/* One operation on W patterns a work-item: what src/device/check.c compares with C. The generated
   probe_op has one case per check. */
#include "rounded.h"
#include "storage.h"

/* Something that takes time, for the device's timer; with y and z of 1 it counts its loops. */
real probe_spin(real x, real y, real z, int loops)
{
    for (int i = 0; i < loops; i++)
        x = FMA(x, y, z);
    return x;
}

kernel void probe(global const float *x, global const float *y, global const float *z,
                  global const ushort *halves, global ushort *codes, global float *out, int op,
                  int loops)
{
    const int i = (int)get_global_id(0) * W;
    if (op == PROBE_LOAD_HALF)
        store_f32(out, i, W, load_f16(halves, i, W));
    else if (op == PROBE_STORE_HALF)
        store_f16(codes, i, W, load_f32(x, i, W));
    else if (op == PROBE_SPIN || (op == PROBE_COUNT && i == 0))
        store_f32(out, i, W,
                  probe_spin(load_f32(x, i, W), load_f32(y, i, W), load_f32(z, i, W), loops));
    else
        store_f32(out, i, W, probe_op(op, load_f32(x, i, W), load_f32(y, i, W), load_f32(z, i, W)));
}
