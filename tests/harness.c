/* main() of every test program. */
#include <stdlib.h>

#include "harness.h"

int main(void)
{
    SRunner *runner = srunner_create(fsc__test_suite());
    srunner_set_fork_status(runner, fsc__test_forks ? CK_FORK_GETENV : CK_NOFORK);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
