// Wormhole's cores: RV32IM without CSRs, 1464 KiB of L1. What they do not have faults with its name.
#include "tests/suite.h"
#include "tests/tile/one_tile.h"
#include "units/isa/machine.h"

#include <string.h>

static const struct lacking {
    enum ts_rv_op op;
    uint32_t at; // address in t0, immediate of the instruction
    const char *says;
} lacking[] = {
    {TS_RV_SH1ADD, 0, "sh1add: the cores of Wormhole do not have it (Zba, Zbb, pack)"},
    {TS_RV_GREVI, 0, "grevi: the cores of Wormhole do not have it (Zba, Zbb, pack)"},
    {TS_RV_CSRRS, 0, "csrrs: the cores of Wormhole do not have it (Zicsr)"},
    {TS_RV_AMOADD, 0, "amoadd.w: the cores of Wormhole do not have it (Zaamo)"},
    {TS_RV_FADD_S, 0, "fadd.s: the cores of Wormhole do not have it (F)"},
    {TS_RV_FLH, 0, "flh: the cores of Wormhole do not have it (Zfh)"},
    {TS_RV_MRET, 0, "mret: the cores of Wormhole do not have it (mret)"},
    {TS_RV_LW, 0x16e000, "0x0016e000"},
    {TS_RV_SW, 0x16e000, "0x0016e000"},
};

static void run_one(const struct lacking *row, const struct ts_machine *machine, bool ahead,
                    struct ts_run *run)
{
    struct ts_tile_config config = ts_tile_config_default();
    config.machine = machine;
    set_up_tile_as(&config, ahead);
    LI(5, row->at);
    ts_rvasm(&code, row->op, 6, 5, 7, row->op == TS_RV_CSRRS ? 0xc00 : 0);
    start_at(TS_RV_TRISC1, 0x4000);
    *run = ts_kernel_run(kernel, 5000);
}

START_TEST(faults_with_its_name)
{
    struct ts_run run;
    for (int ahead = 0; ahead < 2; ahead++) {
        run_one(&lacking[_i], &ts_machines[1], ahead, &run);
        ck_assert_int_eq(run.stop, TS_STOP_FAULT);
        ck_assert_msg(strstr(run.error.text, lacking[_i].says), "%s", run.error.text);
        tear_down();
    }
}
END_TEST

START_TEST(blackhole_has_it)
{
    struct ts_run run;
    if (lacking[_i].op == TS_RV_MRET) // outside a handler it is a fault there, too
        return;
    run_one(&lacking[_i], &ts_machines[0], true, &run);
    ck_assert_msg(run.stop != TS_STOP_FAULT, "%s", run.error.text);
    tear_down();
}
END_TEST

// The last word of L1, and what RV32IM has.
START_TEST(has_rv32im)
{
    struct ts_tile_config config = ts_tile_config_default();
    config.machine = &ts_machines[1];
    set_up_tile_as(&config, true);
    uint32_t got;
    LI(5, 0x16dffc);
    LI(6, 7);
    LI(7, 6);
    I(MUL, 6, 6, 7, 0);
    I(DIVU, 6, 6, 7, 0);
    I(MUL, 6, 6, 7, 0);
    I(SW, 0, 5, 6, 0);
    I(FENCE, 0, 0, 0, 0);
    start_at(TS_RV_BRISC, 0);
    ck_assert_int_eq(ts_kernel_run(kernel, 5000).error.code, TS_OK);
    memcpy(&got, tile->l1.bytes + 0x16dffc, sizeof got);
    ck_assert_uint_eq(got, 42);
    tear_down();
}
END_TEST

static void add_tests(TCase *tests)
{
    const int rows = sizeof lacking / sizeof *lacking;
    tcase_add_loop_test(tests, faults_with_its_name, 0, rows);
    tcase_add_loop_test(tests, blackhole_has_it, 0, rows);
    tcase_add_test(tests, has_rv32im);
}
SUITE("wormhole_cores", add_tests)
