// The coprocessor's numbers: the chip file says what the table says, with unit, kind and source.
#include "tests/suite.h"
#include "units/isa/timing.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

START_TEST(file_and_table_agree)
{
    struct ts_params params = {0};
    ts_tensix_timing_add(&params);
    char path[512];
    ts_config_path(path, sizeof path, "blackhole.yaml");
    struct ts_error error = {0};
    ck_assert_msg(ts_params_load(&params, path, &error) == TS_OK, "%s", error.text);
    struct ts_tensix_timing loaded;
    ts_tensix_timing_get(&params, &loaded);
    ck_assert_int_eq(memcmp(&loaded, &ts_tensix_timing_default, sizeof loaded), 0);
    const struct ts_param_group *group = &params.groups[0];
    ck_assert_uint_eq(group->count, ts_tensix_timing_row_count);
    for (unsigned i = 0; i < ts_tensix_timing_row_count; i++) {
        const struct ts_tensix_timing_row *row = &ts_tensix_timing_rows[i];
        ck_assert_str_eq(group->rows[i].key, row->name);
        ck_assert_str_eq(group->rows[i].unit, row->unit);
        ck_assert_str_eq(ts_param_kind_name(group->values[i].kind), row->kind);
        ck_assert_str_eq(group->values[i].source, row->source);
    }
    ck_assert_int_eq(ts_params_set(&params, "tensix.scalar_alu=5", &error), TS_OK);
    ts_tensix_timing_get(&params, &loaded);
    ck_assert_uint_eq(loaded.scalar_alu, 5);
    ts_params_free(&params);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, file_and_table_agree);
}

SUITE("tensix timing", add_tests)
