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
#pragma once

#include "cores/riscv/core.h"

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
