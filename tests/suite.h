// One check suite per program. A test file describes its suite with one SUITE line at its end; tests/main.c runs it.
//
//   static void add_tests(TCase *tests)
//   {
//       tcase_add_test(tests, grows);
//       tcase_add_loop_test(tests, rows_of_the_table, 0, 7);
//   }
//   SUITE("wheel", add_tests)
//
// What differs from the defaults stands behind: SUITE("fuzz", add_tests, .one_process = true)
#ifndef TENSIM_TESTS_SUITE_H
#define TENSIM_TESTS_SUITE_H

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct suite {
    const char *name;
    void (*add)(TCase *tests);
    int timeout; // of each test, in seconds: against hangs, not for speed; 0: 900
    // All tests in one process, without timeouts: where a fork copies a lot, or a leak check at
    // every exit takes long.
    bool one_process;
    // Before any test, with the program's arguments; 0, or the exit code. Without it a program takes no arguments.
    int (*begin)(int argc, char **argv);
    void (*end)(void); // after all tests; may be NULL
};

extern const struct suite suite;

// Long suites run a sample of their cases, and all of them with tests/run --all.
static inline bool suite_every_case(void)
{
    const char *all = getenv("TENSIM_TEST_ALL");
    return all && *all;
}
// Says how many of `all` cases run, and returns that: `some`, or all.
static inline int suite_sample(int some, int all, const char *what)
{
    if (suite_every_case() || some >= all)
        return all;
    printf("sample of %d of %d %s; all: tests/run --all\n", some, all, what);
    return some;
}

#define SUITE(title, ...) const struct suite suite = {.name = title, .add = __VA_ARGS__};

#endif
