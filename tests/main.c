// The main of every check program (suite.h): exits with 0 if all pass, 64 for unknown arguments.
#include "tests/suite.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (suite.begin) {
        int code = suite.begin(argc, argv);
        if (code != 0)
            return code;
    } else if (argc > 1) {
        fprintf(stderr, "%s: takes no arguments\n", argv[0]);
        return 64;
    }
    Suite *all = suite_create(suite.name);
    TCase *tests = tcase_create(suite.name);
    tcase_set_timeout(tests, suite.timeout ? suite.timeout : 900);
    suite.add(tests);
    suite_add_tcase(all, tests);
    SRunner *runner = srunner_create(all);
    if (suite.one_process)
        srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    if (suite.end)
        suite.end();
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
