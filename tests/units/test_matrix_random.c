// Every fast path of the matrix unit's multiplier against the plain integer one. See matrix_random.h.
#include "tests/units/matrix_random.h"

#include <check.h>

#include "tests/suite.h"

START_TEST(test_random)
{
    static struct matrix_random x;
    for (uint64_t i = 0; i < 100; i++) {
        uint64_t seed = 100 * (uint64_t)_i + i;
        ck_assert_msg(matrix_random(&x, seed, 24), "seed %llu: %s", (unsigned long long)seed,
                      matrix_where(&x));
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, test_random, 0, 12);
}

SUITE("matrix random", add_tests, .one_process = true)
