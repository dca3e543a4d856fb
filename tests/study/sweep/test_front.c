// The front of a sweep: per shape, by the error end to end.
#include "platform/study/sweep/sweep.h"
#include "tests/suite.h"

#include <stdlib.h>

// In the order of the points: two shapes, and a run that failed.
static json_t *row(int k, double tflops, double error, int code)
{
    // The error of the units alone is the other way round: it must not count.
    return json_pack("{s:i, s:i, s:i, s:f, s:f, s:f, s:i}", "m", 64, "n", 64, "k", k, "tflops",
                     tflops, "end_to_end_rel_l2", error, "rel_l2", 1 / tflops, "code", code);
}

START_TEST(front)
{
    json_t *rows[] = {
        row(64, 1, 0.003, 0), row(64, 4, 0.2, 0),    row(64, 2, 0.3, 0),     row(128, 0.5, 0.5, 0),
        row(64, 3, 0.1, 0),   row(128, 9, 0.001, 3), row(128, 0.25, 0.4, 0), NULL};
    struct ts_sweep sweep = {.results = rows, .points = 8};
    sweep.kernel = "matmul";
    size_t points[8];
    ck_assert_uint_eq(ts_sweep_front(&sweep, "error", points), 5);
    static const size_t want[] = {1, 4, 0, 3, 6};
    for (unsigned i = 0; i < 5; i++)
        ck_assert_uint_eq(points[i], want[i]);
    char text[32];
    ts_sweep_shape(&sweep, 3, text, sizeof text);
    ck_assert_str_eq(text, "64x64x128");
    for (unsigned i = 0; i < 8; i++)
        json_decref(rows[i]);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, front);
}

SUITE("front", add_tests)
