// The performance counters of a tile: five banks, each with a period, a mode with the selected counter,
// a start and stop register, and two outputs.
//
//   PERF_CNT_*2   0 -> 1 of bit 0: all counters of the bank start at zero; 0 -> 1 of bit 1: they stop
//   PERF_CNT_*1   mode (bits 7:0), counter that OUT_H shows (bits 16:8)
//   OUT_L, OUT_H  cycles since the start, and the selected count, up to now or to the stop
//
// Counts are the units' own accounts, those of stats.json, from the start to the stop: config/perf_counters.def.
// Source: tt-metal's tech report PerfCounters and hw_counters.h, tt-llk docs/performance_counters.
// Inaccuracies: reads and writes take effect in their cycle. Mode 1 (stops by itself after a period), counters that no unit
// keeps an account of, and all of the L1 bank are refused.
#pragma once

#include "cores/riscv/core.h"

struct ts_tile;

enum ts_perf_bank {
    TS_PERF_INSTRN,
    TS_PERF_UNPACK,
    TS_PERF_FPU,
    TS_PERF_L1,
    TS_PERF_PACK,
    TS_PERF_BANKS
};

enum ts_perf_row {
#define TS_PERF(bank, select, name, source, index) TS_PERF_##bank##_##select,
#include "config/perf_counters.def"
    TS_PERF_ROWS
};

struct ts_perf {
    struct {
        uint32_t period, mode, control;
        bool started, running;
        ts_cycle from, to;
    } bank[TS_PERF_BANKS];
    uint32_t all; // PERF_CNT_ALL
    uint64_t from[TS_PERF_ROWS], to[TS_PERF_ROWS];
};

// Is a register at this offset of the tile's control registers one of these?
bool ts_perf_has(uint32_t offset);
enum ts_rv_answer ts_perf_load(struct ts_tile *tile, uint32_t offset, ts_cycle now,
                               struct ts_rv_reply *reply);
enum ts_rv_answer ts_perf_store(struct ts_tile *tile, uint32_t offset, uint32_t value, ts_cycle now,
                                struct ts_rv_reply *reply);
