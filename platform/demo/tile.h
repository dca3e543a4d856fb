// The numbers of the tile workload that its SystemC twin in platform/bench shares.
#ifndef TENSIM_DEMO_TILE_H
#define TENSIM_DEMO_TILE_H

#include <stdint.h>

enum { TS_TILE_CORES = 5, TS_TILE_FRONTS = 3, TS_TILE_BACKS = 9 };
enum { TS_TILE_SEEDS = TS_TILE_CORES + TS_TILE_FRONTS + TS_TILE_BACKS };
enum { TS_TILE_DELAYS = 128 };
#define TS_TILE_SEED_STEP 2654435761u

// Fills the delay table of the cores: 1 in 70 % of the entries, 2 in 15, 3 in 8, 5 in 5, 9 in 2.
static inline void ts_tile_delays(uint8_t *delays)
{
    for (int i = 0; i < TS_TILE_DELAYS; i++)
        delays[i] = i < 90 ? 1 : i < 109 ? 2 : i < 119 ? 3 : i < 126 ? 5 : 9;
}

#endif
