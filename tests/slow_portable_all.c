/* Errors of the functions of one operand over all 2^32 floats, against the truth in double; the
   worst input is confirmed by MPFR. A row claims no more than a tenth above what is found. */
#include "unary_cases.h"

#include <pthread.h>

#include "reference/threads.h"

const int fsc__test_forks = 0;

enum { BLOCK = 1 << 12 };

typedef struct sweep {
    const unary_case *c;
    unary_worst worst;
    pthread_mutex_t lock;
} sweep;

static fsc_status sweep_blocks(void *context, int64_t begin, int64_t end)
{
    sweep *s = context;
    unary_worst worst = {0};
    float x[BLOCK], y[BLOCK];
    for (int64_t block = begin; block < end; block++) {
        for (int i = 0; i < BLOCK; i++)
            x[i] = fsc__f32_of_bits((uint32_t)block * BLOCK + (uint32_t)i);
        unary_evaluate(s->c, FSC__FMA_EXACT, x, y, BLOCK);
        for (int i = 0; i < BLOCK; i++)
            unary_judge(&worst, false, x[i], y[i], unary_truth(s->c, (double)x[i]));
    }
    pthread_mutex_lock(&s->lock);
    if (worst.error > s->worst.error)
        s->worst = worst;
    pthread_mutex_unlock(&s->lock);
    return FSC_OK;
}

START_TEST(error_within_row)
{
    unary_case cases[UNARY_MOST];
    unary_cases(cases);
    const unary_case *c = &cases[_i];
    sweep s = {.c = c};
    fsc_error why;
    pthread_mutex_init(&s.lock, NULL);
    ck_status_ok(fsc__threads_run((1LL << 32) / BLOCK, 1 << 8, sweep_blocks, &s, &why), &why);
    pthread_mutex_destroy(&s.lock);
    const double precise =
        fsc__ulp_error(FSC_F32, (double)s.worst.got, unary_precise(c, s.worst.x));
    printf("%-10s %.4f at %a, by MPFR %.4f\n", c->name, s.worst.error, (double)s.worst.x, precise);
    fflush(stdout);
    ck_unary(c, &s.worst);
    ck_assert_double_eq_tol(precise, s.worst.error, 1e-4);
    ck_assert_double_le(c->ulp, 1.1 * s.worst.error);
}
END_TEST

Suite *fsc__test_suite(void)
{
    unary_case cases[UNARY_MOST];
    Suite *suite = suite_create("portable, all floats");
    TCase *tcase = tcase_create("portable");
    tcase_add_loop_test(tcase, error_within_row, 0, unary_cases(cases));
    suite_add_tcase(suite, tcase);
    return suite;
}
