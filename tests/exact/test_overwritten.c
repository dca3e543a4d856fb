// Code that the host overwrites while a core waits with an instruction of it: the new instructions come after the
// write, fast and step by step. (As a card's DMA does; programs of fuzz.h do not overwrite code.)
#include "cores/riscv/assemble.h"
#include "platform/kernel/kernel.h"
#include "platform/tile/tile.h"
#include "tests/suite.h"

#include <check.h>

#define NOP      (0x02000000u << 2) // of the coprocessor, as an instruction of a core
#define REGISTER 0xffb12000u        // takes a load a few cycles
#define CUTS     60                 // the write comes at each of the first cycles

// Four words of code, of which the third waits for the second.
static void waiting_code(struct ts_rvasm *code)
{
    *code = (struct ts_rvasm){.count = 0};
    ts_rvasm(code, TS_RV_LUI, 10, 0, 0, (int32_t)REGISTER);
    ts_rvasm(code, TS_RV_LW, 11, 10, 0, 0x1b0);
    ts_rvasm(code, TS_RV_ADD, 12, 11, 11, 0);
    ts_rvasm(code, TS_RV_JAL, 0, 0, 0, 0);
}

static struct ts_run run(ts_cycle cut, bool fast)
{
    struct ts_error error = {0};
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_tile_config config = ts_tile_config_default();
    config.run_ahead = config.park = fast;
    struct ts_tile *tile = ts_tile_new(ts_domain_new(kernel, "tile"), &config, &error);
    ck_assert_int_eq(ts_kernel_elaborate(kernel, &error), TS_OK);
    struct ts_rvasm code;
    waiting_code(&code);
    ts_l1_write(&tile->l1, 0, code.words, code.count * 4, 0);
    ck_assert(ts_tile_start(tile, TS_RV_BRISC, 0, 0, &error));
    struct ts_run run = ts_kernel_run(kernel, cut);
    code.count = 0;
    for (unsigned i = 0; i < 9; i++)
        ts_rvasm_word(&code, NOP);
    ts_rvasm(&code, TS_RV_JAL, 0, 0, 0, 0);
    ts_l1_write(&tile->l1, 8, code.words, code.count * 4, run.cycle);
    run = ts_kernel_run(kernel, 1000);
    ts_tile_free(tile);
    ts_kernel_free(kernel);
    return run;
}

START_TEST(new_code_comes_after_the_write)
{
    const ts_cycle cut = (ts_cycle)_i + 1;
    struct ts_run fast = run(cut, true), slow = run(cut, false);
    ck_assert_msg(fast.stop != TS_STOP_FAULT, "%s", fast.error.text);
    ck_assert_msg(slow.stop != TS_STOP_FAULT, "%s", slow.error.text);
    ck_assert_uint_eq(fast.cycle, slow.cycle);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, new_code_comes_after_the_write, 0, CUTS);
}

SUITE("overwritten", add_tests)
