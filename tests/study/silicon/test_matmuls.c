// Large matmuls: the whole grid takes as long as its parts say (config/probes/matmuls.S has both, with two blocks).
#include "platform/study/silicon/figures.h"
#include "platform/study/silicon/launch.h"
#include "tests/study/silicon/rows.h"
#include "tests/suite.h"

#include <check.h>

enum { MATH, PACK, TOTAL, FIGURES };

static double parts(const double *r, double *figures)
{
    const struct matmul times = matmul(r);
    figures[PACK] = times.pack;
    figures[TOTAL] = times.total;
    return times.math;
}

// Of each tile: start of NCRISC, ends of T1, T2 and NCRISC.
static double whole(const double *r, double *figures)
{
    double start = r[0], last[FIGURES] = {0};
    for (unsigned i = 0; i < MATMUL_TILES; i++, r += 1 + FIGURES) {
        start = fmin(start, r[0]);
        for (unsigned k = 0; k < FIGURES; k++)
            last[k] = fmax(last[k], r[1 + k]);
    }
    figures[PACK] = last[PACK] - start;
    figures[TOTAL] = last[TOTAL] - start;
    return last[MATH] - start;
}

START_TEST(the_grid_takes_as_long_as_its_parts)
{
    const struct ts_silicon_row rows[] = {{.id = "parts_of_test", .figure = parts},
                                          {.id = "whole_of_test", .figure = whole}};
    struct ts_params params = {0};
    struct ts_error error = {0};
    double figures[2][TS_SILICON_FIGURES];
    ck_assert_int_eq(ts_silicon_params(&params, &error), TS_OK);
    const struct ts_silicon_context context = ts_silicon_context(&params);
    for (unsigned i = 0; i < 2; i++)
        ts_launch("matmuls", &rows[i], &context, figures[i], &error);
    ck_assert_msg(error.code == TS_OK, "%s", error.text);
    ck_assert_double_gt(figures[0][MATH], 10000);
    for (unsigned k = 0; k < FIGURES; k++)
        ck_assert_double_lt(fabs(figures[0][k] / figures[1][k] - 1), 0.02);
    ts_params_free(&params);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, the_grid_takes_as_long_as_its_parts);
}

SUITE("matmuls", add_tests)
