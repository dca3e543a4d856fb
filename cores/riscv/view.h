// What a core does, for those that watch it: hangs, reports, traces, steps and the library. They read
// nothing else of struct ts_rv_core (tests/floors.sh).
#pragma once

#include "cores/riscv/core.h"

struct ts_rv_view {
    // Has the core ended? One of four ways: in soft reset, at an ebreak, halted by a debugger, in a
    // jump to itself.
    bool ended, held, paused, halted, spinning;
    bool waits;  // a load waits for its region
    bool parked; // the core polls a location that does not change
    bool free;   // the core has left parking and runs, although the kernel still shows a stall
    // pc: the next instruction; at: the instruction that the core is at, which is a load that waits or polls,
    // else the next one.
    uint32_t pc, at;
    uint32_t address, value; // of the load that waits, or that polls
    uint64_t instructions;
    ts_cycle time;     // that the core has reached
    const uint32_t *x; // registers
    // The store queue: from the oldest one on, which may wait for its region.
    uint32_t stores;
    bool blocked;
    const struct ts_rv_reply *blocked_on;
    ts_cycle wrote; // its last store to a register, or push, was sent then
    // Polls for the ledger: the location, its load, since when; repeats 0: it does not poll.
    uint32_t polled, polled_pc, repeats;
    ts_cycle polled_from;
};

struct ts_rv_view ts_rv_core_view(const struct ts_rv_core *self);

// A store in the queue.
static inline const struct ts_rv_store *ts_rv_core_store(const struct ts_rv_core *self,
                                                         uint32_t index)
{
    return &self->stores[(self->store_head + index) % TS_RV_STORES];
}
