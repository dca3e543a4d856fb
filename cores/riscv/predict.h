// Branch and jump prediction of a baby core.
//
// The scheme is not published. Measured: taken and never taken branches cost one cycle, 64 in a row do
// not alias (S0204 to S0206; the branches of S0206 alternate from one to the next, each goes the same
// way every time), and a branch is expected to go as it went last. A poll of the network costs 8
// cycles a round and 4 more where it starts and where it ends: blocking requests take 3 cycles over a
// multiple of 8 (B0758 to B0793), not 7. The vendor's loop of reads, which finds its initiator busy
// once a round, takes 19 cycles, 8 of a poll and twice 4 (S0850, S0863: 35.0).
//
// What the front end does not know goes straight on: a branch or a jump that has not been there (raw points of riscvbench: 64
// taken branches cost 4 cycles each the first time; S0266, S0280, S0372), and the instruction right behind a redirection,
// because its lookup comes too late. So in a row of jumps to jumps one redirection makes the next: 64 taken branches or jumps
// `.+4' cost 256 cycles more each time their loop is entered, none with another instruction in between, and a chain of
// called jumps never recovers (M0001 to M0006; the call through a register is not predicted, B0319 goes to the next word).
//
// The model: the last outcome of 512 branches and direct jumps; a return stack of four; direct jumps back are always right
// (B0744: not understood). The sizes are assumed.
#pragma once

#include "platform/base/std.h"

#define TS_RV_BRANCHES 512
#define TS_RV_RETURNS  4

struct ts_rv_predictor {
    uint32_t branch[TS_RV_BRANCHES]; // pc | 2 | taken the last time; 0: unused
    uint32_t returns[TS_RV_RETURNS];
    uint32_t depth; // counts up; the stack drops the oldest
    uint32_t
        blind; // pc + 1 behind the last redirection; 0: a branch or jump has been looked up since
};

static inline void ts_rv_predictor_clear(struct ts_rv_predictor *self)
{
    memset(self, 0, sizeof *self);
}

// Was the branch at pc, which goes (or not) to `target`, predicted right? Learns.
static inline bool ts_rv_predict_branch(struct ts_rv_predictor *self, uint32_t pc, uint32_t target,
                                        bool taken)
{
    uint32_t *last = &self->branch[pc / 4 % TS_RV_BRANCHES], way = pc | 2 | taken;
    const bool blind = self->blind == pc + 1;
    self->blind = 0;
    if (__builtin_expect(*last == way && !blind, 1))
        return true;
    bool right = !taken && (blind || *last != (way ^ 1)); // the branch was not in the table
    *last = way;
    if (!right)
        self->blind = (taken ? target : pc + 4) + 1;
    return right;
}

static inline void ts_rv_predict_call(struct ts_rv_predictor *self, uint32_t link)
{
    self->returns[self->depth++ % TS_RV_RETURNS] = link;
}

static inline bool ts_rv_predict_return(struct ts_rv_predictor *self, uint32_t target)
{
    return self->returns[--self->depth % TS_RV_RETURNS] == target;
}

static inline bool ts_rv_predict_direct(struct ts_rv_predictor *self, uint32_t pc, uint32_t target)
{
    uint32_t *last = &self->branch[pc / 4 % TS_RV_BRANCHES];
    bool right = *last == (pc | 3) || target <= pc;
    *last = pc | 3;
    return right;
}
