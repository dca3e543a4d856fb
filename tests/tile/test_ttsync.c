// Auto TTSync between a TRISC and its thread: with it, a program that pushes and then reads gets
// the values of program order; without it, it gets old values.
#include "platform/kernel/kernel.h"
#include "tests/suite.h"
#include "tests/tile/probe.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define OP(op)             ((uint32_t)(op) << 24)
#define SETC16(r, v)       (OP(TS_OP_SETC16) | (uint32_t)(r) << 16 | (v))
#define SETDMAREG(half, v) (OP(TS_OP_SETDMAREG) | (uint32_t)(v) << 8 | (half))
#define WRCFG(gpr, reg)    (OP(TS_OP_WRCFG) | (uint32_t)(gpr) << 16 | (reg))
#define ROUNDS             8
#define RESULTS            0x21000

static void push(struct ts_rvasm *p, uint32_t word)
{
    ts_rvasm_word(p, ts_word_to_inline(word));
}

static void fence(struct ts_rvasm *p)
{
    ts_rvasm_word(p, 0x0ff0000f);
}

// Runs on T1; what the core saw of GPR 4, of Config[12] and of Config[13] in each round.
static void look(bool track, uint32_t seen[ROUNDS][3])
{
    static struct ts_rvasm p[3];
    struct ts_rvasm *q = &p[1];
    begin(q);
    li(q, S1, 0xffe00000); // GPRs
    li(q, A4, 0xffef0000); // configuration
    li(q, A5, RESULTS);
    push(q, SETC16(0, 0));
    push(q, SETC16(56, track ? 0x1f : 0));
    sw(q, ZERO, A1, 4);
    lw(q, T1, A1, 4);
    ts_rvasm_word(q, 0x7013 | T1 << 15 | T1 << 7); // drained: the setting holds
    lw(q, A2, S0, 0x1f0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        // Slow words first, so that the core is ahead of its thread.
        for (unsigned k = 0; k < 6; k++)
            push(q, OP(TS_OP_ADDDMAREG) | 1u << 23 | 20u << 12 | 20);
        push(q, SETDMAREG(8, 0x100 + i));
        fence(q);
        lw(q, T1, S1, 4 * 4); // pushed write, then load
        sw(q, T1, A5, (int)(12 * i));
        li(q, T0, 0x200 + i);
        sw(q, T0, S1, 4 * 5);  // store to GPR 5 ...
        push(q, WRCFG(5, 12)); // ... read by a word behind it
        li(q, T0, 0x300 + i);
        sw(q, T0, S1, 4 * 5); // and a store behind the word that reads
        push(q, WRCFG(5, 13));
        fence(q);
        lw(q, T1, A4, 4 * 12);
        sw(q, T1, A5, (int)(12 * i + 4));
        lw(q, T1, A4, 4 * 13);
        sw(q, T1, A5, (int)(12 * i + 8));
    }
    finish(q, 1);
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_error error = {0};
    struct ts_tile *tile = ts_tile_new(ts_domain_new(kernel, "tile"), NULL, &error);
    ck_assert_ptr_nonnull(tile);
    ck_assert_int_eq(ts_kernel_elaborate(kernel, &error), TS_OK);
    ts_l1_write(&tile->l1, CODE(1), q->words, q->count * 4, 0);
    ck_assert(ts_tile_start(tile, TS_RV_TRISC1, CODE(1), 0, &error));
    struct ts_run result = ts_kernel_run(kernel, 100000);
    ck_assert_msg(result.stop == TS_STOP_DONE, "%s", result.error.text);
    memcpy(seen, tile->l1.bytes + RESULTS, sizeof(uint32_t[ROUNDS][3]));
    ts_tile_free(tile);
    ts_kernel_free(kernel);
}

START_TEST(program_order_with_tracking)
{
    uint32_t seen[ROUNDS][3];
    look(true, seen);
    for (unsigned i = 0; i < ROUNDS; i++) {
        ck_assert_uint_eq(seen[i][0], 0x100 + i);
        ck_assert_uint_eq(seen[i][1], 0x200 + i);
        ck_assert_uint_eq(seen[i][2], 0x300 + i);
    }
}
END_TEST

START_TEST(the_past_without_tracking)
{
    uint32_t seen[ROUNDS][3];
    look(false, seen);
    unsigned late = 0;
    for (unsigned i = 0; i < ROUNDS; i++)
        for (unsigned k = 0; k < 3; k++)
            late += seen[i][k] != 0x100 * (k + 1) + i;
    ck_assert_uint_gt(late, 0);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, program_order_with_tracking);
    tcase_add_test(tests, the_past_without_tracking);
}

SUITE("ttsync", add_tests)
