/* Where a kernel finds an operand that is broadcast to the shape the kernel works on. */
#include "fusion/access.h"

int64_t fsc__access_dim(const fsc__shape *operand, const fsc__shape *out, int axis)
{
    const int own = axis - (out->rank - operand->rank);
    return own >= 0 ? operand->dims[own] : 1;
}

bool fsc__access_fits(const fsc__shape *operand, const fsc__shape *out)
{
    if (operand->rank > out->rank)
        return false;
    for (int axis = 0; axis < out->rank; axis++) {
        const int64_t size = fsc__access_dim(operand, out, axis);
        if (size != 1 && size != out->dims[axis])
            return false;
    }
    return true;
}

static bool varies(const fsc__shape *operand, const fsc__shape *out, int axis)
{
    return fsc__access_dim(operand, out, axis) > 1;
}

/* The first axis of those whose product is cols; -1 when no trailing axes have that product. Axes
   of 1 in front of them stay with the rows. */
static int first_col_axis(const fsc__shape *out, int64_t cols)
{
    int64_t product = 1;
    int axis = out->rank;
    while (axis > 0 && product < cols)
        product *= out->dims[--axis];
    return product == cols ? axis : -1;
}

/* Whether the operand is constant (*along false) or varies fully (*along true) over the axes of
   out from first on. */
static bool uniform_over(const fsc__shape *operand, const fsc__shape *out, int first, bool *along)
{
    bool any = false, all = true;
    for (int axis = first; axis < out->rank; axis++) {
        if (out->dims[axis] == 1)
            continue;
        any |= varies(operand, out, axis);
        all &= varies(operand, out, axis);
    }
    *along = any;
    return all || !any;
}

bool fsc__access_of(const fsc__shape *operand, const fsc__shape *out, int64_t cols,
                    fsc__access *access)
{
    const int first = first_col_axis(out, cols);
    bool along = false;
    if (first < 0 || !fsc__access_fits(operand, out) || !uniform_over(operand, out, first, &along))
        return false;
    fsc__access found = {.along_cols = along, .div = 1, .mod = 1, .stride = along ? cols : 1};
    bool before = false; /* a constant axis lies before the varying ones: none may follow */
    for (int axis = first - 1; axis >= 0; axis--) {
        if (out->dims[axis] == 1)
            continue;
        if (!varies(operand, out, axis)) {
            if (found.mod == 1)
                found.div *= out->dims[axis];
            else
                before = true;
        } else if (before) {
            return false;
        } else {
            found.mod *= out->dims[axis];
        }
    }
    if (found.mod == 1)
        found.div = 1;
    *access = found;
    return true;
}

int64_t fsc__access_view(const fsc__shape *out, const fsc__shape *const operands[], int count)
{
    int64_t product = 1, cols = 1;
    for (int first = out->rank - 1; first >= 0; first--) {
        product *= out->dims[first];
        bool uniform = true, along = false;
        for (int i = 0; i < count; i++)
            uniform &= uniform_over(operands[i], out, first, &along);
        if (!uniform)
            break;
        cols = product;
    }
    return cols;
}
