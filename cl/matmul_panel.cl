/* out[batch,M,N] = epilogue(A B) from packed panels: a [batch][panel][K][MR], b [batch or
   1][panel][K][NR]. A work-item makes a tile of MR rows x NR columns in registers. */
#include "vocabulary.h"
#include "rounded.h"
#include "portable.h"
#include "storage.h"
#include "tile.h"

kernel void matmul_panel(global STORED *out, global const float *a, global const float *b, int M,
                         int N, int K, int b_batches PARAMS)
{
    const int m_panel = (int)get_global_id(0), m_panels = (M + MR - 1) / MR;
    const int n_panel = (int)get_global_id(1), n_panels = (N + NR - 1) / NR;
    const int batch = (int)get_global_id(2);
    real tile[MR][NV];
    SUM(tile, a + (batch * m_panels + m_panel) * K * MR,
        b + (batch % b_batches * n_panels + n_panel) * K * NR, K);
#pragma unroll
    for (int j = 0; j < MR; j++) {
#pragma unroll
        for (int v = 0; v < NV; v++) {
            const int m = m_panel * MR + j;
            const int c = n_panel * NR + v * W;
            const int r = batch * M + m;
            const int i = r * N + c;
            const int n = N - c;
            if (m < M && c < N)
                STORE(out, i, n, epilogue(tile[j][v], r, c, i, n ARGS));
        }
    }
}
