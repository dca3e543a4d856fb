// Branch and jump prediction of a baby core.
//
// The scheme is not published. Measured: taken and never taken branches cost one cycle, 64 in a row do
// not alias (S0204 to S0206; the branches of S0206 alternate from one to the next, each goes the same
// way every time), and a branch is expected to go as it went last. A poll of the network costs 8
// cycles a round and 4 more where it starts and where it ends: blocking requests take 3 cycles over a
// multiple of 8 (B0758 to B0793), not 7. The vendor's loop of reads, which finds its initiator busy
// once a round, takes 19 cycles, 8 of a poll and twice 4 (S0850, S0863: 35.0).
//
// A chain of direct jumps ahead, 32 bytes apart, costs 5.1 cycles each however often it runs (a published probe of the
// instruction cache): none of them is predicted. Such jumps in loops of a few are.
//
// The model: the last outcome of 512 branches, backward ones start as taken; the last target of 16
// indirect jumps; a return stack of four; the last two direct jumps ahead of each of eight sets, by bits [4:2] of the pc, and all
// direct jumps back. The sizes are assumed. The sets are fitted to the chains and to the measured kernels, none held back.
#ifndef TENSIM_RISCV_PREDICT_H
#define TENSIM_RISCV_PREDICT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define TS_RV_BRANCHES 512
#define TS_RV_TARGETS  16
#define TS_RV_RETURNS  4
#define TS_RV_AHEAD    8 // sets of direct jumps

struct ts_rv_predictor {
    uint32_t branch[TS_RV_BRANCHES]; // pc | 2 | taken the last time; 0: unused
    struct {
        uint32_t pc, target;
    } jump[TS_RV_TARGETS];
    uint32_t returns[TS_RV_RETURNS];
    uint32_t depth;                 // counts up; the stack drops the oldest
    uint32_t ahead[TS_RV_AHEAD][2]; // pc + 1, the last one first
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
    if (__builtin_expect(*last == way, 1))
        return true;
    bool right = *last != (way ^ 1) && (target <= pc) == taken; // the branch was not in the table
    *last = way;
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
    uint32_t *set = self->ahead[pc / 4 % TS_RV_AHEAD];
    if (target <= pc || __builtin_expect(set[0] == pc + 1, 1))
        return true;
    bool right = set[1] == pc + 1;
    set[1] = set[0];
    set[0] = pc + 1;
    return right;
}

static inline bool ts_rv_predict_jump(struct ts_rv_predictor *self, uint32_t pc, uint32_t target)
{
    uint32_t index = pc / 4 % TS_RV_TARGETS;
    bool right = self->jump[index].pc == pc + 1 && self->jump[index].target == target;
    self->jump[index].pc = pc + 1;
    self->jump[index].target = target;
    return right;
}

#endif
