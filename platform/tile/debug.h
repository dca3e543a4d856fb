// The way to the debug registers of a tile's cores: RISC_DBG_CNTL_0/1 and RISC_DBG_STATUS_0/1.
//
//   CNTL_0 (core, index, read or write, trigger)  --> DR(index) of the core (cores/riscv/debug.h)
//   CNTL_1 (value to write)                       --/
//   STATUS_0 (echo, valid), STATUS_1 (value read) <--
//
// Source: WormholeB0/TensixTile/BabyRISCV/DebugInterface.md. NCRISC has no debug interface.
// Inaccuracies: an access takes no time.
#pragma once

#include "cores/riscv/core.h"

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
