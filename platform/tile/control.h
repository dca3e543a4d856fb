// Tile control, debug and status registers at 0xFFB12000: soft reset, reset PCs, wall clock, debug
// timestamper, debug interface of the cores, debug bus, pushes of a debugger, performance counters.
//
// Source: SoftReset.md, TileControlDebugStatus.md, DebugTimestamper.md.
// Inaccuracies: watchdog and ECC are not implemented and fault by name; clock gating and similar
// registers are plain storage.
#pragma once

#include "cores/riscv/core.h"

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

// What a debugger reads of the coprocessor and the cores without stopping them: the debug bus
// (DBG_BUS_CTRL, DBG_RD_DATA; DBG_L1_MEM_REG0 to 2: all of a signal to L1), rows of Dst
// (DBG_ARRAY_RD_*) and backend configuration (TENSIX_CREG_*).
//
// Source: WormholeB0/TensixTile/DebugDaisychain.md; BlackholeA0 BackendConfiguration.md; for Blackhole
// the signals of tt-exalens (August 2026) and the debug array of ttsim 1.10.0.
// Inaccuracies:
// - Values are those of the cycle of the read: the bus has no delay.
// - Of the bus, the words with a core's pc, the address counters and the row counters are modelled; the other bits of
//   a word with a pc or a fidelity phase read zero. Other signals, and series of samples to L1, are refused.
// - Places of the row counters: tt-exalens; ttsim 1.10.0 has those of SrcA and SrcB elsewhere.
// - The first read of a core's pc stops its running ahead; that one may be up to 4096 cycles ahead.

struct ts_tile;

struct ts_debug_bus {
    uint32_t control;                     // DBG_BUS_CTRL
    uint32_t l1[3], l1_next;              // DBG_L1_MEM_REG0 to 2; where the next write goes, / 16
    uint32_t config_index, config_value;  // TENSIX_CREG_READ, TENSIX_CREG_RDDATA
    uint32_t array_enable, array_command; // DBG_ARRAY_RD_EN, DBG_ARRAY_RD_CMD
};

// Is a register at this offset of the tile's control registers one of these?
bool ts_debug_bus_has(uint32_t offset);
enum ts_rv_answer ts_debug_bus_load(struct ts_tile *tile, uint32_t offset, ts_cycle now,
                                    struct ts_rv_reply *reply);
enum ts_rv_answer ts_debug_bus_store(struct ts_tile *tile, uint32_t offset, uint32_t value,
                                     ts_cycle now, struct ts_rv_reply *reply);

// The way to the debug registers of a tile's cores: RISC_DBG_CNTL_0/1 and RISC_DBG_STATUS_0/1.
//
//   CNTL_0 (core, index, read or write, trigger)  --> DR(index) of the core (cores/riscv/debug.h)
//   CNTL_1 (value to write)                       --/
//   STATUS_0 (echo, valid), STATUS_1 (value read) <--
//
// Source: WormholeB0/TensixTile/BabyRISCV/DebugInterface.md. NCRISC has no debug interface.
// Inaccuracies: an access takes no time.

struct ts_tile;

struct ts_debug_port {
    uint32_t control, value; // CNTL_0, CNTL_1
    uint32_t read;           // STATUS_1
    bool valid;              // bit 30 of STATUS_0
};

// RISC_DBG_CNTL_0, ...
enum { TS_DEBUG_CNTL_0, TS_DEBUG_CNTL_1, TS_DEBUG_STATUS_0, TS_DEBUG_STATUS_1 };

uint32_t ts_debug_port_load(const struct ts_tile *tile, unsigned which);
enum ts_rv_answer ts_debug_port_store(struct ts_tile *tile, unsigned which, uint32_t value,
                                      ts_cycle now, struct ts_rv_reply *reply);

// Instructions that a debugger pushes into a thread without its core: INSTRN_BUF_CTRL0, INSTRN_BUF_CTRL1 and
// INSTRN_BUF_STATUS.
//
//   CTRL1 (word) --> FIFO before the replay expander of a thread that CTRL0 has taken
//
// Source: BlackholeA0/TensixTile/BabyRISCV/PushTensixInstruction.md, "Debug registers".
// Inaccuracies: hardware nearly always discards what a core pushes into a thread that is taken; here this is a fault.

struct ts_tile;

struct ts_debug_push {
    uint32_t control; // CTRL0
    uint32_t word;    // CTRL1
};

// INSTRN_BUF_CTRL0, ...
enum { TS_DEBUG_PUSH_CTRL0, TS_DEBUG_PUSH_CTRL1, TS_DEBUG_PUSH_STATUS };

uint32_t ts_debug_push_load(struct ts_tile *tile, unsigned which, ts_cycle now);
enum ts_rv_answer ts_debug_push_store(struct ts_tile *tile, unsigned which, uint32_t value,
                                      ts_cycle now, struct ts_rv_reply *reply);

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
