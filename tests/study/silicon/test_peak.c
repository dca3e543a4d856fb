// Large matmuls: far branches are written in two instructions, and the whole grid takes as long as
// its parts say.
#include "platform/study/silicon/peak.h"
#include "tests/suite.h"

#include <check.h>
#include <math.h>

START_TEST(a_far_branch_is_an_inverted_one_over_a_jump)
{
    static struct ts_rvasm out;
    struct peak_code k = {0};
    unsigned near = peak_label(&k), far = peak_label(&k);
    out.count = 0;
    peak_branch(&k, TS_RV_BLT, T0, T1, near);
    peak_branch(&k, TS_RV_BLT, T0, T1, far);
    peak_here(&k, near);
    for (unsigned i = 0; i < 1100; i++)
        peak_word(&k, 0);
    peak_here(&k, far);
    ck_assert(peak_assemble(&k, &out));
    ck_assert_uint_eq(out.count, 1103);
    ck_assert_uint_eq(out.words[0], ts_rv_encode(TS_RV_BLT, 0, T0, T1, 12));
    ck_assert_uint_eq(out.words[1], ts_rv_encode(TS_RV_BGE, 0, T0, T1, 8));
    ck_assert_uint_eq(out.words[2], ts_rv_encode(TS_RV_JAL, 0, 0, 0, 1101 * 4));
    peak_free(&k);
}
END_TEST

START_TEST(a_label_without_a_place_is_an_error)
{
    static struct ts_rvasm out;
    struct peak_code k = {0};
    peak_jump(&k, peak_label(&k));
    ck_assert(!peak_assemble(&k, &out));
    peak_free(&k);
}
END_TEST

START_TEST(the_grid_takes_as_long_as_its_parts)
{
    const struct peak peak = {
        .height = 1, .width = 8, .block = 4, .phases = 1, .fp8 = true, .blocks = 2};
    struct ts_params params = {0};
    struct ts_error error = {0};
    ck_assert_int_eq(ts_silicon_params(&params, &error), TS_OK);
    const struct ts_silicon_context context = ts_silicon_context(&params);
    const struct peak_times parts = peak_parts(&peak, true, &context, &error);
    const struct peak_times whole = peak_grid(&peak, &context, &error);
    ck_assert_msg(error.code == TS_OK, "%s", error.text);
    ck_assert_double_gt(parts.math, 10000);
    ck_assert_double_lt(fabs(parts.math / whole.math - 1), 0.02);
    ck_assert_double_lt(fabs(parts.pack / whole.pack - 1), 0.02);
    ck_assert_double_lt(fabs(parts.total / whole.total - 1), 0.02);
    ts_params_free(&params);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, a_far_branch_is_an_inverted_one_over_a_jump);
    tcase_add_test(tests, a_label_without_a_place_is_an_error);
    tcase_add_test(tests, the_grid_takes_as_long_as_its_parts);
}

SUITE("peak", add_tests)
