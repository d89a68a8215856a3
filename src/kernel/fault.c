/* The store that goes wrong on purpose. */
#include "kernel/fault.h"

#include <inttypes.h>

#include "kernel/emission.h"

#ifdef FSC_FAULTS
fsc__fault_kind fsc__fault;
#endif

/* Before and after the right store of lanes i .. i+n-1. */
static const struct {
    const char *before, *after;
} faults[FSC__FAULT_COUNT] = {
    [FSC__FAULT_FLIP_BIT] = {"", "    if (hit)\n        p[WRONG] = KEEP(p[WRONG] ^ 1);\n"},
    [FSC__FAULT_DROP_ROW] = {"    if (i >= ELEMS - COLS)\n        return;\n", ""},
    [FSC__FAULT_UNWRITTEN] = {"    const uint kept = hit ? p[WRONG] : 0;\n",
                              "    if (hit)\n        p[WRONG] = KEEP(kept);\n"},
    [FSC__FAULT_SWAP_COLUMNS] = {"    if (W == 1 && i % COLS < 2)\n"
                                 "        i += 1 - 2 * (i % COLS);\n"
                                 "    float part[W];\n    VSTORE(x, part);\n"
                                 "    if (W > 1 && i % COLS == 0) {\n"
                                 "        const float first = part[0];\n"
                                 "        part[0] = part[W > 1];\n        part[W > 1] = first;\n"
                                 "    }\n    x = VLOAD(part);\n",
                                 ""},
};

void fsc__fault_write_store(fsc__writer *writer, const char *type)
{
    const fsc__emission *emission = writer->emission;
    const fsc__shape *shape = &emission->plan->graph->values[emission->group->output].shape;
    const int64_t elems = fsc__shape_elems(shape), cols = shape->dims[shape->rank - 1];
    const bool narrow = emission->plan->mode.storage != FSC_F32;
    const char *before = faults[FSC__FAULT_NOW].before, *after = faults[FSC__FAULT_NOW].after;
    fsc__text_add(&writer->functions,
                  "\n#define ELEMS %" PRId64 "\n#define COLS %" PRId64 "\n#define WRONG %" PRId64
                  "\n#define KEEP(x) convert_%s(x)\n",
                  elems, cols, elems / 2, narrow ? "ushort" : "uint");
    fsc__text_add(&writer->functions,
                  "\nvoid store_wrong(global STORED *out, int i, int n, real x)\n{\n"
                  "    global %s *p = (global %s *)out;\n"
                  "    const int hit = WRONG >= i && WRONG < i + (n < W ? n : W);\n%s"
                  "    store_%s(out, i, n, x);\n%s}\n",
                  narrow ? "ushort" : "uint", narrow ? "ushort" : "uint", before ? before : "",
                  type, after ? after : "");
}
