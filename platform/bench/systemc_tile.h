// The tile workload of tile.c in SystemC, for the comparison in tensim-bench.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Runs `tiles` tiles for `parts` times `cycles` cycles with SC_THREADs; gives the ns per activation
// of each part. SystemC elaborates once in a process: call this in a child.
void ts_systemc_tile(uint32_t tiles, uint32_t seed, uint32_t fifo_depth, uint64_t cycles,
                     uint32_t parts, double *ns, uint64_t *checksum);

#ifdef __cplusplus
}
#endif
