// Does a core go round forever although it counts its rounds or writes a sign of life?
//
// spin.h proves that a loop repeats exactly. A loop that counts its tries, or stores a heartbeat,
// never does. Here the proof is by difference: two rounds over the same instructions are compared;
// what differs is marked, with the step by which it does, and the marks are followed through a round.
// If no branch and no address depends on a mark, every further round takes the same way: only a
// change of what it polls can end it. A loop with a time-out is not proved endless: its branch
// depends on the count. Two counts that grow by the same step and are compared for equality (requests sent, answers
// received) count as unchanged.
//
// Inaccuracies: as spin.h.
#pragma once

#include "cores/riscv/spin.h"

#define TS_DRIFT_STORES 8

struct ts_rv_drift {
    uint32_t period;                 // instructions in a round
    uint32_t store[TS_DRIFT_STORES]; // words of L1 that it writes
    uint32_t stores;
};

// `spin`: its polls and ways out, as of ts_rv_spins. False: not proved.
bool ts_rv_drifts(const struct ts_rv_core *core, const struct ts_rv_world *world,
                  struct ts_rv_spin *spin, struct ts_rv_drift *drift);

// Does a core only count, in registers and local RAM? Then for so many cycles at least it does nothing else, and is in no state twice.
// 0: not proved. first, last: pcs of its loop.
uint64_t ts_rv_counts(const struct ts_rv_core *core, uint32_t *first, uint32_t *last);
