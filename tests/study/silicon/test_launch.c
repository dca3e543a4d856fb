// Rows of config/silicon: each has its program and a figure, what has none is an error; the requests of probes are those of the
// reports' assembler; and loops of probes take as many cycles as on cards.
#include "platform/run/guest.h"
#include "platform/study/silicon/launch.h"
#include "tests/study/silicon/rows.h"
#include "tests/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The directive of a row in an index: 1, bytes, id.
static bool has_row(const struct ts_guest_program *index, const char *id)
{
    for (size_t at = 0; at + 8 <= index->length;) {
        uint32_t op, bytes;
        memcpy(&op, index->bytes + at, 4);
        memcpy(&bytes, index->bytes + at + 4, 4);
        if (op == 1 && strcmp((const char *)index->bytes + at + 8, id) == 0)
            return true;
        at += 8 + bytes;
    }
    return false;
}

START_TEST(rows_have_programs)
{
    size_t rows = 0;
    for (size_t f = 0; ts_silicon_families[f]; f++) {
        const struct ts_silicon_family *family = ts_silicon_families[f];
        for (size_t i = 0; i < family->count; i++) {
            const struct ts_silicon_row *row = &family->rows[i];
            char name[512];
            snprintf(name, sizeof name, "%s.index", family->name);
            if (family->files && strstr(row->file, ".json")) {
                ck_assert_ptr_nonnull(family->sources); // in the user's tree
            } else if (family->files) {
                ts_config_path(name, sizeof name, row->file);
                ck_assert_msg(access(name, R_OK) == 0, "%s: %s", name, row->id);
            } else {
                ck_assert_msg(has_row(ts_guest_find(name), row->id), "%s: %s", name, row->id);
            }
            ck_assert_ptr_nonnull(row->figure);
            ck_assert_msg(*row->workload && *row->metric, "%s", row->id);
            rows++;
        }
    }
    ck_assert_uint_ge(rows, 1300);
}
END_TEST

START_TEST(rows_without_programs_fail)
{
    struct ts_params params = {0};
    struct ts_error error = {0};
    double figures[TS_SILICON_FIGURES];
    ck_assert_int_eq(ts_silicon_params(&params, &error), TS_OK);
    const struct ts_silicon_context context = ts_silicon_context(&params);
    const struct ts_silicon_row none = {.id = "X0001"};
    ts_launch("riscv", &none, &context, figures, &error);
    ck_assert_int_eq(error.code, TS_BUG);
    ck_assert_str_eq(error.text, "X0001: no program in riscv");
    ts_params_free(&params);
}
END_TEST

// The first request of B0764, a write over NoC 1: address and poll of CMD_CTRL, address of the first register, values only
// where they are needed.
START_TEST(requests)
{
    static const uint32_t expected[] = {
        0xffb30e37, 0x040e0e13, // li t3, CMD_CTRL
        0x000e2e83, 0xfe0e9ee3, // lw t4, 0(t3); bne t4, x0, -4
        0xffb30e37, 0x01ce0e13, // li t3, CTRL
        0x00002eb7, 0x092e8e93, // li t4, 0x2092
        0x01de2023,             // sw t4, 0(t3)
    };
    const struct ts_guest_program *text = ts_guest_find("trips.text");
    bool found = false;
    for (size_t at = 0; at + sizeof expected <= text->length && !found; at += 4)
        found = memcmp(text->bytes + at, expected, sizeof expected) == 0;
    ck_assert(found);
}
END_TEST

static double simulate(const struct ts_params *params, const char *id)
{
    struct ts_silicon_context context = ts_silicon_context(params);
    size_t count;
    struct ts_silicon_result *all = ts_silicon_select(ts_silicon_family("zones"), false, &count);
    double figure = 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].row->id, id) == 0) {
            ts_silicon_run_one(&all[i], &context);
            ck_assert_int_eq(all[i].failure.code, TS_OK);
            figure = all[i].simulated;
        }
    free(all);
    return figure;
}

// Cycles of one more transaction of 256 B, from 64 to 256 of them: instructions, the latency of the
// poll, and for reads of L1 a second poll with two branches that go as they did not last time.
START_TEST(paces)
{
    static const struct {
        const char *few, *many; // 64 and 256 transactions
        double cycles;
    } loops[] = {{"S0852", "S0863", 35}, {"S0929", "S0940", 23}};
    struct ts_params params = {0};
    struct ts_error error = {0};
    ck_assert_int_eq(ts_silicon_params(&params, &error), TS_OK);
    for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++)
        ck_assert_double_eq((simulate(&params, loops[i].many) - simulate(&params, loops[i].few)) /
                                192,
                            loops[i].cycles);
    ck_assert_double_eq((simulate(&params, "S0970") - simulate(&params, "S0961")) / 48, 22);
    ts_params_free(&params);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, rows_have_programs);
    tcase_add_test(tests, rows_without_programs_fail);
    tcase_add_test(tests, requests);
    tcase_add_test(tests, paces);
}

SUITE("launch", add_tests)
