// Is a core in a loop that only another component can end?
//
// The watchdog checks this when everything else in the model is asleep. The answer is a proof: from
// the core's registers, the instructions are interpreted without time (walk.h), with loads from
// memory as it is, until the same pc, registers and local RAM repeat. The loop must have no effect
// that others can see, and must read nothing that changes by itself (clocks, counters, FIFOs).
// Without a proof there is no hang.
//
// The round is also followed as terms: which loads, by which operations, decide its branches. With them
// an explanation computes where the loop goes for other values, and says what the core waits for.
//
// Inaccuracies: loops of more than TS_SPIN_STEPS instructions are not followed: such a loop is never
// called a hang.
#pragma once

#include "cores/riscv/core.h"

#define TS_SPIN_STEPS 3000
#define TS_SPIN_POLLS 8
#define TS_SPIN_TERMS 240
#define TS_SPIN_EXITS 16

// A value of the round. Immediates are constants; ADDI is ADD, and so on.
struct ts_rv_term {
    enum { TS_TERM_CONST, TS_TERM_POLL, TS_TERM_OP } kind;
    uint8_t op;   // enum ts_rv_op, of an operation or of the load
    uint8_t a, b; // terms; of a poll, a is its index
    uint32_t imm, value;
};

struct ts_rv_spin {
    uint32_t period; // instructions in a round
    uint32_t steps;  // that were followed without finding one
    struct {
        uint32_t pc, address, value; // the bytes that were loaded, not extended
        uint8_t size;
    } poll[TS_SPIN_POLLS]; // the loads of a round, first ones, each location once
    uint32_t polls;
    uint32_t stale_pc, stale_address; // a load that L0 serves with an old value; pc 0: none
    struct {                          // the last branch of the round and its operands; pc 0: none
        uint32_t pc, a, b;
        uint8_t op;
        bool taken;
    } branch;
    struct ts_rv_term term[TS_SPIN_TERMS];
    uint32_t terms;
    struct { // the round's branches that depend on a poll, in order
        uint32_t pc;
        uint8_t op, a, b; // terms
        bool taken;       // in the loop
        bool leaves;      // the other way is outside the loop
    } exit[TS_SPIN_EXITS];
    uint32_t exits;
};

// Reads what is neither L1 nor local RAM, without any effect. False: it has one, or changes by
// itself.
typedef bool ts_rv_look(void *context, unsigned core, uint32_t address, unsigned size,
                        uint32_t *value);

// Does a store of a register. False: it has an effect that is not followed.
typedef bool ts_rv_touch(void *context, uint32_t pc, uint32_t address, uint32_t value);

// What is neither L1 nor local RAM.
struct ts_rv_world {
    ts_rv_look *look;
    ts_rv_touch *touch; // NULL: no store is followed
    void *context;
};

bool ts_rv_spins(const struct ts_rv_core *core, ts_rv_look *look, void *context,
                 struct ts_rv_spin *spin);

// Does the loop end if the location of a poll has another value (its bytes), and all others stay as they are?
bool ts_rv_spin_ends(const struct ts_rv_spin *self, uint32_t poll, uint32_t value);
// The values that the terms then have.
void ts_rv_spin_evaluate(const struct ts_rv_spin *self, uint32_t poll, uint32_t value,
                         uint32_t of[TS_SPIN_TERMS]);
// The poll that a term depends on first; -1: none.
int ts_rv_spin_poll_of(const struct ts_rv_spin *self, uint32_t term);

// The polls and ways out of a loop of `period` instructions, from a state in it; its stores to L1 are
// ignored.
struct ts_rv_walk;
void ts_rv_spin_describe(const struct ts_rv_walk *from, const struct ts_rv_world *world,
                         uint32_t period, struct ts_rv_spin *spin);
