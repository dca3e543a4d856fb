// Which of two things that work most of the time bounds a run: a network or a unit.
#include "platform/lib/inside.h"
#include "tests/suite.h"

#include <check.h>

// Exponentials with slow DRAM: the vector unit works in 91 % of the cycles, the busiest channel in 61 %. All-gather over a ring: the busiest
// link works in 75 % of the cycles, and no unit at all; that ports have transfers under way is no work.
static const struct {
    const char *program, *settings[3], *machine, *by, *object;
} rows[] = {
    {"sfpu", {"op=exp", "rows=256", "columns=256"}, "dram.bandwidth=1800", "unit", "vector"},
    {"all-gather", {"tiles=16", "chunk=16", "cores=8x1"}, NULL, "NoC", "NoC"},
    {"all-gather", {"tiles=64", "chunk=16", "cores=4x1"}, NULL, "NoC", "NoC"},
};

START_TEST(the_one_that_works_more)
{
    struct tensim_error error = {0};
    struct tensim_config config;
    tensim_config_init(&config);
    config.timing_only = true;
    config.settings = &rows[_i].machine;
    config.setting_count = rows[_i].machine != NULL;
    struct tensim *sim = tensim_new_program(rows[_i].program, rows[_i].settings, 3, &config,
                                            &error);
    ck_assert_msg(sim != NULL, "%s", error.text);
    ck_assert_msg(tensim_run(sim, 50000000, &error) == TENSIM_OK, "%s", error.text);
    ck_assert_str_eq(sim->work->verdict.bound_by, rows[_i].by);
    ck_assert_str_eq(sim->work->verdict.bound_object, rows[_i].object);
    tensim_free(sim);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, the_one_that_works_more, 0, 3);
}

SUITE("bound", add_tests)
