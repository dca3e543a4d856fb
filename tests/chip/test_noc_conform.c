// The conformance files of the NoC: real programs on two or three tiles of a complete chip.
#include "platform/load/conform.h"
#include "tests/chip/rig.h"
#include "tests/suite.h"

#include <stdio.h>

static const char *const names[] = {
    "atomic_brisc_0", "atomic_ncrisc_0", "mcast_brisc_0", "mcast_ncrisc_0",
    "read_brisc_0",   "read_ncrisc_0",   "write_brisc_0", "write_ncrisc_0",
};

START_TEST(test_conform)
{
    static struct ts_params params;
    static struct ts_conform_file conform;
    struct ts_error error = {TS_OK, ""};
    char path[512];
    ts_config_path(path, sizeof path, "blackhole.yaml");
    ts_chip_params_add(&params);
    ck_assert_msg(ts_params_load(&params, path, &error) == TS_OK, "%s", error.text);
    struct ts_conform_options options = {
        .tile = ts_tile_config_default(), .soc = "p150", .params = &params};
    for (unsigned noc = 0; noc < 2; noc++)
        for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
            snprintf(path, sizeof path, "%s/tests/conform/noc%u_%s.ttv", TENSIM_SOURCE_DIR, noc,
                     names[i]);
            struct ts_conform_result result;
            ck_assert_msg(ts_conform_read(&conform, path, &error), "%s", error.text);
            ts_conform_run(&conform, &options, &result);
            printf("  %s: %s, %llu cycles %s\n", conform.name, result.pass ? "pass" : "FAILED",
                   (unsigned long long)result.cycles, result.text);
            ck_assert_msg(result.pass, "%s: %s", conform.name, result.text);
            struct ts_conform_options dry = options;
            struct ts_conform_result again;
            dry.tile.timing_only = true;
            ts_conform_run(&conform, &dry, &again);
            ck_assert_msg(again.cycles == result.cycles, "%s: timing only takes %llu cycles",
                          conform.name, (unsigned long long)again.cycles);
            ts_conform_free(&conform);
        }
    ts_params_free(&params);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_conform);
}

SUITE("noc_conform", add_tests)
