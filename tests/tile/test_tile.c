// One tile: memory map, mailboxes, PC buffers, soft reset, timestamper, interrupts; small guest
// programs.
#include "tests/suite.h"
#include "tests/tile/one_tile.h"

#include <stdlib.h>

// Loads what has been assembled for a core and starts it.
static void start(unsigned core)
{
    start_at(core, core * 0x4000);
}

static uint32_t word(uint32_t address)
{
    uint32_t value;
    memcpy(&value, tile->l1.bytes + address, 4);
    return value;
}

START_TEST(test_mailbox_limits)
{
    // BRISC sends five words: four in all fit into its mailboxes. TRISC0 reads after a long wait,
    // by then the fifth waits.
    LI(5, 0xffec1000); // to T0
    LI(6, 0xffec2000); // to T1
    LI(7, 100);
    for (unsigned i = 0; i < 5; i++) {
        I(ADDI, 7, 7, 0, 1);
        I(SW, 0, i == 1 ? 6 : 5, 7, 0);
    }
    I(FENCE, 0, 0, 0, 0);
    LI(8, 0xffb12000);
    I(LW, 9, 8, 0, 0x1f0);
    LI(10, 0x20000);
    I(SW, 0, 10, 9, 0); // when the last one had left
    start(TS_RV_BRISC);
    LI(5, 0xffec0000);
    LI(31, 500);
    uint32_t loop = ts_rvasm_here(&code);
    I(ADDI, 31, 31, 0, -1);
    ts_rvasm_back(&code, TS_RV_BNE, 31, 0, loop);
    LI(10, 0x20010);
    I(LW, 7, 5, 0, 4); // a word is there
    I(SW, 0, 10, 7, 16);
    for (unsigned i = 0; i < 4; i++) {
        I(LW, 7, 5, 0, 0);
        I(SW, 0, 10, 7, (int32_t)i * 4);
    }
    I(LW, 7, 5, 0, 4); // nothing left
    I(SW, 0, 10, 7, 20);
    start(TS_RV_TRISC0);
    struct ts_run run = ts_kernel_run(kernel, 1000000);
    ck_assert_msg(run.stop == TS_STOP_DONE, "%s", run.error.text);
    ck_assert_uint_eq(word(0x20010), 101);
    ck_assert_uint_eq(word(0x20014), 103);
    ck_assert_uint_eq(word(0x20018), 104);
    ck_assert_uint_eq(word(0x2001c), 105);
    ck_assert_uint_eq(word(0x20020), 1);
    ck_assert_uint_eq(word(0x20024), 0);
    ck_assert_uint_gt(word(0x20000), 1000); // it had to wait for TRISC0
}
END_TEST

START_TEST(test_mailbox_from_the_future)
{
    // MemoryOrdering.md: a load from the own mailbox gets what a later store sends.
    LI(5, 0xffec0000);
    LI(6, 123);
    I(LW, 7, 5, 0, 0);
    I(SW, 0, 5, 6, 0);
    LI(8, 0x20000);
    I(SW, 0, 8, 7, 0);
    start(TS_RV_BRISC);
    ck_assert_int_eq(ts_kernel_run(kernel, 100000).stop, TS_STOP_DONE);
    ck_assert_uint_eq(word(0x20000), 123);
}
END_TEST

// The longer example of MemoryOrdering.md: the forwarding rule decides whether the store is ever
// executed.
static enum ts_stop future_chain(bool with_nop)
{
    LI(5, 0xffec0000);
    LI(6, 123);
    I(LW, 7, 5, 0, 0);
    I(ADDI, 28, 5, 0, 0); // mv
    I(ORI, 28, 28, 0, 0);
    I(ADDI, 28, 28, 0, 0);
    if (with_nop)
        I(ADDI, 0, 0, 0, 0);
    else
        I(ADDI, 28, 28, 0, 0);
    I(ADDI, 28, 28, 0, 0);
    I(ADDI, 28, 28, 0, 0);
    I(SW, 0, 28, 6, 0);
    LI(8, 0x20000);
    I(SW, 0, 8, 7, 0);
    start(TS_RV_BRISC);
    return ts_kernel_run(kernel, 100000).stop;
}

START_TEST(test_forwarding_goes_on)
{
    ck_assert_int_eq(future_chain(false), TS_STOP_DONE);
    ck_assert_uint_eq(word(0x20000), 123);
}
END_TEST

START_TEST(test_forwarding_hangs)
{
    ck_assert_int_eq(future_chain(true), TS_STOP_DEADLOCK);
}
END_TEST

START_TEST(test_pcbuf)
{
    // BRISC pushes 3 words; TRISC1 adds them; BRISC's load returns when TRISC1 waits for more.
    LI(5, 0xffe90000);
    for (int i = 1; i <= 3; i++) {
        LI(6, (uint32_t)i * 10);
        I(SW, 0, 5, 6, 0);
    }
    I(FENCE, 0, 0, 0, 0);
    I(LW, 7, 5, 0, 0);
    I(ADD, 7, 7, 0, 0);
    LI(8, 0x20000);
    I(LW, 9, 8, 0, 0); // what TRISC1 has written by now
    I(SW, 0, 8, 9, 4);
    LI(6, 1000);
    I(SW, 0, 5, 6, 0);
    start(TS_RV_BRISC);
    LI(5, 0xffe80000);
    LI(8, 0x20000);
    LI(9, 0);
    for (int i = 0; i < 3; i++) {
        I(LW, 6, 5, 0, 0);
        I(ADD, 9, 9, 6, 0);
        I(SW, 0, 8, 9, 0);
        I(FENCE, 0, 0, 0, 0);
    }
    I(LW, 6, 5, 0, 0);
    I(SW, 0, 8, 6, 8);
    start(TS_RV_TRISC1);
    struct ts_run run = ts_kernel_run(kernel, 100000);
    ck_assert_msg(run.stop == TS_STOP_DONE, "%s %s", ts_stop_name(run.stop), run.error.text);
    ck_assert_uint_eq(word(0x20004), 60);
    ck_assert_uint_eq(word(0x20008), 1000);
}
END_TEST

START_TEST(test_soft_reset)
{
    // BRISC starts TRISC2 at another pc, lets it count, holds it, and finds it stopped.
    LI(5, 0xffb12000);
    LI(6, 0xc000);
    I(SW, 0, 5, 6, 0x230);
    I(ADDI, 7, 0, 0, 4);
    I(SW, 0, 5, 7, 0x234);
    I(LW, 8, 5, 0, 0x1b0);
    LI(9, 0x4000);
    I(ANDN, 8, 8, 9, 0);
    I(SW, 0, 5, 8, 0x1b0);
    LI(31, 4000);
    uint32_t loop = ts_rvasm_here(&code);
    I(ADDI, 31, 31, 0, -1);
    ts_rvasm_back(&code, TS_RV_BNE, 31, 0, loop);
    I(OR, 8, 8, 9, 0);
    I(SW, 0, 5, 8, 0x1b0);
    I(FENCE, 0, 0, 0, 0);
    start(TS_RV_BRISC);
    LI(5, 0x20000);
    loop = ts_rvasm_here(&code);
    I(ADDI, 6, 6, 0, 1);
    I(SW, 0, 5, 6, 0);
    I(FENCE, 0, 0, 0, 0);
    ts_rvasm(&code, TS_RV_JAL, 0, 0, 0, ((int32_t)loop - (int32_t)code.count) * 4);
    ts_l1_write(&tile->l1, 0xc000, code.words, code.count * 4, 0);
    struct ts_run run = ts_kernel_run(kernel, 1000000);
    ck_assert_msg(run.stop == TS_STOP_DONE, "%s", run.error.text);
    ck_assert(tile->cores[TS_RV_TRISC2].held);
    ck_assert_uint_gt(word(0x20000), 100);
    ck_assert_uint_lt(word(0x20000), 2000);
}
END_TEST

START_TEST(test_timestamper)
{
    LI(5, 0xffb12000);
    LI(6, 0x2000); // L1 0x20000 in units of 16 bytes
    I(SW, 0, 5, 6, 0x208);
    LI(6, 0x2001);
    I(SW, 0, 5, 6, 0x20c);
    LI(6, 0xabc0); // 128 bits
    I(SW, 0, 5, 6, 0x1fc);
    LI(6, 0xdef1); // 64 bits, then flushed
    I(SW, 0, 5, 6, 0x1fc);
    LI(6, 3);
    I(SW, 0, 5, 6, 0x1fc);
    I(FENCE, 0, 0, 0, 0);
    I(LW, 7, 5, 0, 0x204);
    LI(8, 0x21000);
    I(SW, 0, 8, 7, 0);
    start(TS_RV_NCRISC);
    struct ts_run run = ts_kernel_run(kernel, 100000);
    ck_assert_msg(run.stop == TS_STOP_DONE, "%s", run.error.text);
    ck_assert_uint_eq(word(0x20000), 0xabc0);
    ck_assert_uint_gt(word(0x20004), 0);
    ck_assert_uint_eq(word(0x20010), 0xdef1);
    ck_assert_uint_ge(word(0x20014), word(0x20004));
    ck_assert_uint_eq(word(0x21000) & 1, 1); // buffer 0 is full
}
END_TEST

START_TEST(test_interrupt)
{
    // Software interrupt 5 to itself: the handler reads and clears it, then mret.
    LI(5, 0xffb13000);
    LI(6, 0x800); // the handler
    I(SW, 0, 5, 6, 0xa8 + 5 * 4);
    LI(6, 1u << 5);
    I(SW, 0, 5, 6, 0);
    LI(6, 77);
    I(SW, 0, 5, 6, 0x18 + 5 * 4);
    I(FENCE, 0, 0, 0, 0);
    LI(31, 100);
    uint32_t loop = ts_rvasm_here(&code);
    I(LW, 7, 5, 0, 0x18); // something others can see, so that the interrupt is taken
    I(ADDI, 31, 31, 0, -1);
    ts_rvasm_back(&code, TS_RV_BNE, 31, 0, loop);
    LI(8, 0x20000);
    I(SW, 0, 8, 31, 4);
    start(TS_RV_BRISC);
    LI(20, 0xffb13000);
    I(LW, 21, 20, 0, 8); // which
    I(LW, 22, 20, 0, 0x18 + 5 * 4);
    LI(23, 0x20000);
    I(SW, 0, 23, 22, 0);
    I(SW, 0, 23, 21, 8);
    I(MRET, 0, 0, 0, 0);
    ts_l1_write(&tile->l1, 0x800, code.words, code.count * 4, 0);
    struct ts_run run = ts_kernel_run(kernel, 100000);
    ck_assert_msg(run.stop == TS_STOP_DONE, "%s", run.error.text);
    ck_assert_uint_eq(word(0x20000), 77);
    ck_assert_uint_eq(word(0x20004), 0);
    ck_assert_uint_eq(word(0x20008), 5);
}
END_TEST

START_TEST(test_slow_alias)
{
    LI(5, 0xffb18000); // TRISC0's local RAM
    LI(6, 0x12345678);
    I(SW, 0, 5, 6, 0x10);
    I(LBU, 7, 5, 0, 0x12);
    LI(8, 0x20000);
    I(SW, 0, 8, 7, 0);
    start(TS_RV_BRISC);
    ck_assert_int_eq(ts_kernel_run(kernel, 100000).stop, TS_STOP_DONE);
    ck_assert_uint_eq(word(0x20000), 0x34);
    uint32_t value;
    memcpy(&value, tile->local[TS_RV_TRISC0] + 0x10, 4);
    ck_assert_uint_eq(value, 0x12345678);
}
END_TEST

// A TRISC writes Dst element by element; the format of its view gives the width. Words in a view of
// 16 bits are refused.
START_TEST(test_dst_elements)
{
    static const struct {
        uint32_t format;
        uint8_t store, load, bytes;
        uint32_t value, read; // 0: refused
    } rows[] = {
        {0, TS_RV_SW, TS_RV_LW, 4, 0xc1234567, 0xc1234567},
        {2, TS_RV_SH, TS_RV_LHU, 2, 0x1234b801, 0xb801},
        {3, TS_RV_SH, TS_RV_LHU, 2, 0x12344049, 0x4049},
        {4, TS_RV_SH, TS_RV_LHU, 2, 0xfffffffb, 0xfffb},
        {5, TS_RV_SB, TS_RV_LBU, 1, 0x12345637, 0x37},
        {3, TS_RV_SW, TS_RV_LHU, 4, 0x4049, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool refused = rows[i].read == 0;
        LI(5, 0xffef0000);
        LI(6, rows[i].format << 21); // RISC_DEST_ACCESS_CTRL_SEC1_fmt
        I(SW, 0, 5, 6, 12);
        I(LW, 6, 5, 0, 12);
        LI(5, 0xffbd8000);
        LI(7, rows[i].value);
        ts_rvasm(&code, (enum ts_rv_op)rows[i].store, 0, 5, 0, 0);
        ts_rvasm(&code, (enum ts_rv_op)rows[i].store, 0, 5, 7, 16 * rows[i].bytes);
        I(FENCE, 0, 0, 0, 0);
        ts_rvasm(&code, (enum ts_rv_op)rows[i].load, 8, 5, 0, 16 * rows[i].bytes);
        ts_rvasm(&code, (enum ts_rv_op)rows[i].load, 9, 5, 0, 0);
        LI(10, 0x20000);
        I(SW, 0, 10, 8, 0);
        I(SW, 0, 10, 9, 4);
        start(TS_RV_TRISC1);
        struct ts_run run = ts_kernel_run(kernel, 100000);
        ck_assert_msg((run.stop == TS_STOP_FAULT) == refused, "row %zu: %s", i, run.error.text);
        ck_assert_msg(refused || (word(0x20000) == rows[i].read && word(0x20004) == 0),
                      "row %zu: %#x, %#x", i, word(0x20000), word(0x20004));
        ck_assert(!refused || strstr(run.error.text, "store of 4 bytes to Dst"));
        tear_down();
        set_up();
    }
}
END_TEST

// Accesses that must fault, with what the message says.
START_TEST(test_faults)
{
    static const struct {
        uint8_t core, op;
        uint32_t address;
        enum ts_code code;
        const char *part;
    } rows[] = {
        {TS_RV_BRISC, TS_RV_LW, 0x00180000, TS_CONTRACT, "unmapped address 0x00180000"},
        {TS_RV_BRISC, TS_RV_SW, 0x80000000, TS_CONTRACT, "unmapped address 0x80000000"},
        {TS_RV_NCRISC, TS_RV_LW, 0xffec0000, TS_CONTRACT, "unmapped"}, // no mailboxes
        {TS_RV_NCRISC, TS_RV_SW, 0xffe40000, TS_CONTRACT, "unmapped"}, // no push
        {TS_RV_TRISC0, TS_RV_SW, 0xffe50000, TS_CONTRACT, "unmapped"}, // BRISC only
        {TS_RV_TRISC0, TS_RV_LW, 0xffb01000, TS_CONTRACT, "unmapped"}, // 4 KiB of local RAM
        {TS_RV_BRISC, TS_RV_SW, 0xffb80000, TS_CONTRACT, "unmapped"},  // TRISCs only
        {TS_RV_BRISC, TS_RV_LW, 0xffe40000, TS_CONTRACT, "unmapped"},  // write only
        {TS_RV_BRISC, TS_RV_LW, 0x00000002, TS_CONTRACT, "misaligned"},
        {TS_RV_BRISC, TS_RV_SH, 0x00000001, TS_CONTRACT, "misaligned"},
        {TS_RV_BRISC, TS_RV_AMOADD, 0xffb00000, TS_CONTRACT, "not L1"},
        {TS_RV_BRISC, TS_RV_LW, 0xffb1211c, TS_NOT_IMPLEMENTED, "performance counter 0 of L1"},
        {TS_RV_BRISC, TS_RV_LW, 0xffb20000, TS_NOT_IMPLEMENTED, "no NoC 0 interface"},
        {TS_RV_BRISC, TS_RV_SB, 0xffb121b0, TS_NOT_IMPLEMENTED, "registers take words"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        LI(5, rows[i].address);
        ts_rvasm(&code, (enum ts_rv_op)rows[i].op, 6, 5, 6, 0);
        I(FENCE, 0, 0, 0, 0);
        start(rows[i].core);
        struct ts_run run = ts_kernel_run(kernel, 100000);
        ck_assert_msg(run.stop == TS_STOP_FAULT && run.error.code == rows[i].code &&
                          strstr(run.error.text, rows[i].part) &&
                          strstr(run.error.text, ts_rv_core_names[rows[i].core]),
                      "row %zu: %s: %s", i, ts_stop_name(run.stop), run.error.text);
        tear_down();
        set_up();
    }
}
END_TEST

START_TEST(test_invalid_instructions)
{
    static const struct {
        uint32_t word;
        enum ts_code code;
        const char *part;
    } rows[] = {
        {0xffffffff, TS_CONTRACT, "invalid instruction"},
        {0x18000053, TS_NOT_IMPLEMENTED, "fdiv.s"},
        {0x00000057, TS_NOT_IMPLEMENTED, "V subset"},
        {0x00000073, TS_CONTRACT, "ecall"},
        {0x12302573, TS_CONTRACT, "no CSR 0x123"},
        {0x30200073, TS_CONTRACT, "mret"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        I(ADDI, 0, 0, 0, 0);
        ts_rvasm_word(&code, rows[i].word);
        start(TS_RV_BRISC);
        struct ts_run run = ts_kernel_run(kernel, 100000);
        ck_assert_msg(run.stop == TS_STOP_FAULT && run.error.code == rows[i].code &&
                          strstr(run.error.text, rows[i].part) &&
                          strstr(run.error.text, "pc 0x00000004"),
                      "row %zu: %s", i, run.error.text);
        tear_down();
        set_up();
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, test_mailbox_limits);
    tcase_add_test(tests, test_mailbox_from_the_future);
    tcase_add_test(tests, test_forwarding_goes_on);
    tcase_add_test(tests, test_forwarding_hangs);
    tcase_add_test(tests, test_pcbuf);
    tcase_add_test(tests, test_soft_reset);
    tcase_add_test(tests, test_timestamper);
    tcase_add_test(tests, test_interrupt);
    tcase_add_test(tests, test_slow_alias);
    tcase_add_test(tests, test_dst_elements);
    tcase_add_test(tests, test_faults);
    tcase_add_test(tests, test_invalid_instructions);
}

SUITE("tile", add_tests)
