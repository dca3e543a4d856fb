// Loops of a walk (cores/riscv/walk.h): which of them cannot end by themselves, and where they are left.
//
// A loop is the way from a backward jump's target to itself. Only branches and the addresses of loads
// decide where it goes. If all of these were the same in some rounds over the same way, nothing in the loop
// changes them: it waits for others. Its ways out are the branches that lead to a pc outside the round.
// A loop that counts is not such a loop: the branch that ends it changes in every round.
#pragma once

#include "cores/riscv/walk.h"

#define TS_ROUND_PATIENCE 3 // equal rounds
#define TS_ROUND_PLACES   4096u

// An instruction: when it was reached last, and with what.
struct ts_round_place {
    uint32_t pc, when;
    uint32_t a, b;  // operands of a branch; a load's address
    uint32_t other; // where a branch did not go
    bool branch, vague;
    // Of the head of a loop: when the last rounds began, where the way was, and the sum of a round's.
    uint32_t began[TS_ROUND_PATIENCE];
    uint64_t way, round;
    uint32_t left; // effects when the branch was taken as the way out, plus one; 0: never
};

struct ts_rounds {
    struct ts_round_place place[TS_ROUND_PLACES];
    uint32_t now;     // instructions
    uint32_t changed; // when a branch or an address was last not as before
    uint64_t way;     // a sum over all jumps and branches
};

// After a step. `vague`: an operand is not known.
void ts_rounds_note(struct ts_rounds *self, const struct ts_rv_walk *walk, bool vague);
// At a backward jump's target: does this loop wait? `last`: when its last round began.
bool ts_rounds_endless(struct ts_rounds *self, uint32_t pc, uint32_t *last);
// The way out of a loop that waits; NULL: none. A branch with a vague operand comes first, then the first one
// of the round; one that led back here without any effect comes last. `several`: which way depends on the value.
struct ts_round_place *ts_rounds_way_out(struct ts_rounds *self, uint32_t since, uint32_t effects,
                                         bool *several);
// Something else has changed.
void ts_rounds_changed(struct ts_rounds *self);
bool ts_rounds_reached(struct ts_rounds *self, uint32_t pc, uint32_t since);
// Do all ways from a pc lead back to the branch, with nothing done on them that others see? Then the branch
// waits: whatever the value, the program goes on behind it.
bool ts_rounds_waits_at(const struct ts_l1 *l1, uint32_t branch, uint32_t pc);
