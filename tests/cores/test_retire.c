// Instructions retire in their order, also behind a load that waited: a load whose mail comes while L1 still serves the load
// before it retires after that one. Who uses a register with two writers waits for the first to retire.
#include "cores/riscv/assemble.h"
#include "platform/kernel/kernel.h"
#include "platform/tile/tile.h"
#include "tests/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define RESULT  0x20000u // L1: the clock behind the second write
#define READER  0x4000u  // L1: TRISC1's code
#define DATA    0x30000u // L1: what is loaded before the mail
#define MAILBOX 0xffec0000u
#define CLOCK   0xffb121f0u

#define I(op, rd, rs1, rs2, imm) ts_rvasm(&code, TS_RV_##op, rd, rs1, rs2, imm)

static void end(struct ts_rvasm *code)
{
    ts_rvasm(code, TS_RV_FENCE, 0, 0, 0, 0);
    ts_rvasm(code, TS_RV_JAL, 0, 0, 0, 0);
    ck_assert(!code->overflow);
}

// BRISC sends a word to TRISC1 after so many instructions.
static void sender(struct ts_tile *tile, unsigned wait)
{
    static struct ts_rvasm code;
    code = (struct ts_rvasm){0};
    ts_rvasm_li(&code, 5, MAILBOX + TS_RV_TRISC1 * 0x1000);
    for (unsigned i = 0; i < wait; i++)
        I(ADDI, 0, 0, 0, 0);
    I(SW, 0, 5, 0, 0);
    end(&code);
    ts_l1_write(&tile->l1, 0, code.words, code.count * 4, 0);
}

// TRISC1 loads from L1, reads the mail, writes its register again, uses it, and takes the time.
static void reader(struct ts_tile *tile)
{
    static struct ts_rvasm code;
    code = (struct ts_rvasm){0};
    ts_rvasm_li(&code, 5, MAILBOX + TS_RV_BRISC * 0x1000);
    ts_rvasm_li(&code, 6, CLOCK);
    ts_rvasm_li(&code, 7, RESULT);
    ts_rvasm_li(&code, 10, DATA);
    I(LW, 12, 10, 0, 0);
    I(LW, 13, 5, 0, 0);
    I(ADDI, 13, 13, 0, 1);
    I(ADDI, 0, 0, 0, 0);
    I(AND, 14, 13, 0, 0); // not right behind the second writer: waits until the first has retired
    I(ADD, 6, 6, 14, 0);
    I(LW, 14, 6, 0, 0);
    I(SW, 0, 7, 14, 0);
    end(&code);
    ts_l1_write(&tile->l1, READER, code.words, code.count * 4, 0);
}

static uint32_t clock_of(unsigned wait, bool run_ahead)
{
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_tile_config config = ts_tile_config_default();
    struct ts_error error = {0};
    config.run_ahead = config.park = run_ahead;
    struct ts_tile *tile = ts_tile_new(ts_domain_new(kernel, "tile"), &config, &error);
    ck_assert_ptr_nonnull(tile);
    ck_assert_int_eq(ts_kernel_elaborate(kernel, &error), TS_OK);
    sender(tile, wait);
    reader(tile);
    ck_assert(ts_tile_start(tile, TS_RV_BRISC, 0, 0, &error) &&
              ts_tile_start(tile, TS_RV_TRISC1, READER, 0, &error));
    struct ts_run run = ts_kernel_run(kernel, 1000000);
    uint32_t clock;
    memcpy(&clock, tile->l1.bytes + RESULT, sizeof clock);
    ts_tile_free(tile);
    ts_kernel_free(kernel);
    ck_assert_msg(run.stop == TS_STOP_DONE, "%s %s", ts_stop_name(run.stop), run.error.text);
    return clock;
}

// Mail that comes later never makes the core earlier.
START_TEST(a_load_retires_behind_the_one_before)
{
    uint32_t before = 0, same = 0, first = clock_of(0, _i);
    for (unsigned wait = 0; wait < 24; wait++) {
        uint32_t now = clock_of(wait, _i);
        ck_assert_msg(now >= before, "mail after %u instructions: clock %u, before %u", wait, now,
                      before);
        same += now == first;
        before = now;
    }
    ck_assert_uint_gt(same, 10);      // L1 decides
    ck_assert_uint_gt(before, first); // then the mail
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, a_load_retires_behind_the_one_before, 0, 2);
}

SUITE("retire", add_tests)
