/* What every test program shares: a main() that runs one Check suite, and status assertions. */
#ifndef FSC_TESTS_HARNESS_H
#define FSC_TESTS_HARNESS_H

#include <check.h>

#include "base/status.h"

/* Each test program defines its suite; harness.c has main(). Programs named dev_* and slow_* run
   their tests in one process: a child forked after an OpenCL call hangs on PoCL and rusticl. */
Suite *fsc__test_suite(void);
extern const int fsc__test_forks; /* 1 in host tests (Check's default fork mode), else 0 */

/* Asserts FSC_OK and prints why->text otherwise. */
#define ck_status_ok(status, why) \
    ck_assert_msg((status) == FSC_OK, "status %d: %s", (int)(status), (why)->text)

#endif
