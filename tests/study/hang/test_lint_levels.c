// Lints by harm: idioms are silent unless requested, --strict stops at harmful ones only; SETDVALID in a run and
// in its recording; syncs whose load overtakes a push, and the repaired one under every delay.
#include "platform/kernel/kernel.h"
#include "platform/study/explore/explore.h"
#include "platform/study/hang/program.h"
#include "tests/suite.h"
#include "tests/tile/probe.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT 200000

static struct ts_hang_outcome run(const char *name, const struct ts_tile_config *config,
                                  const struct ts_hang_recording *recording)
{
    struct ts_hang_program *program = malloc(sizeof *program);
    struct ts_hang_outcome outcome;
    struct ts_error error = {0};
    char path[256];
    snprintf(path, sizeof path, TENSIM_SOURCE_DIR "/config/gallery/%s.yaml", name);
    ck_assert_msg(ts_hang_program_read(program, path, NULL, NULL, &error), "%s", error.text);
    program->recording = recording;
    ts_hang_program_run(program, config, LIMIT, &outcome);
    free(program);
    return outcome;
}

START_TEST(levels)
{
    static const struct {
        const char *name, *choice;
        bool strict;
        enum ts_code code;
        const char *lint; // its name; NULL: none
    } rows[] = {
        {"lint-pack-config-long-ago", NULL, false, TS_OK, NULL},
        {"lint-pack-config-long-ago", NULL, true, TS_OK, NULL},
        {"lint-pack-config-long-ago", "all", false, TS_OK, "config-long-ago"},
        {"lint-pack-config-long-ago", "all", true, TS_OK, "config-long-ago"},
        {"lint-pack-config-now", NULL, false, TS_OK, "config-not-waited"},
        {"lint-pack-config-now", NULL, true, TS_CONTRACT, "config-not-waited"},
        {"lint-pack-config-now", "-config-not-waited", true, TS_OK, NULL},
        {"g27-config-not-waited", NULL, true, TS_CONTRACT, "config-not-waited"},
        {"lint-setdvalid", NULL, false, TS_OK, "setdvalid"},
        {"lint-setdvalid", NULL, true, TS_OK, "setdvalid"},
        {"lint-setdvalid", "hang", false, TS_OK, NULL},
        {"lint-setdvalid", "all,-setdvalid", true, TS_OK, NULL},
        {"lint-alu-config-own", NULL, true, TS_OK, NULL},
        {"lint-alu-config-own", "all", true, TS_OK, "config-own-math"},
        {"lint-alu-config", NULL, true, TS_CONTRACT, "config-in-use"},
        {"g21-counter-wraps", "hang", true, TS_CONTRACT, "cb-overfull"},
        {"lint-replay-gathered", NULL, true, TS_CONTRACT, "replay-gathered"},
        {"lint-mail-config", NULL, true, TS_CONTRACT, "mail-config"},
        {"lint-macro-unrolled", NULL, true, TS_OK, NULL},
        {"lint-macro-unrolled", "all", true, TS_OK, "macro-unrolled"},
        {"lint-macro-unrolled-repaired", "all", true, TS_OK, NULL},
    };
    struct ts_tile_config config = ts_tile_config_default();
    char text[TS_LINTS_TEXT];
    config.strict = rows[_i].strict;
    if (rows[_i].choice)
        ck_assert(ts_lints_parse(rows[_i].choice, &config.lints, text, sizeof text));
    struct ts_hang_outcome outcome = run(rows[_i].name, &config, NULL);
    ck_assert_msg(outcome.code == rows[_i].code, "%s: %d %s", rows[_i].name, (int)outcome.code,
                  outcome.text);
    const json_t *lint = json_array_get(outcome.lints, 0);
    ck_assert_msg((lint != NULL) == (rows[_i].lint != NULL), "%s", rows[_i].name);
    if (lint)
        ck_assert_str_eq(json_string_value(json_object_get(lint, "name")), rows[_i].lint);
    ts_hang_outcome_free(&outcome);
}
END_TEST

START_TEST(setdvalid_recorded)
{
    struct ts_explore_program *explored = malloc(sizeof *explored);
    struct ts_tile_config config = ts_tile_config_default();
    struct ts_error error = {0};
    char *text = NULL;
    size_t size = 0;
    struct ts_hang_recording recording = {.file = open_memstream(&text, &size)};
    struct ts_hang_outcome outcome = run("lint-setdvalid", &config, &recording);
    fclose(recording.file);
    ck_assert_msg(strstr(text, "- SETDVALID setvalid=1") != NULL, "%s", text);
    ck_assert_msg(ts_explore_load(explored, "recorded", text, &error), "%s", error.text);
    struct ts_explore_options options = {.max_states = 1000};
    struct ts_explore_result result = ts_explore_search(explored, &options);
    ck_assert_int_eq(result.code, TS_OK); // without SETDVALID math would wait forever
    ts_explore_result_free(&result);
    ts_hang_outcome_free(&outcome);
    free(text);
    free(explored);
}
END_TEST

// A bank that is handed over twice is reported.
START_TEST(given_twice)
{
    static const char text[] = "cores: {T0: [SETDVALID setvalid=1, SETDVALID setvalid=1, SETDVALID "
                               "setvalid=1], T1: [MOVA2D]}\n";
    struct ts_explore_program *explored = malloc(sizeof *explored);
    struct ts_error error = {0};
    ck_assert_msg(ts_explore_load(explored, "twice", text, &error), "%s", error.text);
    struct ts_explore_options options = {.max_states = 1000};
    struct ts_explore_result result = ts_explore_search(explored, &options);
    ck_assert_int_eq(result.code, TS_OK);
    ck_assert_uint_eq(result.lost[0][1][TS_LOST_GIVE_VALID], 0);
    ck_assert_uint_ne(result.lost[0][2][TS_LOST_GIVE_VALID], 0); // there are two banks
    ts_explore_result_free(&result);
    free(explored);
}
END_TEST

// A core pushes words, which are held up, and waits for them; without a store to the same address its
// load leaves before the last ones.
static uint64_t sync_lints(bool store, uint32_t seed)
{
    struct ts_tile_config config = ts_tile_config_default();
    config.perturb_seed = seed;
    config.perturb_max = 64;
    static struct ts_rvasm p;
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_error error = {0};
    p.count = 0;
    begin(&p);
    li(&p, S1, 0xffe80000);
    li(&p, A4, 0xffe40000);
    li(&p, T0, (uint32_t)TS_OP_NOP << 24);
    for (unsigned i = 0; i < 4; i++)
        sw(&p, T0, A4, 0);
    if (store)
        sw(&p, ZERO, S1, 4);
    lw(&p, T1, S1, 4);
    ts_rvasm(&p, TS_RV_ANDI, T1, T1, 0, 0);
    finish(&p, 1);
    struct ts_tile *tile = ts_tile_new(ts_domain_new(kernel, "tile"), &config, &error);
    ck_assert_ptr_nonnull(tile);
    ck_assert_int_eq(ts_kernel_elaborate(kernel, &error), TS_OK);
    ts_l1_write(&tile->l1, CODE(1), p.words, p.count * 4, 0);
    ck_assert(ts_tile_start(tile, TS_RV_TRISC1, CODE(1), 0, &error));
    struct ts_run result = ts_kernel_run(kernel, LIMIT);
    ck_assert_msg(result.stop == TS_STOP_DONE, "%s", result.error.text);
    uint64_t reports = tile->tensix.reports[TS_REPORT_SYNC_PASSES_PUSH];
    ts_tile_free(tile);
    ts_kernel_free(kernel);
    return reports;
}

START_TEST(sync_order)
{
    uint64_t overtaken = 0;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        ck_assert_uint_eq(sync_lints(true, seed), 0);
        overtaken += sync_lints(false, seed);
    }
    ck_assert_uint_gt(overtaken, 3);
}
END_TEST

// Whatever is held up, a MOP is never rewritten behind mop_sync.
START_TEST(sync_perturbed)
{
    static const uint32_t longest[] = {3, 16, 64, 400};
    for (uint32_t seed = 1; seed <= 25; seed++) {
        struct ts_tile_config config = ts_tile_config_default();
        config.strict = true;
        config.perturb_seed = seed;
        config.perturb_max = longest[_i];
        struct ts_hang_outcome outcome = run("lint-mop-repaired", &config, NULL);
        ck_assert_msg(outcome.code == TS_OK, "%u:%u: %s", seed, longest[_i], outcome.text);
        ts_hang_outcome_free(&outcome);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, levels, 0, 21);
    tcase_add_test(tests, setdvalid_recorded);
    tcase_add_test(tests, given_twice);
    tcase_add_test(tests, sync_order);
    tcase_add_loop_test(tests, sync_perturbed, 0, 4);
}

SUITE("lint_levels", add_tests)
