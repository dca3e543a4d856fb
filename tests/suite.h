// One check suite per program. A test file describes its suite with one SUITE line at its end; tests/main.c runs it.
//
//   static void add_tests(TCase *tests)
//   {
//       tcase_add_test(tests, grows);
//       tcase_add_loop_test(tests, rows_of_the_table, 0, 7);
//   }
//   SUITE("wheel", add_tests)
//
// What differs from the defaults stands behind: SUITE("fuzz", add_tests, .timeout = 600)
#ifndef TENSIM_TESTS_SUITE_H
#define TENSIM_TESTS_SUITE_H

#include <check.h>
#include <stdbool.h>

struct suite {
    const char *name;
    void (*add)(TCase *tests);
    int timeout; // of each test, in seconds; 0: 120
    // All tests in one process, without timeouts: where a fork copies a lot, or a leak check at
    // every exit takes long.
    bool one_process;
    // Before any test, with the program's arguments; 0, or the exit code. Without it a program takes no arguments.
    int (*begin)(int argc, char **argv);
    void (*end)(void); // after all tests; may be NULL
};

extern const struct suite suite;

#define SUITE(title, ...) const struct suite suite = {.name = title, .add = __VA_ARGS__};

#endif
