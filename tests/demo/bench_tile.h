// A tile workload of the event kernel: components that push, take and wait as those of a tile do.
#pragma once

#include <stdint.h>

struct ts_kernel;
struct ts_bench_tiles;

// Builds the tiles into the kernel, a domain each. The checksum covers all that they did.
struct ts_bench_tiles *ts_bench_tiles_new(struct ts_kernel *kernel, uint32_t tiles, uint32_t seed,
                                          uint32_t fifo_depth);
uint64_t ts_bench_tiles_checksum(const struct ts_bench_tiles *self);

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

// Random numbers: one step of a 32-bit linear congruential generator, its high bits returned.
static inline uint32_t ts_bench_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static inline uint64_t ts_bench_mix(uint64_t sum, uint64_t value)
{
    sum ^= value + 0x9e3779b97f4a7c15u + (sum << 6) + (sum >> 2);
    return sum;
}
