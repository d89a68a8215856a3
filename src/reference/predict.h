/* The prediction: what a device's every output bit will be. Shares cl/ops.def and cl/portable.h
   with the kernels; loops, indexing and rounding points are written independently.

   What is computed, all of it in f32; MUL, DIV, SQRT and FMA round once, as in cl/vocabulary.h.

   LOAD   a value of storage or params type becomes f32 exactly.
   STORE  is to the storage type, to nearest even; a NaN, tested before any rounding, is written as
          the canonical one: 0x7fc00000, 0x7e00 (f16), 0x7fc0 (bf16).
   boundary=round passes the value of each node but the group's last through STORE and LOAD.

   S(t): the sum of terms t(0) .. t(n-1) in the group's order.
     sequential  from +0, one after the other
     lanes:N     lane l from +0, terms l, l+N ..; then for s = N/2, N/4 .. 1: lane[i] = lane[i] +
                 lane[i+s] for i < s. Lanes beyond the terms stay +0 and take part
     chunk:N     runs of N terms, the last one shorter, each from +0; a total from +0 to which the
                 run sums are added in order
     A term that is a product, a*b: sum = FMA(a,b,sum) with contract=sums, else sum + MUL(a,b).
     Any other: sum + term.

   pointwise  the expression of ops.def; NumPy's broadcasting of the operands.
   matmul     out[i][j] = S(a[i][k]*b[k][j]) over k. A prologue works on the elements of A before.
   conv2d     out(n,o,y,x) = S(w[o][t]*in(n,c,i,j)) over t = (c, ky, kx), kx fastest, c in the group
              of o, i = y*stride + ky*dilation - top, j likewise. Outside the image `in` is +0,
              whatever a prologue makes of zeros, and is multiplied.
   norm       over the last axis, n = its length as f32, eps f32:
     layernorm  m, d and var by the variance field:
       two_pass   m = S(x)/n; d = x-m; var = S(d*d)/n
       corrected  m = S(x)/n; e = S(x-m)/n; d = (x-m)-e; var = S(d*d)/n
       one_pass   m = S(x)/n; d = x-m; var = S(x*x)/n - MUL(m,m)
       welford    d = x-m; var = M2/n, (count, m, M2) from zeros, element after element:
                    count = count+1; delta = x-m; m = m + DIV(delta,count);
                    M2 = FMA(delta, x-m, M2) with the new m; contract=off: M2 + MUL(delta, x-m)
                  Lanes and runs each do so with their elements; then the same tree, or the runs in
                  order into a total of zeros, merge b into a:
                    b.count 0: a; a.count 0: b; else count = a.count + b.count;
                    delta = b.m - a.m; m = a.m + MUL(delta, DIV(b.count,count));
                    M2 = (a.M2 + b.M2) + MUL(MUL(delta,delta), DIV(MUL(a.count,b.count), count))
       rstd = DIV(1, SQRT(var + eps)); y = MUL(MUL(d,rstd), gamma) + beta
     rmsnorm    rstd = DIV(1, SQRT(S(x*x)/n + eps)); y = MUL(MUL(x,rstd), gamma) */
#ifndef FSC_REFERENCE_PREDICT_H
#define FSC_REFERENCE_PREDICT_H

#include "fusion/plan.h"
#include "numeric/caps.h"

/* in: one tensor per graph input, in the types of fsc__graph_input_type. out: one tensor per graph
   output, initialised here with the storage type. Uses all processors; the same bits whatever their
   number and instruction set. fma OTHER is FSC_UNSUPPORTED.
   flushed (may be NULL): number of output elements that the fma quirk changed. */
fsc_status fsc__predict(const fsc__plan *plan, fsc__fma fma, const fsc_tensor in[],
                        fsc_tensor out[], int64_t *flushed, fsc_error *why);

/* One pointwise op in f32 over n elements, as the prediction computes it (before any rounding to
   storage). For tests of the formulas. in has an entry for each of the op's inputs. attr NULL: the
   op's initial values. out must not overlap an input. */
void fsc__predict_op(const fsc__op *op, fsc__fma fma, const float *const in[], const float *attr,
                     float *out, int64_t n);

/* The name of the instruction set chosen at run time ("avx512"), and a way to force one in tests
   (NULL: automatic; false when this machine lacks it). */
const char *fsc__predict_isa(void);
bool fsc__predict_force_isa(const char *name);

#endif
