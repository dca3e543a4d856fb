// A branch is expected to go as it went last; one that was never seen, back but not forward.
#include "cores/riscv/predict.h"
#include "tests/suite.h"

#include <check.h>

START_TEST(the_first_time)
{
    struct ts_rv_predictor self;
    ts_rv_predictor_clear(&self);
    ck_assert(ts_rv_predict_branch(&self, 0x100, 0x80, true));
    ck_assert(!ts_rv_predict_branch(&self, 0x104, 0x80, false));
    ck_assert(ts_rv_predict_branch(&self, 0x108, 0x180, false));
    ck_assert(!ts_rv_predict_branch(&self, 0x10c, 0x180, true));
}
END_TEST

// A poll: wrong where it starts and where it ends. One round of it alone: always wrong.
START_TEST(as_it_went_last)
{
    struct ts_rv_predictor self;
    ts_rv_predictor_clear(&self);
    for (unsigned length = 1; length < 9; length++)
        for (unsigned poll = 0; poll < 20; poll++) {
            unsigned wrong = 0;
            for (unsigned round = 0; round < length; round++)
                wrong += !ts_rv_predict_branch(&self, 0x200, 0x1f0, true);
            wrong += !ts_rv_predict_branch(&self, 0x200, 0x1f0, false);
            ck_assert_uint_eq(wrong, length == 1 && poll == 0 ? 1 : 2);
        }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, the_first_time);
    tcase_add_test(tests, as_it_went_last);
}

SUITE("predict", add_tests)
