// Every fast path of the matrix unit's multiplier against the plain integer one: each form that this
// processor has, and the portable one, which this file compiles again. See matrix_random.h.
#define TENSIM_PORTABLE_LANES
#define ts_mvmul           portable_mvmul
#define ts_mvmul_broadcast portable_mvmul_broadcast
#define ts_mvmuls          portable_mvmuls
#define ts_mvmul_run_add   portable_mvmul_run_add
#define ts_mul_near16      portable_mul_near16
#define ts_mul_near32      portable_mul_near32
#define ts_mul_fp16        portable_mul_fp16
#define ts_mul_pair        portable_mul_pair
#define ts_split_block     portable_split_block
#define ts_split_exponents portable_split_exponents
#include "units/matrix/mvmul.c"
#include "units/matrix/near.c"
#include "units/matrix/split.c"
#undef ts_mvmul
#undef ts_mvmul_broadcast
#undef ts_mvmuls
#undef ts_mvmul_run_add
#undef ts_mul_near16
#undef ts_mul_near32
#undef ts_mul_fp16
#undef ts_mul_pair
#undef ts_split_block
#undef ts_split_exponents

#include <check.h>

void ts_mvmul_run_add(struct ts_mvmul_run *run, const struct ts_dst *dst, bool dst32,
                      unsigned row_a, unsigned row_b, unsigned row_d, unsigned phase);
#include "tests/suite.h"
#include "tests/units/matrix_random.h"

// The library's versions.
matrix_fn ts_mvmul;
matrix_run_fn ts_mvmuls;

static void run(matrix_fn *mvmul, matrix_run_fn *mvmuls, unsigned first)
{
    static struct matrix_random x;
    unsigned runs = 0;
    for (unsigned seed = first; seed < first + 100; seed++) {
        ck_assert_msg(matrix_random(&x, seed, 24, mvmul, mvmuls), "seed %u: %s", seed,
                      matrix_where(&x));
        runs += x.runs;
    }
    ck_assert_uint_gt(runs, 50);
}

START_TEST(test_library)
{
    for (int form = 0; form < TS_LANES_FORMS; form++)
        if (ts_lanes_has((enum ts_lanes)form)) {
            ts_lanes_use((enum ts_lanes)form);
            run(ts_mvmul, ts_mvmuls, 100 * (unsigned)_i);
        }
}
END_TEST

START_TEST(test_portable)
{
    run(portable_mvmul, portable_mvmuls, 100 * (unsigned)_i);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, test_library, 0, suite_sample(4, 12, "lots of each form"));
    tcase_add_loop_test(tests, test_portable, 0, suite_sample(2, 6, "lots of the portable form"));
}

SUITE("matrix random", add_tests, .one_process = true)
