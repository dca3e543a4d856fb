// Tile control, debug and status registers at 0xFFB12000: soft reset, reset PCs, wall clock, debug
// timestamper, debug interface of the cores, debug bus, pushes of a debugger, performance counters.
//
// Source: SoftReset.md, TileControlDebugStatus.md, DebugTimestamper.md.
// Inaccuracies: watchdog and ECC are not implemented and fault by name; clock gating and similar
// registers are plain storage.
#pragma once

#include "platform/tile/debug.h"
#include "platform/tile/debug_bus.h"
#include "platform/tile/debug_push.h"
#include "platform/tile/perf.h"

struct ts_tile;

#define TS_SOFT_RESET_ALL 0x47800u // value after power-on: every core held

struct ts_timestamper {
    struct {
        bool valid, full, overflow;
        uint32_t start, end, position; // in units of 16 bytes
    } buffer[2];
    uint32_t data[4], position, event_bits;
    bool reset;
    uint32_t control;
};

struct ts_control {
    uint32_t soft_reset;
    uint32_t disable_reset;
    uint32_t reset_pc[TS_RV_CORES];
    uint32_t trisc_override, ncrisc_override;
    uint32_t wall_high; // the upper half, when the lower was read
    uint32_t storage[0x400 / 4];
    struct ts_timestamper timestamper;
    struct ts_debug_port debug;
    struct ts_debug_bus bus;
    struct ts_debug_push push;
    struct ts_perf perf;
};

void ts_control_init(struct ts_tile *tile);
enum ts_rv_answer ts_control_load(struct ts_tile *tile, uint32_t offset, ts_cycle now,
                                  struct ts_rv_reply *reply);
enum ts_rv_answer ts_control_store(struct ts_tile *tile, uint32_t offset, uint32_t value,
                                   ts_cycle now, struct ts_rv_reply *reply);
// Where a core starts when it leaves reset, set as a program of the machine would.
void ts_control_set_entry(struct ts_tile *tile, unsigned core, uint32_t pc);
// The bit of a core in the soft reset register; 0: the tile has no such core.
uint32_t ts_control_reset_bit(const struct ts_tile *tile, unsigned core);
bool ts_control_all_held(const struct ts_tile *tile);
