// Wormhole's cores: RV32IM without CSRs, 1464 KiB of L1, NCRISC's instruction RAM. What they do not have faults with its name.
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

static void set_up_wormhole(bool ahead)
{
    struct ts_tile_config config = ts_tile_config_default();
    config.machine = &ts_machines[1];
    set_up_tile_as(&config, ahead);
}

// The last word of L1, and what RV32IM has.
START_TEST(has_rv32im)
{
    uint32_t got;
    set_up_wormhole(true);
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

#define IRAM       0xffc00000u
#define TDMA       0xffb11000u
#define SOFT_RESET 0xffb121b0u
#define CONFIG     0xffef0000u

static void put(uint32_t address, uint32_t word)
{
    LI(5, address);
    LI(6, word);
    I(SW, 0, 5, 6, 0);
}

// What has been assembled, in the instruction RAM: BRISC has the mover copy it, waits for its end, and lets NCRISC start there.
static struct ts_run run_in_iram(uint32_t at, ts_cycle from)
{
    const uint32_t units = (code.count * 4 + 4 + 15) / 16;
    load_program(0x8000);
    put(TDMA, 0x8000 / 16);
    put(TDMA + 0x4, (0x40000 + at) / 16);
    put(TDMA + 0x8, units);
    put(TDMA + 0xc, 1); // to what is not L1
    put(TDMA + 0x10, 0x40);
    LI(5, TDMA + 0x14);
    LI(7, 8); // nothing queued, and it does not run
    I(LW, 6, 5, 0, 0);
    I(ANDI, 6, 6, 0, 9);
    I(BNE, 0, 6, 7, -8);
    put(CONFIG + 162 * 4, IRAM + at);
    put(CONFIG + 163 * 4, 1);
    LI(5, SOFT_RESET);
    LI(6, 1u << 18);
    I(LW, 7, 5, 0, 0);
    I(XOR, 7, 7, 6, 0);
    I(SW, 0, 5, 7, 0);
    load_program(0);
    ck_assert(ts_tile_start(tile, TS_RV_BRISC, 0, from, &error));
    return ts_kernel_run(kernel, from + 50000);
}

// A loop of 2 KiB, four times the cache: an instruction a cycle. What the mover writes later is what runs then.
START_TEST(runs_in_iram)
{
    enum { WORDS = 512, ROUNDS = 20 };
    const struct ts_rv_core *core;
    set_up_wormhole(_i);
    core = &tile->cores[TS_RV_NCRISC];
    for (uint32_t round = 1; round <= 2; round++) {
        uint32_t got[2];
        LI(5, ROUNDS);
        LI(6, 0);
        const uint32_t top = code.count;
        for (uint32_t i = 0; i < WORDS; i++)
            I(ADDI, 6, 6, 0, (int)round);
        I(ADDI, 5, 5, 0, -1);
        I(BNE, 0, 5, 0, -4 * (int)(code.count - top));
        I(AUIPC, 7, 0, 0, 0);
        LI(5, 0x100);
        I(SW, 0, 5, 6, 0);
        I(SW, 0, 5, 7, 4);
        const ts_cycle from = (round - 1) * 60000;
        const struct ts_run run = run_in_iram(0, from);
        ck_assert_msg(run.error.code == TS_OK, "%s", run.error.text);
        memcpy(got, tile->l1.bytes + 0x100, sizeof got);
        ck_assert_uint_eq(got[0], round * WORDS * ROUNDS);
        ck_assert_uint_eq(got[1] & ~0xfffu, IRAM);
        ck_assert_uint_eq(core->fetch_misses, 0);
        ck_assert_uint_lt(ts_kernel_reached(kernel) - from, WORDS * ROUNDS + 2000);
        ts_tile_hold(tile, TS_RV_NCRISC, from + 50000);
        ts_tile_hold(tile, TS_RV_BRISC, from + 50000);
    }
    tear_down();
}
END_TEST

// Loads and stores do not reach it, and behind its end is nothing.
START_TEST(iram_is_for_fetches)
{
    static const char *const says[] = {
        "load from 0xffc00000: the core's instruction RAM is for fetches and what fills it",
        "store to 0xffc00000: the core's instruction RAM is for fetches and what fills it",
        "pc 0xffc04000: the pc is outside L1"};
    set_up_wormhole(true);
    LI(5, IRAM);
    if (_i == 0)
        I(LW, 6, 5, 0, 0);
    else if (_i == 1)
        I(SW, 0, 5, 6, 0);
    else {
        LI(6, 0x4000);
        I(ADD, 5, 5, 6, 0);
        I(JALR, 0, 5, 0, 0);
    }
    const struct ts_run run = run_in_iram(0x3000, 0);
    ck_assert_int_eq(run.stop, TS_STOP_FAULT);
    ck_assert_msg(strstr(run.error.text, says[_i]), "%s", run.error.text);
    tear_down();
}
END_TEST

static void add_tests(TCase *tests)
{
    const int rows = sizeof lacking / sizeof *lacking;
    tcase_add_loop_test(tests, faults_with_its_name, 0, rows);
    tcase_add_loop_test(tests, blackhole_has_it, 0, rows);
    tcase_add_test(tests, has_rv32im);
    tcase_add_loop_test(tests, runs_in_iram, 0, 2);
    tcase_add_loop_test(tests, iram_is_for_fetches, 0, 3);
}
SUITE("wormhole_cores", add_tests)
