// Instructions that a debugger pushes into a thread without its core: INSTRN_BUF_CTRL0, INSTRN_BUF_CTRL1 and
// INSTRN_BUF_STATUS.
//
//   CTRL1 (word) --> FIFO before the replay expander of a thread that CTRL0 has taken
//
// Source: BlackholeA0/TensixTile/BabyRISCV/PushTensixInstruction.md, "Debug registers".
// Inaccuracies: hardware nearly always discards what a core pushes into a thread that is taken; here this is a fault.
#pragma once

#include "cores/riscv/core.h"

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
