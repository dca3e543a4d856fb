// One tile with programs that a test assembles for its cores: set up, loaded, started, taken down.
#ifndef TENSIM_TESTS_TILE_ONE_TILE_H
#define TENSIM_TESTS_TILE_ONE_TILE_H

#include "cores/riscv/assemble.h"
#include "platform/kernel/kernel.h"
#include "platform/tile/tile.h"

#include <check.h>

static struct ts_kernel *kernel;
static struct ts_tile *tile;
static struct ts_rvasm code; // of the next program
static struct ts_error error;

#define I(op, rd, rs1, rs2, imm) ts_rvasm(&code, TS_RV_##op, rd, rs1, rs2, imm)
#define LI(rd, value)            ts_rvasm_li(&code, rd, value)

static inline void set_up_tile_as(const struct ts_tile_config *as, bool ahead)
{
    kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_tile_config config = *as;
    config.run_ahead = config.park = ahead;
    tile = ts_tile_new(ts_domain_new(kernel, "tile"), &config, &error);
    ck_assert_ptr_nonnull(tile);
    ck_assert_int_eq(ts_kernel_elaborate(kernel, &error), TS_OK);
    code.count = 0;
}

static inline void set_up_tile(bool ahead)
{
    const struct ts_tile_config config = ts_tile_config_default();
    set_up_tile_as(&config, ahead);
}

static inline void set_up(void)
{
    set_up_tile(true);
}

static inline void tear_down(void)
{
    ts_tile_free(tile);
    ts_kernel_free(kernel);
}

// Puts what has been assembled, and a jump to itself behind it, into L1.
static inline void load_program(uint32_t pc)
{
    I(JAL, 0, 0, 0, 0);
    ts_l1_write(&tile->l1, pc, code.words, code.count * 4, 0);
    code.count = 0;
}

// The same, and starts a core there.
static inline void start_at(unsigned core, uint32_t pc)
{
    load_program(pc);
    ck_assert(ts_tile_start(tile, core, pc, 0, &error));
}

#endif
