// A core debugs another one of its tile: debug registers and pushes, with and without running ahead.
#include "platform/explain/hang.h"
#include "platform/tile/nodes.h"
#include "tests/suite.h"
#include "tests/tile/one_tile.h"

#include <stdlib.h>

// Registers of the debugger: x8 has 0xffb12000, x9 where results go.
#define RESULTS 0x20000
#define CORE    (1u << 17) // TRISC0

static void dr_store(uint32_t index, uint32_t value)
{
    LI(5, value);
    I(SW, 0, 8, 5, 0x84);
    I(SW, 0, 8, 0, 0x80);
    LI(5, 0x80010000u | CORE | index);
    I(SW, 0, 8, 5, 0x80);
}

// Into x6.
static void dr_load(uint32_t index)
{
    I(SW, 0, 8, 0, 0x80);
    LI(5, 0x80000000u | CORE | index);
    I(SW, 0, 8, 5, 0x80);
    I(FENCE, 0, 0, 0, 0);
    I(LW, 6, 8, 0, 0x8c);
}

static void keep(unsigned reg)
{
    I(SW, 0, 9, reg, 0);
    I(ADDI, 9, 9, 0, 4);
}

static void keep_gpr(uint32_t index)
{
    dr_store(2, index);
    dr_store(1, 0x80000008);
    dr_load(4);
    keep(6);
}

static void wait_halted(void)
{
    uint32_t loop = ts_rvasm_here(&code);
    dr_load(0);
    I(ANDI, 7, 6, 0, 1);
    ts_rvasm_back(&code, TS_RV_BEQ, 7, 0, loop);
    keep(6);
}

// A core that another one takes out of reset.
static void load_held(unsigned core, uint32_t pc)
{
    load_program(pc);
    ck_assert(ts_tile_entry(tile, core, pc, &error));
}

// TRISC0 counts in private code: registers and local RAM.
static void private_loop(void)
{
    LI(10, 0xffb00000);
    LI(11, 0);
    uint32_t loop = ts_rvasm_here(&code);
    I(ADDI, 11, 11, 0, 1);
    I(SW, 0, 10, 11, 0);
    I(LW, 12, 10, 0, 0);
    I(MUL, 13, 12, 11, 0);
    ts_rvasm_back(&code, TS_RV_BNE, 13, 0, loop);
}

// BRISC attaches to TRISC0, releases it, halts it after `delay` rounds, looks at it, continues it, and halts it at a
// watchpoint on its store.
static void debugger(uint32_t delay)
{
    LI(8, 0xffb12000);
    LI(9, RESULTS);
    dr_load(0);
    keep(6);
    LI(5, 0x47800 & ~0x1800u);
    I(SW, 0, 8, 5, 0x1b0);
    LI(7, delay);
    uint32_t loop = ts_rvasm_here(&code);
    I(ADDI, 7, 7, 0, -1);
    ts_rvasm_back(&code, TS_RV_BNE, 7, 0, loop);
    dr_store(1, 0x80000001);
    wait_halted();
    keep_gpr(32);
    keep_gpr(11);
    keep_gpr(13);
    dr_store(10, 0xffb00000);
    dr_store(5, 10);
    dr_store(1, 0x80000004);
    wait_halted();
    keep_gpr(32);
    keep_gpr(11);
    dr_store(5, 0);
    dr_store(1, 0x80000004);
    I(FENCE, 0, 0, 0, 0);
    I(LW, 6, 8, 0, 0x1f0);
    keep(6);
    dr_store(1, 0x80000001);
    wait_halted();
    I(EBREAK, 0, 0, 0, 0);
}

#define WORDS 10

static void debug(bool ahead, uint32_t delay, uint32_t results[WORDS])
{
    tear_down();
    set_up_tile(ahead);
    private_loop();
    load_held(TS_RV_TRISC0, 0x4000);
    debugger(delay);
    start_at(TS_RV_BRISC, 0);
    struct ts_run run = ts_kernel_run(kernel, 1000000);
    ck_assert_msg(run.stop == TS_STOP_DONE, "%s: %s", ts_stop_name(run.stop), run.error.text);
    memcpy(results, tile->l1.bytes + RESULTS, WORDS * 4);
    results[WORDS - 1] = (uint32_t)run.cycle;
}

START_TEST(halts_in_the_same_cycle)
{
    uint32_t before = 0;
    for (uint32_t delay = 1; delay < 3000; delay += 97) {
        uint32_t fast[WORDS], slow[WORDS];
        debug(true, delay, fast);
        debug(false, delay, slow);
        for (unsigned i = 0; i < WORDS; i++)
            ck_assert_msg(fast[i] == slow[i], "delay %u, word %u: 0x%x ahead, 0x%x step by step",
                          delay, i, fast[i], slow[i]);
        ck_assert_uint_eq(fast[0], 0); // in reset
        ck_assert_uint_eq(fast[1], 1); // halted by a command
        ck_assert(fast[2] >= 0x4000 && fast[2] < 0x4024);
        ck_assert_uint_eq(fast[5], 0x105);  // at watchpoint 0
        ck_assert_uint_eq(fast[6], 0x4010); // behind the store
        ck_assert_uint_ge(fast[7], fast[3]);
        ck_assert_uint_ge(fast[3], before);
        before = fast[3];
    }
    ck_assert_uint_gt(before, 5);
}
END_TEST

// NCRISC pushes instructions into T1 while TRISC1 counts, and keeps what the FIFO's status and the clock say.
static void pusher(uint32_t delay)
{
    LI(8, 0xffb12000);
    LI(9, RESULTS);
    LI(7, delay);
    uint32_t wait = ts_rvasm_here(&code);
    I(ADDI, 7, 7, 0, -1);
    ts_rvasm_back(&code, TS_RV_BNE, 7, 0, wait);
    for (unsigned i = 0; i < 3; i++) {
        LI(5, 0x37000000u); // SETRWC
        I(SW, 0, 8, 5, 0xa4);
        LI(5, 0x02);
        I(SW, 0, 8, 5, 0xa0);
        LI(5, 0x22);
        I(SW, 0, 8, 5, 0xa0);
        I(FENCE, 0, 0, 0, 0);
        I(LW, 6, 8, 0, 0xa8);
        keep(6);
        I(LW, 6, 8, 0, 0x1f0);
        keep(6);
    }
    I(SW, 0, 8, 0, 0xa0);
}

static void push(bool ahead, uint32_t delay, uint32_t results[WORDS])
{
    tear_down();
    set_up_tile(ahead);
    private_loop();
    start_at(TS_RV_TRISC1, 0x4000);
    pusher(delay);
    start_at(TS_RV_NCRISC, 0x8000);
    ts_kernel_run(kernel, 20000);
    memcpy(results, tile->l1.bytes + RESULTS, WORDS * 4);
    results[6] = (uint32_t)tile->front[1].dispatched;
}

START_TEST(pushes_in_the_same_cycle)
{
    for (uint32_t delay = 1; delay < 600; delay += 37) {
        uint32_t fast[WORDS] = {0}, slow[WORDS] = {0};
        push(true, delay, fast);
        push(false, delay, slow);
        for (unsigned i = 0; i < 7; i++)
            ck_assert_msg(fast[i] == slow[i], "delay %u, word %u: 0x%x ahead, 0x%x step by step",
                          delay, i, fast[i], slow[i]);
        ck_assert_uint_eq(fast[0] & 0x77, 0x77); // the word has left the FIFO
        ck_assert_uint_gt(fast[3], fast[1]);
        ck_assert_uint_eq(fast[6], 3);
    }
}
END_TEST

// A halted core that nobody resumes is named where a run hangs.
START_TEST(a_hang_names_the_halted_core)
{
    LI(10, 0xffec0000); // TRISC0 would send BRISC a word
    LI(11, 400);
    uint32_t loop = ts_rvasm_here(&code);
    I(ADDI, 11, 11, 0, -1);
    ts_rvasm_back(&code, TS_RV_BNE, 11, 0, loop);
    I(SW, 0, 10, 11, 0);
    load_held(TS_RV_TRISC0, 0x4000);
    LI(8, 0xffb12000);
    LI(9, RESULTS);
    dr_load(0);
    LI(5, 0x47800 & ~0x1800u);
    I(SW, 0, 8, 5, 0x1b0);
    dr_store(1, 0x80000001);
    wait_halted();
    LI(10, 0xffec1000);
    I(LW, 6, 10, 0, 0);
    I(ADDI, 6, 6, 0, 1);
    start_at(TS_RV_BRISC, 0);
    struct ts_run run = ts_kernel_run(kernel, 1000000);
    ck_assert_int_eq(run.stop, TS_STOP_DEADLOCK);
    static struct ts_hang_tile story;
    ts_hang_tile_look(&story, tile, NULL);
    const struct ts_hang_node *node = &story.node[TS_NODE_CORE + TS_RV_TRISC0];
    ck_assert_msg(strncmp(node->text, "is halted by a debugger at pc 0x40", 34) == 0, "%s",
                  node->text);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, halts_in_the_same_cycle);
    tcase_add_test(tests, pushes_in_the_same_cycle);
    tcase_add_test(tests, a_hang_names_the_halted_core);
}

SUITE("debug", add_tests)
