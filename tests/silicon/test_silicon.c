// Cards and model agree: every family of the truth table keeps its bars, and every row that is off
// by more than 10 % has a cause. VERBOSE=1 prints the table.
#include "platform/study/silicon/account.h"
#include "platform/study/silicon/bounds.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

START_TEST(a_family_keeps_its_bars)
{
    const struct ts_silicon_family *family = ts_silicon_families[_i];
    struct ts_params params = {0};
    struct ts_error error = {0};
    ck_assert_msg(ts_silicon_params(&params, &error) == TS_OK, "%s", error.text);
    struct ts_silicon_context context = ts_silicon_context(&params);
    size_t count;
    struct ts_silicon_result *results = ts_silicon_select(family, &count);
    ts_silicon_run(results, count, &context, 2);
    for (size_t i = 0; i < count; i++) {
        bool off = results[i].error > TS_SILICON_CAUSE || results[i].error < -TS_SILICON_CAUSE;
        if (getenv("VERBOSE") || results[i].failure.code != TS_OK ||
            (off && results[i].row->cause == NULL))
            ts_silicon_print(stdout, &results[i]);
    }
    struct ts_silicon_summary s = ts_silicon_summarise(results, count, family);
    printf("%-9s %4zu rows: median %.2f %%, p90 %.2f %%, worst %.1f %%, bias %+.2f %%\n",
           family->name, s.rows, 100 * s.median, 100 * s.p90, 100 * s.worst, 100 * s.bias);
    fflush(stdout);
    ck_assert_uint_eq(s.failed, 0);
    ck_assert_uint_eq(s.unexplained, 0);
    for (size_t i = 0; i < count; i++) {
        const struct ts_silicon_bound *bound = ts_silicon_bound_beaten(&results[i]);
        ck_assert_msg(bound == NULL, "%s: %f beats %s", results[i].row->id, results[i].simulated,
                      bound ? bound->text : "");
    }
    ck_assert_double_le(s.median, family->median);
    ck_assert_double_le(s.p90, family->p90);
    free(results);
    ts_params_free(&params);
}
END_TEST

// The same row alone, and with all of its family on three threads: the same figures.
START_TEST(rows_are_independent)
{
    const struct ts_silicon_family *family = ts_silicon_family("control");
    struct ts_params params = {0};
    struct ts_error error = {0};
    ck_assert_int_eq(ts_silicon_params(&params, &error), TS_OK);
    struct ts_silicon_context context = ts_silicon_context(&params);
    size_t count;
    struct ts_silicon_result *all = ts_silicon_select(family, &count);
    ts_silicon_run(all, count, &context, 3);
    for (size_t i = 0; i < count; i += 7) {
        struct ts_silicon_result alone = {.family = family, .row = all[i].row};
        ts_silicon_run(&alone, 1, &context, 1);
        ck_assert_msg(alone.simulated == all[i].simulated, "%s", alone.row->id);
    }
    free(all);
    ts_params_free(&params);
}
END_TEST

// No id stands twice, all are ids of the measurements, and the measurements are all there.
START_TEST(ids_are_accounted_for)
{
    size_t count;
    struct ts_silicon_result *all = ts_silicon_select(NULL, &count);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            ck_assert_str_ne(all[i].row->id, all[j].row->id);
    free(all);
    struct ts_silicon_account account;
    ts_silicon_account(&account);
    ck_assert_ptr_null(account.stray);
    ck_assert_uint_eq(account.count, 1457);
    ck_assert_uint_eq(account.described[TS_SILICON_YES], 940);
    ck_assert_uint_eq(account.described[TS_SILICON_PARTLY], 488);
    ck_assert_uint_eq(account.recreated + account.left + account.open, account.count);
    ck_assert_ptr_nonnull(ts_silicon_find_id(&account, "S0002")->family);
    ck_assert_ptr_null(ts_silicon_find_id(&account, "S0001"));
    ts_silicon_account_free(&account);
}
END_TEST

// Each documented bound speaks of some row.
START_TEST(bounds_bind)
{
    size_t count;
    struct ts_silicon_result *all = ts_silicon_select(NULL, &count);
    for (const struct ts_silicon_bound *bound = ts_silicon_bounds; bound->id; bound++) {
        size_t bound_rows = 0;
        for (size_t i = 0; i < count; i++)
            bound_rows += ts_silicon_bound_holds_for(bound, &all[i]);
        ck_assert_msg(bound_rows > 0, "%s: no row of '%s'", bound->id, bound->workload);
    }
    free(all);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("silicon");
    TCase *cases = tcase_create("table");
    int families = 0;
    while (ts_silicon_families[families])
        families++;
    tcase_set_timeout(cases, 300);
    tcase_add_loop_test(cases, a_family_keeps_its_bars, 0, families);
    tcase_add_test(cases, rows_are_independent);
    tcase_add_test(cases, ids_are_accounted_for);
    tcase_add_test(cases, bounds_bind);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
