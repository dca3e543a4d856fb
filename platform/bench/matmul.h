// The matmul guest of tensim-bench: three TRISCs that unpack, multiply and pack in a loop.
#pragma once

#include "cores/riscv/assemble.h"
#include "platform/tile/tile.h"

// How a guest comes into a tile: directly, or through libttsim.so.
struct ts_bench_loader {
    void *to;
    void (*write)(void *to, uint32_t address, const void *bytes, uint32_t length);
    void (*start)(void *to, unsigned core, uint32_t pc);
};
bool ts_bench_matmul_load(const struct ts_bench_loader *loader, uint32_t products, unsigned phases);

// What a thread configures before its loop, for guests that use one unit.
void ts_bench_unpack_set_up(struct ts_rvasm *code);
void ts_bench_math_set_up(struct ts_rvasm *code);
void ts_bench_record_mvmuls(struct ts_rvasm *code); // the 16 of a product, by REPLAY
void ts_bench_pack_set_up(struct ts_rvasm *code);

// Loads operands and programs into a tile and starts its TRISCs. False: error says why.
bool ts_bench_matmul_start(struct ts_tile *tile, uint32_t products, unsigned phases,
                           struct ts_error *error);
// Have all three threads finished? And is the product what it should be, roughly?
bool ts_bench_matmul_done(const struct ts_tile *tile);
