/* Prediction and truth when memory runs out at the n-th allocation: a status, no crash, no leak,
   and outputs untouched. */
#include "reference_fixture.h"

#include "base/alloc.h"

const int fsc__test_forks = 1;

static const char *const chains[][3] = {
    {"add+mul(0.5)+gelu", "9x700", "f32"},
    {"silu+matmul(transB=1)+bias+relu", "9x70:33x70", "f16,order=lanes:8"},
    {"silu+conv2d(pads=1)+bias+relu", "2x3x5x6:4x3x3x3", "f16,order=chunk:8"},
    {"add+layernorm+silu", "9x70", "bf16"},
    {"matmul+rmsnorm", "9x70:70x33", "f32"},
};
enum { CHAIN_COUNT = sizeof chains / sizeof chains[0] };

static fsc_status run(setup *s, int what, fsc_tensor *out, fsc_tensor *bound)
{
    int64_t flushed;
    if (what == 0)
        return fsc__predict(s->fused, FSC__FMA_FLUSHES, s->in, out, &flushed, &s->why);
    if (what == 1)
        return fsc__predict(s->unfused, FSC__FMA_EXACT, s->in, out, NULL, &s->why);
    return fsc__truth(s->graph, &s->mode, s->in, out, bound, &s->why);
}

START_TEST(every_allocation_fails_once)
{
    setup s;
    setup_init(&s, chains[_i][0], chains[_i][1], chains[_i][2]);
    setup_fill(&s, "normal", 1);
    for (int what = 0; what < 3; what++) {
        long failed = 0;
        for (;; failed++) {
            fsc_tensor out = {0}, bound = {0};
            ck_assert_int_lt(failed, 1000);
            fsc__alloc_fail_after(failed);
            const fsc_status status = run(&s, what, &out, &bound);
            fsc__alloc_fail_after(-1);
            if (status == FSC_OK) {
                fsc__tensor_deinit(&out);
                fsc__tensor_deinit(&bound);
                break;
            }
            ck_assert_int_eq(status, FSC_ERR_MEMORY);
            ck_assert_ptr_null(out.data);
            ck_assert_ptr_null(bound.data);
        }
        ck_assert_int_ge(failed, 5);
    }
    setup_deinit(&s);
}
END_TEST

Suite *fsc__test_suite(void)
{
    Suite *suite = suite_create("predict_memory");
    TCase *tc = tcase_create("memory");
    tcase_add_loop_test(tc, every_allocation_fails_once, 0, CHAIN_COUNT);
    tcase_set_timeout(tc, 60);
    suite_add_tcase(suite, tc);
    return suite;
}
