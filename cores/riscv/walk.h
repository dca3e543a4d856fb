// Interprets a core's instructions without time, on a copy of its registers and local RAM.
//
// For proofs that a loop never ends (spin.h), and for what a core would do next if its wait ended
// (platform/explain). The core itself does not change.
//
// Inaccuracies: floating point and CSRs other than the coprocessor's status and the count of cycles are not followed.
#pragma once

#include "cores/riscv/core.h"

#define TS_RV_WALL_CLOCK 0xffb121f0u // low word; 8 bytes on the high one, as of the last low

#define TS_WALK_LOCAL   8192
#define TS_WALK_DECODED 32u

struct ts_rv_walk {
    const struct ts_rv_core *core;
    uint32_t r[32], pc;
    uint8_t local[TS_WALK_LOCAL];
    bool lent; // local RAM is still the core's own: until the first store
    // Accesses outside local RAM; false: the walk ends. NULL: not followed.
    bool (*load)(struct ts_rv_walk *self, uint32_t address, unsigned size, uint32_t *value);
    bool (*store)(struct ts_rv_walk *self, uint32_t address, unsigned size, uint32_t value);
    // A word for the coprocessor (.ttinsn). NULL: not followed.
    bool (*push)(struct ts_rv_walk *self, uint32_t word);
    void *context;
    bool
        stuck; // the stores in the core's queue stay there: loads of the same words and fences wait
    // The last step: its instruction, pc, operands, result, address, and where a branch did not go.
    struct ts_rv_insn insn;
    uint32_t at, a, b, value, address, other;
    bool taken;
    // Decoded instructions of the loop, by pc.
    struct {
        uint32_t word;
        struct ts_rv_insn insn;
    } decoded[TS_WALK_DECODED];
};

// From where the core is. False: it cannot be walked.
bool ts_rv_walk_start(struct ts_rv_walk *self, const struct ts_rv_core *core, uint32_t pc);
// The same again, for a walk that stores little: it copies the local RAM when it must. All else is as before.
bool ts_rv_walk_again(struct ts_rv_walk *self, const struct ts_rv_core *core, uint32_t pc);
// One instruction. False: it cannot be followed; pc is still its own.
bool ts_rv_walk_step(struct ts_rv_walk *self);

// Does a branch with these operands go its way?
bool ts_rv_branches(enum ts_rv_op op, uint32_t a, uint32_t b);
// An instruction whose result follows from its operands. False: not one of these.
bool ts_rv_compute(enum ts_rv_op op, uint32_t a, uint32_t b, uint32_t imm, uint32_t *d);

// The value of L1 as the core's L0 cache has it. False: L0 may hold an older value; a value can only be used
// if L0 holds it permanently, or if L1 has the same.
bool ts_rv_walk_l0(const struct ts_rv_core *core, uint32_t address, unsigned size, uint32_t *value);
