/* Packs a stored matrix [batch][rows][cols] into f32 panels [batch][panel][K][PANEL], through the
   prologue; members of the last panel that the matrix lacks are 0. */
#include "vocabulary.h"
#include "rounded.h"
#include "portable.h"
#include "storage.h"

/* Rows are members of panels, columns are k. A work-item packs W ks of a panel. */
void pack_rows(global float *packed, int rows, int cols, int panels PARAMS)
{
    const int c = (int)get_global_id(0) * W;
    const int panel = (int)get_global_id(1), batch = (int)get_global_id(2);
    if (c >= cols || panel >= panels)
        return;
    const int n = cols - c;
    float part[PANEL * W];
    for (int member = 0; member < PANEL; member++) {
        const int row = panel * PANEL + member;
        const int r = batch * rows + row;
        real x = CONST(0.0f);
        if (row < rows)
            x = prologue(r, c, r * cols + c, n ARGS);
        VSTORE(x, part + member * W);
    }
    global float *to = packed + ((batch * panels + panel) * cols + c) * PANEL;
    for (int k = 0; k < W && k < n; k++)
        for (int member = 0; member < PANEL; member++)
            to[k * PANEL + member] = part[member * W + k];
}

/* Columns are members of panels, rows are k. A work-item packs W members; W divides PANEL. */
void pack_cols(global float *packed, int rows, int cols, int panels PARAMS)
{
    const int c = (int)get_global_id(0) * W, panel = c / PANEL;
    const int k = (int)get_global_id(1), batch = (int)get_global_id(2);
    if (panel >= panels || k >= rows)
        return;
    const int r = batch * rows + k;
    const int n = cols - c;
    real x = CONST(0.0f);
    if (c < cols)
        x = SELECT(LANE < (bits)(n), prologue(r, c, r * cols + c, n ARGS), x);
    VSTORE(x, packed + ((batch * panels + panel) * rows + k) * PANEL + (c - panel * PANEL));
}

kernel void pack_panel(global float *packed, int rows, int cols, int panels PARAMS)
{
    PACK(packed, rows, cols, panels ARGS);
}
