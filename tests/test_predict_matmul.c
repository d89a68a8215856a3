/* The prediction of matmul against a plain loop per output, for each order, contraction, transpose,
   batch and awkward shape; and known sums. */
#include "sums_fixture.h"

#include <stdio.h>

const int fsc__test_forks = 1;

/* a[t*a_step]*b[t*b_step] */
typedef struct factors {
    const fsc_tensor *a, *b;
    int64_t a_at, a_step, b_at, b_step;
} factors;

static void term(const void *context, int64_t t, float *a, float *b)
{
    const factors *f = context;
    *a = (float)element(f->a, f->a_at + t * f->a_step);
    *b = (float)element(f->b, f->b_at + t * f->b_step);
}

typedef struct sizes {
    int64_t batch, m, k, n; /* batch 0: no batch axis */
    bool ta, tb, shared;
} sizes;

static void write_shape(const sizes *c, char *chain, char *text, size_t bytes)
{
    const int64_t a0 = c->ta ? c->k : c->m, a1 = c->ta ? c->m : c->k;
    const int64_t b0 = c->tb ? c->n : c->k, b1 = c->tb ? c->k : c->n;
    char batch[24] = "";
    if (c->batch > 0)
        snprintf(batch, sizeof batch, "%dx", (int)c->batch);
    snprintf(chain, bytes, "matmul(transA=%d,transB=%d)", c->ta, c->tb);
    snprintf(text, bytes, "%s%dx%d:%s%dx%d", batch, (int)a0, (int)a1, c->shared ? "" : batch,
             (int)b0, (int)b1);
}

static void check_fma(const sizes *c, const char *mode, const char *family, fsc__fma fma)
{
    char chain[80], text[80], what[400];
    setup s;
    write_shape(c, chain, text, sizeof chain);
    setup_init(&s, chain, text, mode);
    setup_fill(&s, family, 7);
    fsc_tensor out, want;
    ck_status_ok(fsc__predict(s.fused, fma, s.in, &out, NULL, &s.why), &s.why);
    ck_status_ok(fsc__tensor_init(&want, out.type, &out.shape, &s.why), &s.why);
    const int64_t batches = c->batch > 0 ? c->batch : 1;
    int64_t at = 0;
    for (int64_t z = 0; z < batches; z++) {
        for (int64_t i = 0; i < c->m; i++) {
            for (int64_t j = 0; j < c->n; j++) {
                const factors f = {&s.in[0],
                                   &s.in[1],
                                   z * c->m * c->k + i * (c->ta ? 1 : c->k),
                                   c->ta ? c->m : 1,
                                   (c->shared ? 0 : z * c->k * c->n) + j * (c->tb ? c->k : 1),
                                   c->tb ? 1 : c->n};
                const float sum = sum_in_order(&s, fma, c->k, term, &f);
                fsc__dtype_store(want.type, want.data, at++, (double)sum);
            }
        }
    }
    snprintf(what, sizeof what, "%s %s %s %s", chain, text, mode, family);
    ck_same_bits(&out, &want, what);
    fsc__tensor_deinit(&out);
    fsc__tensor_deinit(&want);
    setup_deinit(&s);
}

static void check(const sizes *c, const char *mode, const char *family)
{
    check_fma(c, mode, family, FSC__FMA_EXACT);
    check_fma(c, mode, family, FSC__FMA_FLUSHES);
}

static const char *const modes[] = {
    "f32",
    "f32,contract=off",
    "f16,order=sequential",
    "f32,order=lanes:1",
    "bf16,order=lanes:8",
    "f32,order=lanes:256,contract=off",
    "f32,order=lanes:1024",
    "f32,order=chunk:1",
    "f16,order=chunk:7",
    "f32,order=chunk:256,contract=off",
};
enum { MODE_COUNT = sizeof modes / sizeof modes[0] };

/* Each mode on each shape, both transposes turning with it. */
START_TEST(awkward_shapes)
{
    const sizes shapes[] = {
        {0, 1, 1, 1, 0, 0, 0},      {0, 2, 3, 7, 0, 0, 0},     {0, 7, 2, 1, 0, 0, 0},
        {0, 5, 13, 3, 0, 0, 0},     {0, 31, 37, 29, 0, 0, 0},  {0, 65, 257, 17, 0, 0, 0},
        {0, 67, 129, 259, 0, 0, 0}, {3, 5, 19, 6, 0, 0, 0},    {2, 9, 8, 11, 0, 0, 1},
        {1, 4, 260, 64, 0, 0, 0},   {0, 1, 1025, 33, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        sizes c = shapes[i];
        c.ta = (i + (size_t)_i) % 2;
        c.tb = (i + (size_t)_i) / 2 % 2;
        check(&c, modes[_i], "normal");
    }
    const sizes special = {0, 6, 11, 21, 0, 0, 0};
    check(&special, modes[_i], "special");
    check(&special, modes[_i], "small");
    check(&special, modes[_i], "large");
    check(&special, modes[_i], "integers");
}
END_TEST

START_TEST(all_transposes)
{
    for (int t = 0; t < 4; t++) {
        const sizes c = {2, 10, 23, 18, t & 1, t >> 1, t == 3};
        check(&c, "f32", "normal");
        check(&c, "f16", "normal");
    }
}
END_TEST

START_TEST(long_sums)
{
    const sizes longest = {0, 2, 65537, 3, 0, 1, 0};
    check(&longest, modes[_i], "normal");
}
END_TEST

static float sum_of(int64_t k, double value, const char *mode)
{
    char shape[64];
    setup s;
    snprintf(shape, sizeof shape, "1x%d:%dx1", (int)k, (int)k);
    setup_init(&s, "matmul", shape, mode);
    setup_all(&s, "x", value);
    setup_all(&s, "w", 1.0);
    const double sum = setup_element(&s, 0);
    setup_deinit(&s);
    return (float)sum;
}

/* K5, K6 with f32 sums, K26 */
START_TEST(known_sums)
{
    ck_assert_float_eq(sum_of(4096, 0.1, "f16"), 409.5f);
    ck_assert_float_eq(sum_of(65536, 1.0, "f32"), 65536.0f);
    ck_assert_float_eq(sum_of(65536, 1.0, "f16"), INFINITY);
    ck_assert_float_eq(sum_of(100000, 1.0, "f32"), 100000.0f);
    ck_assert_float_eq(sum_of(100000, 1.0, "f32,order=lanes:64"), 100000.0f);
    ck_assert_float_eq(sum_of(100000, 1.0, "f32,order=chunk:1000"), 100000.0f);
}
END_TEST

/* K7: c + a*b by a sum of two products */
START_TEST(contraction)
{
    const struct {
        double a, b, c, separate, fused;
    } known[] = {
        {1.0000001f, 1.0000001f, -1.0000002f, 0.0, 0x1p-46},
        {4097.0, 4097.0, -16785408.0, 0.0, 1.0},
        {0.1f, 10.0, -1.0, 0.0, 0x1p-26},
    };
    for (int i = 0; i < 3; i++) {
        setup s;
        setup_init(&s, "matmul", "1x2:2x1", "f32");
        setup_set(&s, "x", (double[]){known[i].c, known[i].a}, 2);
        setup_set(&s, "w", (double[]){1.0, known[i].b}, 2);
        ck_assert_double_eq(setup_element(&s, 0), known[i].fused);
        setup_mode(&s, "f32,contract=off");
        ck_assert_double_eq(setup_element(&s, 0), known[i].separate);
        setup_deinit(&s);
    }
}
END_TEST

/* One row alone and in a batch. */
START_TEST(rows_alone)
{
    setup all, one;
    setup_init(&all, "matmul+bias+gelu", "37x129:129x65", modes[_i]);
    setup_init(&one, "matmul+bias+gelu", "1x129:129x65", modes[_i]);
    setup_fill(&all, "normal", 3);
    fsc_tensor whole = setup_predict(&all, all.fused);
    const size_t bytes = fsc__dtype_bytes(all.mode.storage);
    for (int i = 1; i < all.graph->input_count; i++)
        memcpy(one.in[i].data, all.in[i].data,
               (size_t)fsc__shape_elems(&all.in[i].shape) * fsc__dtype_bytes(all.in[i].type));
    for (size_t row = 0; row < 37; row++) {
        memcpy(one.in[0].data, (char *)all.in[0].data + row * 129 * bytes, 129 * bytes);
        fsc_tensor alone = setup_predict(&one, one.fused);
        ck_assert_mem_eq(alone.data, (char *)whole.data + row * 65 * bytes, 65 * bytes);
        fsc__tensor_deinit(&alone);
    }
    fsc__tensor_deinit(&whole);
    setup_deinit(&all);
    setup_deinit(&one);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("predict_matmul");
    TCase *tc = tcase_create("matmul");
    tcase_add_loop_test(tc, awkward_shapes, 0, MODE_COUNT);
    tcase_add_test(tc, all_transposes);
    tcase_add_loop_test(tc, long_sums, 0, MODE_COUNT);
    tcase_add_test(tc, known_sums);
    tcase_add_test(tc, contraction);
    tcase_add_loop_test(tc, rows_alone, 0, MODE_COUNT);
    tcase_set_timeout(tc, 120);
    suite_add_tcase(suite, tc);
    return suite;
}
