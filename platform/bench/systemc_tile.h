// The tile workload of platform/demo/tile.c in SystemC, for the comparison in tensim-bench.
#ifndef TENSIM_BENCH_SYSTEMC_TILE_H
#define TENSIM_BENCH_SYSTEMC_TILE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ts_systemc_result {
    uint64_t checksum;
    double ns_per_activation; // of the fastest part of the run
};

// Runs `tiles` tiles for `parts` times `cycles` cycles with SC_THREADs. SystemC elaborates once in
// a process: call this in a child.
void ts_systemc_tile(uint32_t tiles, uint32_t seed, uint32_t fifo_depth, uint64_t cycles,
                     uint32_t parts, struct ts_systemc_result *result);

#ifdef __cplusplus
}
#endif

#endif
