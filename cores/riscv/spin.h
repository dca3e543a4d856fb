// Is a core in a loop that only another component can end?
//
// The watchdog checks this when everything else in the model is asleep. The answer is a proof: from
// the core's registers, the instructions are interpreted without time, with loads from memory as it
// is, until the same pc, registers and local RAM repeat. The loop must have no effect that others
// can see, and must read nothing that changes by itself (clocks, counters, FIFOs). Without a proof
// there is no hang.
//
// Inaccuracies: floating point, CSRs other than the coprocessor's status and loops of more than
// TS_SPIN_STEPS instructions are not followed: such a loop is never called a hang.
#ifndef TENSIM_RISCV_SPIN_H
#define TENSIM_RISCV_SPIN_H

#include "cores/riscv/core.h"

#define TS_SPIN_STEPS 3000
#define TS_SPIN_POLLS 8

struct ts_rv_spin {
    uint32_t period; // instructions in a round
    struct {
        uint32_t pc, address, value;
    } poll[TS_SPIN_POLLS]; // the loads of a round, first ones, each location once
    uint32_t polls;
    uint32_t stale_pc, stale_address; // a load that L0 serves with an old value; pc 0: none
    struct {                          // the last branch of the round and its operands; pc 0: none
        uint32_t pc, a, b;
        uint8_t op;
        bool taken;
    } branch;
};

// Reads what is neither L1 nor local RAM, without any effect. False: it has one, or changes by
// itself.
typedef bool ts_rv_look(void *context, unsigned core, uint32_t address, unsigned size,
                        uint32_t *value);

bool ts_rv_spins(const struct ts_rv_core *core, ts_rv_look *look, void *context,
                 struct ts_rv_spin *spin);

#endif
