// Probes that are programs on modelled cores: guests get their arguments and meet, the pace of a
// probe is that of its core, code that does not end is an error.
#include "platform/study/silicon/squad.h"
#include "tests/study/silicon/rows.h"
#include "tests/suite.h"

#include <check.h>
#include <string.h>

static struct ts_params params;
static struct ts_silicon_context context;
static struct ts_error error;

static void set_up(void)
{
    error = (struct ts_error){0};
    ck_assert_int_eq(ts_silicon_params(&params, &error), TS_OK);
    context = ts_silicon_context(&params);
}

static void tear_down(void)
{
    ts_params_free(&params);
}

static uint32_t result(struct squad *squad, struct ts_noc_xy tile, unsigned index)
{
    return squad_word(squad, tile, PROBE_RESULTS + 4 * index);
}

// Two masters of nocbench; the first comes late.
static struct squad *two_masters(uint32_t late)
{
    static const struct ts_noc_xy by[] = {{1, 2}, {3, 2}}, to[] = {{2, 2}, {4, 2}};
    struct squad *squad = squad_new("p150", &context, &error);
    for (unsigned i = 0; i < 2; i++) {
        struct ts_noc_xy target = ts_soc_logical(&squad->soc, to[i]),
                         peer = ts_soc_logical(&squad->soc, by[1 - i]);
        const uint32_t arguments[] = {[NOCBENCH_LATE] = i == 0 ? late : 0,
                                      [NOCBENCH_RESULTS] = PROBE_RESULTS,
                                      [NOCBENCH_DATA] = PROBE_DATA,
                                      [NOCBENCH_FLOW] = 7 + i,
                                      [NOCBENCH_PEERS] = 1,
                                      [NOCBENCH_TO_X] = target.x,
                                      [NOCBENCH_TO_Y] = target.y,
                                      [NOCBENCH_REQUESTS] = 16,
                                      [NOCBENCH_BYTES] = 64,
                                      [NOCBENCH_DIRECTION] = NOCBENCH_WRITES,
                                      [NOCBENCH_CHANNEL] = 1,
                                      [NOCBENCH_PEER_XY] = peer.x,
                                      [NOCBENCH_PEER_XY + 1] = peer.y};
        squad_guest(squad, by[i], "nocbench.brisc", arguments, sizeof arguments / 4);
    }
    return squad;
}

START_TEST(guests_have_their_arguments_and_meet)
{
    struct squad *squad = two_masters(3000);
    const struct ts_noc_xy late = {1, 2}, early = {3, 2};
    ck_assert_msg(squad_run(squad, 100000), "%s", error.text);
    ck_assert_uint_eq(result(squad, late, NOCBENCH_OUT_DONE), PROBE_DONE);
    ck_assert_uint_eq(result(squad, late, NOCBENCH_OUT_FLOW), 7);
    ck_assert_uint_eq(result(squad, early, NOCBENCH_OUT_FLOW), 8);
    ck_assert_uint_lt(result(squad, late, NOCBENCH_OUT_MEETING), 100);
    ck_assert_uint_gt(result(squad, early, NOCBENCH_OUT_MEETING), 2500);
    // Only these two tiles have cores.
    ck_assert_ptr_nonnull(squad->chip.tile[0]);
    ck_assert_ptr_null(squad->chip.tile[1]);
    squad_free(squad);
}
END_TEST

static double figure(const char *family, const char *id)
{
    const struct ts_silicon_family *of = ts_silicon_family(family);
    for (size_t i = 0; i < of->count; i++)
        if (strcmp(of->rows[i].id, id) == 0) {
            struct ts_silicon_result result = {.family = of, .row = &of->rows[i]};
            ts_silicon_run_one(&result, &context);
            ck_assert_msg(result.failure.code == TS_OK, "%s", result.failure.text);
            return result.simulated;
        }
    ck_abort_msg("no row %s", id);
    return 0;
}

// Every loop polls its initiator once a request: slower loads make it longer, in all three families.
START_TEST(pace_is_the_core_s)
{
    static const struct {
        const char *family, *id;
        double requests;
    } rows[] = {{"nocbench", "S0437", 64}, {"nocread", "S0617", 64}, {"streams", "B0904", 1}};
    double before[3];
    for (unsigned i = 0; i < 3; i++)
        before[i] = figure(rows[i].family, rows[i].id);
    ck_assert_int_eq(ts_params_set(&params, "riscv.load_mmio=12", &error), TS_OK);
    context = ts_silicon_context(&params);
    for (unsigned i = 0; i < 3; i++)
        ck_assert_double_ge(figure(rows[i].family, rows[i].id), before[i] + 2 * rows[i].requests);
}
END_TEST

START_TEST(endless_code_is_an_error)
{
    static const uint32_t endless[] = {0x00128293, 0xffdff06f}; // addi t0, t0, 1; j -4
    struct squad *squad = squad_new("p150", &context, &error);
    const struct squad_text text = {(const unsigned char *)endless, sizeof endless, 0};
    squad_text(squad, (struct ts_noc_xy){1, 2}, TS_RV_BRISC, text);
    ck_assert(!squad_run(squad, 10000));
    ck_assert_int_eq(error.code, TS_LIMIT);
    squad_free(squad);
}
END_TEST

START_TEST(overlapping_code_is_an_error)
{
    static const uint32_t stay[2][2] = {{0x0000006f}, {0x0000006f}};
    struct squad *squad = squad_new("p150", &context, &error);
    for (unsigned i = 0; i < 2; i++)
        squad_text(squad, (struct ts_noc_xy){1, 2}, TS_RV_TRISC0 + i,
                   (struct squad_text){(const unsigned char *)stay[i], 8, 0x4000 + 4 * i});
    ck_assert(!squad_run(squad, 10000));
    ck_assert_str_eq(error.text, "tile 1-2: the code of cores 1 and 2 overlaps at 0x4004");
    squad_free(squad);
}
END_TEST

START_TEST(unknown_guest_is_an_error)
{
    struct squad *squad = squad_new("p150", &context, &error);
    squad_guest(squad, (struct ts_noc_xy){1, 2}, "nothing.brisc", NULL, 0);
    ck_assert(!squad_run(squad, 10000));
    ck_assert_ptr_nonnull(strstr(error.text, "nothing.brisc"));
    squad_free(squad);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, guests_have_their_arguments_and_meet);
    tcase_add_test(tests, pace_is_the_core_s);
    tcase_add_test(tests, endless_code_is_an_error);
    tcase_add_test(tests, overlapping_code_is_an_error);
    tcase_add_test(tests, unknown_guest_is_an_error);
}

SUITE("squad", add_tests)
