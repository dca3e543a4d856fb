// Which of two things that work most of the time bounds a run: a network or a unit.
#include "platform/lib/inside.h"
#include "tests/suite.h"

#include <check.h>

// All-gather over a ring. Four cores: the ports work in 86 % of the cycles, the busiest link in 63 %. Eight: 61 and 75 %.
static const struct {
    const char *settings[3], *object;
} rings[] = {
    {{"tiles=64", "chunk=16", "cores=4x1"}, "NoC ports"},
    {{"tiles=16", "chunk=16", "cores=8x1"}, "NoC"},
};

START_TEST(the_one_that_works_more)
{
    struct tensim_error error = {0};
    struct tensim *sim = tensim_new_program("all-gather", rings[_i].settings, 3, NULL, &error);
    ck_assert_msg(sim != NULL, "%s", error.text);
    ck_assert_msg(tensim_run(sim, 50000000, &error) == TENSIM_OK, "%s", error.text);
    ck_assert_str_eq(sim->work->verdict.bound_by, "NoC");
    ck_assert_str_eq(sim->work->verdict.bound_object, rings[_i].object);
    tensim_free(sim);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, the_one_that_works_more, 0, 2);
}

SUITE("bound", add_tests)
