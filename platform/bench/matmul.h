// The matmul guest of tensim-bench: three TRISCs that unpack, multiply and pack in a loop.
#ifndef TENSIM_BENCH_MATMUL_H
#define TENSIM_BENCH_MATMUL_H

#include "platform/tile/tile.h"

// Loads operands and programs into a tile and starts its TRISCs. False: error says why.
bool ts_bench_matmul_start(struct ts_tile *tile, uint32_t products, unsigned phases,
                           struct ts_error *error);
// Have all three threads finished? And is the product what it should be, roughly?
bool ts_bench_matmul_done(const struct ts_tile *tile);
bool ts_bench_matmul_right(const struct ts_tile *tile);

#endif
