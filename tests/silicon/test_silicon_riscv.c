// The baby cores against silicon: every row of config/silicon_riscv.def, median error at most 2 %,
// and a named reason for every row above 10 %.
#include "platform/study/silicon_riscv.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

START_TEST(test_rows)
{
    struct ts_silicon_result *results = calloc(ts_silicon_riscv_count, sizeof *results);
    unsigned unexplained = 0;
    for (size_t i = 0; i < ts_silicon_riscv_count; i++) {
        struct ts_error error = {0};
        ck_assert_msg(ts_silicon_riscv_run(&ts_silicon_riscv[i], NULL, &results[i], &error), "%s",
                      error.text);
        if (fabs(results[i].error) > 0.02)
            printf("%s %-20s measured %10.3f simulated %10.3f error %+6.1f %% %s\n",
                   results[i].row->id, results[i].probe, results[i].row->measured,
                   results[i].simulated, 100 * results[i].error,
                   results[i].reason ? results[i].reason : "");
        unexplained += fabs(results[i].error) > 0.1 && results[i].reason == NULL;
    }
    struct ts_silicon_summary summary = ts_silicon_summary(results, ts_silicon_riscv_count);
    printf("%zu rows: median %.2f %%, 90th percentile %.2f %%, worst %.1f %%\n", summary.rows,
           100 * summary.median, 100 * summary.p90, 100 * summary.worst);
    ck_assert_double_le(summary.median, 0.02);
    ck_assert_uint_eq(unexplained, 0);
    free(results);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("silicon_riscv");
    TCase *cases = tcase_create("rows");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, test_rows);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
