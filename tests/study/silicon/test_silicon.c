// The frame of the truth table: rows are independent, every measurement is accounted for, bounds
// refer to rows, and rows marked measured are measured. table.sh runs all families and checks their
// bars.
#include "platform/study/silicon/account.h"
#include "platform/study/silicon/bounds.h"
#include "platform/study/silicon/evidence.h"
#include "tests/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

// The same row alone, and with all of its family in three processes: the same figures.
START_TEST(rows_are_independent)
{
    const struct ts_silicon_family *family = ts_silicon_family("control");
    struct ts_params params = {0};
    struct ts_error error = {0};
    ck_assert_int_eq(ts_silicon_params(&params, &error), TS_OK);
    struct ts_silicon_context context = ts_silicon_context(&params);
    size_t count;
    struct ts_silicon_result *all = ts_silicon_select(family, false, &count);
    struct ts_crew crew = {.workers = 3, .quiet = true};
    ck_assert_int_eq(ts_silicon_run(all, count, &context, 0, &crew, &error), TS_OK);
    ts_crew_free(&crew);
    for (size_t i = 0; i < count; i += 7) {
        struct ts_silicon_result alone = {.family = family, .row = all[i].row};
        ts_silicon_run_one(&alone, &context);
        ck_assert_msg(alone.simulated == all[i].simulated, "%s", alone.row->id);
    }
    free(all);
    ts_params_free(&params);
}
END_TEST

// No id occurs twice, all are ids of the measurements, and no measurement is missing.
START_TEST(ids_are_accounted_for)
{
    size_t count;
    struct ts_silicon_result *all = ts_silicon_select(NULL, false, &count);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            ck_assert_str_ne(all[i].row->id, all[j].row->id);
    free(all);
    struct ts_silicon_account account;
    ts_silicon_account(&account, "blackhole");
    ck_assert_ptr_null(account.stray);
    ck_assert_uint_ge(account.count, 1457);
    ck_assert_uint_ge(account.described[TS_SILICON_YES], 940);
    ck_assert_uint_ge(account.described[TS_SILICON_PARTLY], 488);
    ck_assert_uint_eq(account.open, 0); // re-created, or left out with a reason
    ck_assert_uint_ge(account.recreated, 800);
    ck_assert_ptr_nonnull(ts_silicon_find_id(&account, "S0002")->family);
    ck_assert_ptr_null(ts_silicon_find_id(&account, "S0001"));
    ts_silicon_account_free(&account);
}
END_TEST

// Twins: the same figure, or a point on the line through two others; only of the same program.
#define TWIN(name, figure, words, ...)                                                     \
    {                                                                                      \
        .id = name, .measured = figure, .workload = words, .metric = "cycles", __VA_ARGS__ \
    }
#define AND_5 .others = (const double[]){5}, .other_count = 1
static const struct {
    struct ts_silicon_row row;
    const char *twin; // expected; NULL: none
} twins[] = {
    {TWIN("S0001", 100, "8 x ADD on BRISC"), NULL},
    {TWIN("S0002", 100.5, "8 x ADD on TRISC1"), "S0001"},
    {TWIN("S0003", 200, "16 x ADD on BRISC"), NULL},
    {TWIN("S0004", 402, "32 x ADD on BRISC"), "S0003"},    // a line of two
    {TWIN("S0005", 440, "32 x ADD on NCRISC"), NULL},      // off the line
    {TWIN("S0006", 100, "8 x SUB on BRISC"), NULL},        // another program
    {TWIN("S0007", 101.5, "8 x ADD on BRISC"), NULL},      // 1.5 % off
    {TWIN("S0008", 100, "8 x ADD on BRISC", AND_5), NULL}, // has a figure more
    {TWIN("S0009", 100, "9 x ADD on T2", AND_5), "S0008"},
};

START_TEST(twins_are_found)
{
    enum { COUNT = sizeof twins / sizeof *twins };
    const struct ts_silicon_family family = {.name = "x"};
    struct ts_silicon_result results[COUNT] = {0};
    size_t alone = 0;
    for (size_t i = 0; i < COUNT; i++) {
        results[i] = (struct ts_silicon_result){
            .family = &family, .row = &twins[i].row, .error = 0.01 * (double)(i + 1)};
        alone += twins[i].twin == NULL;
    }
    ts_silicon_find_twins(results, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        const char *is = results[i].twin ? results[i].twin->id : "none";
        ck_assert_msg(strcmp(is, twins[i].twin ? twins[i].twin : "none") == 0, "%s: %s",
                      twins[i].row.id, is);
    }
    struct ts_silicon_spread spread = ts_silicon_spread(results, COUNT, &family, NULL,
                                                        TS_SILICON_ALONE);
    ck_assert_uint_eq(spread.figures, alone);
    ck_assert_double_eq_tol(spread.median, 0.06, 1e-9);
}
END_TEST

// A parameter names its rows, and a row its parameter; a harness's constant has a family.
START_TEST(evidence_is_named)
{
    struct ts_params params = {0};
    struct ts_error error = {0};
    struct ts_silicon_setting settings[256];
    char name[80];
    ck_assert_int_eq(ts_silicon_params(&params, &error), TS_OK);
    size_t count = ts_silicon_settings(&params, settings, 256), found = 0;
    ck_assert_uint_gt(count, 20);
    for (size_t i = 0; i < count; i++)
        if (strcmp(settings[i].group->rows[settings[i].index].key, "atomic") == 0) {
            ck_assert_str_eq(settings[i].rows, "B0906 B0907 B0908");
            found++;
        }
    ck_assert_uint_eq(found, 1);
    ts_silicon_set_on(&params, "B0907", name, sizeof name);
    ck_assert_str_eq(name, "noc.atomic");
    ts_silicon_set_on(&params, "B0909", name, sizeof name);
    ck_assert_str_eq(name, "");
    for (const struct ts_silicon_harness *h = ts_silicon_harness; h->family; h++)
        ck_assert_msg(ts_silicon_family(h->family) != NULL, "no family '%s'", h->family);
    ts_params_free(&params);
}
END_TEST

// Each documented bound speaks of some row.
START_TEST(bounds_bind)
{
    size_t count;
    struct ts_silicon_result *all = ts_silicon_select(NULL, false, &count);
    for (const struct ts_silicon_bound *bound = ts_silicon_bounds; bound->document; bound++) {
        size_t bound_rows = 0;
        for (size_t i = 0; i < count; i++)
            bound_rows += ts_silicon_bound_holds_for(bound, &all[i]);
        ck_assert_msg(bound_rows > 0, "%s: no row of '%s'", bound->document, bound->workload);
    }
    free(all);
}
END_TEST

static double figure(const struct ts_silicon_result *row, const struct ts_params *params)
{
    struct ts_silicon_result result = *row;
    struct ts_silicon_context context = ts_silicon_context(params);
    ts_silicon_run_one(&result, &context);
    return result.failure.code == TS_OK ? result.simulated : -1;
}

// A parameter that is called measured names at least two rows that depend on it.
START_TEST(measured_is_measured)
{
    struct ts_params params = {0};
    struct ts_error error = {0};
    ck_assert_int_eq(ts_silicon_params(&params, &error), TS_OK);
    size_t count, checked = 0;
    struct ts_silicon_result *all = ts_silicon_select(NULL, false, &count);
    for (size_t g = 0; g < params.count; g++)
        for (size_t i = 0; i < params.groups[g].count; i++) {
            struct ts_param_value *value = &params.groups[g].values[i];
            if (value->kind != TS_MEASURED)
                continue;
            unsigned depend = 0;
            for (size_t r = 0; r < count && depend < 2; r++) {
                char id[6];
                snprintf(id, sizeof id, "%s", all[r].row->id);
                if (strstr(value->source, id) == NULL || strlen(all[r].row->id) != 5)
                    continue;
                double before = figure(&all[r], &params);
                int64_t was = value->value;
                value->value = was + (was / 4 > 1 ? was / 4 : 1);
                depend += figure(&all[r], &params) != before;
                value->value = was;
            }
            ck_assert_msg(depend >= 2,
                          "%s.%s is called measured, but %u of the rows it names (%s) "
                          "depend on it",
                          params.groups[g].name, params.groups[g].rows[i].key, depend,
                          value->source);
            checked++;
        }
    ck_assert_uint_ge(checked, 5);
    free(all);
    ts_params_free(&params);
}
END_TEST

// Mechanisms that few rows show: what each of these rows comes out at with it.
static const struct {
    const char *id;
    double figure;
} mechanisms[] = {
    {"B0565", 5.5}, // another thread's move to Dst is written before a vector access,
    {"B0574", 2},   // a product is not waited for,
    {"B0577", 2},   // nor does vector work without Dst wait
    {"B0340", 16},  // a fence of BRISC waits until L1 has written the store before it
};

START_TEST(mechanisms_hold)
{
    struct ts_params params = {0};
    struct ts_error error = {0};
    ck_assert_int_eq(ts_silicon_params(&params, &error), TS_OK);
    size_t count, found = 0;
    struct ts_silicon_result *all = ts_silicon_select(NULL, false, &count);
    for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++)
        for (size_t r = 0; r < count; r++)
            if (strcmp(all[r].row->id, mechanisms[i].id) == 0) {
                ck_assert_double_eq_tol(figure(&all[r], &params), mechanisms[i].figure, 0.03);
                found++;
            }
    ck_assert_uint_eq(found, sizeof mechanisms / sizeof *mechanisms);
    free(all);
    ts_params_free(&params);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, rows_are_independent);
    tcase_add_test(tests, ids_are_accounted_for);
    tcase_add_test(tests, bounds_bind);
    tcase_add_test(tests, twins_are_found);
    tcase_add_test(tests, evidence_is_named);
    tcase_add_test(tests, measured_is_measured);
    tcase_add_test(tests, mechanisms_hold);
}

SUITE("silicon", add_tests, .one_process = true)
