/* Spelling of the vocabulary for a device and a vector width. */
#include "kernel/prelude.h"

bool fsc__prelude_width_valid(int width)
{
    return width == 1 || width == 2 || width == 4 || width == 8 || width == 16;
}

static void write_scalar(fsc__text *text)
{
    fsc__text_add(text, "typedef float real;\n"
                        "typedef int bits;\n"
                        "#define AS_BITS(x) as_int(x)\n"
                        "#define AS_REAL(x) as_float(x)\n"
                        "#define CONST(x) (x)\n"
                        "#define LANE 0\n"
                        "#define FIRST(x) (x)\n"
                        "#define TO_DOUBLE(x) convert_double(x)\n"
                        "#define TO_REAL(x) convert_float(x)\n"
                        "#define VLOAD(p) (*(p))\n"
                        "#define VSTORE(x, p) (*(p) = (x))\n"
                        "#define VLOAD_CODE(p) convert_int(*(p))\n"
                        "#define VSTORE_CODE(x, p) (*(p) = convert_ushort(x))\n");
}

static void write_vector(int width, fsc__text *text)
{
    static const char *const lanes[] = {"0", "1", "2",  "3",  "4",  "5",  "6",  "7",
                                        "8", "9", "10", "11", "12", "13", "14", "15"};
    fsc__text_add(text,
                  "typedef float%d real;\n"
                  "typedef int%d bits;\n"
                  "#define AS_BITS(x) as_int%d(x)\n"
                  "#define AS_REAL(x) as_float%d(x)\n"
                  "#define CONST(x) ((float%d)(x))\n",
                  width, width, width, width, width);
    fsc__text_add(text, "#define LANE ((int%d)(", width);
    fsc__text_add_list(text, lanes, (size_t)width);
    fsc__text_add(text,
                  "))\n"
                  "#define FIRST(x) (x).s0\n"
                  "#define TO_DOUBLE(x) convert_double%d(x)\n"
                  "#define TO_REAL(x) convert_float%d(x)\n"
                  "#define VLOAD(p) vload%d(0, p)\n"
                  "#define VSTORE(x, p) vstore%d(x, 0, p)\n",
                  width, width, width, width);
    fsc__text_add(text,
                  "#define VLOAD_CODE(p) convert_int%d(vload%d(0, p))\n"
                  "#define VSTORE_CODE(x, p) vstore%d(convert_ushort%d(x), 0, p)\n",
                  width, width, width, width);
}

void fsc__prelude_write(const fsc__caps *caps, int width, fsc__text *text)
{
    static const char *const divide[] = {
        [FSC__ROUND_PLAIN] = "((a) / (b))",
        [FSC__ROUND_DOUBLE] = "divide_double(a, b)",
        [FSC__ROUND_REMAINDER] = "divide_remainder(a, b)",
        [FSC__ROUND_NONE] = "((a) / (b))",
    };
    static const char *const root[] = {
        [FSC__ROUND_PLAIN] = "sqrt(x)",
        [FSC__ROUND_DOUBLE] = "sqrt_double(x)",
        [FSC__ROUND_REMAINDER] = "sqrt_remainder(x)",
        [FSC__ROUND_NONE] = "sqrt(x)",
    };
    fsc__text_add(text, "#pragma OPENCL FP_CONTRACT OFF\n");
    if (caps->divide == FSC__ROUND_DOUBLE || caps->sqrt == FSC__ROUND_DOUBLE)
        fsc__text_add(text, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
    fsc__text_add(text, "#define W %d\n", width);
    if (width == 1)
        write_scalar(text);
    else
        write_vector(width, text);
    /* A literal -0 would be folded away and the product contracted after all, so it is one that a
       compiler cannot know: no launch has 2^31 dimensions. */
    if (caps->contracts)
        fsc__text_add(text, "#define MINUS_ZERO as_float(0x80000000u | get_work_dim() >> 31)\n"
                            "#define MUL(a, b) fma(a, b, CONST(MINUS_ZERO))\n");
    else
        fsc__text_add(text, "#define MUL(a, b) ((a) * (b))\n");
    fsc__text_add(text,
                  "#define FMA(a, b, c) fma(a, b, c)\n"
                  "#define ROUGH_DIV(a, b) ((a) / (b))\n"
                  "#define ROUGH_SQRT(x) sqrt(x)\n"
                  "#define DIV(a, b) %s\n"
                  "#define SQRT(x) %s\n",
                  divide[caps->divide], root[caps->sqrt]);
}
