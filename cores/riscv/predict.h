// Branch and jump prediction of a baby core.
//
// The cores' prediction scheme is not published. Measured: taken, never taken and alternating
// branches all cost one cycle once learnt. The model: 512 branches (64 in a row do not alias,
// S0206) with four outcomes of history each choose one of 16 two-bit counters, backward branches
// start as taken; the last target of 16 indirect jumps; a return stack of four. All assumed.
#ifndef TENSIM_RISCV_PREDICT_H
#define TENSIM_RISCV_PREDICT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define TS_RV_BRANCHES 512
#define TS_RV_TARGETS  16
#define TS_RV_RETURNS  4

struct ts_rv_predictor {
    struct {
        uint32_t pc; // + 1; 0: unused
        uint32_t counters;
        uint32_t history;
    } branch[TS_RV_BRANCHES];
    struct {
        uint32_t pc, target;
    } jump[TS_RV_TARGETS];
    uint32_t returns[TS_RV_RETURNS];
    uint32_t depth; // counts up; the stack drops the oldest
};

static inline void ts_rv_predictor_clear(struct ts_rv_predictor *self)
{
    memset(self, 0, sizeof *self);
}

// Was the branch at pc, which goes (or not) to `target`, predicted right? Learns.
static inline bool ts_rv_predict_branch(struct ts_rv_predictor *self, uint32_t pc, uint32_t target,
                                        bool taken)
{
    uint32_t index = pc / 4 % TS_RV_BRANCHES;
    if (__builtin_expect(self->branch[index].pc != pc + 1, 0)) {
        self->branch[index].pc = pc + 1;
        self->branch[index].history = 0;
        self->branch[index].counters = target <= pc ? 0xaaaaaaaau : 0x55555555u;
    }
    uint32_t shift = self->branch[index].history * 2;
    uint32_t counters = self->branch[index].counters, counter = counters >> shift & 3;
    bool right = (counter >= 2) == taken;
    if (taken && counter < 3)
        counters += 1u << shift;
    if (!taken && counter > 0)
        counters -= 1u << shift;
    self->branch[index].counters = counters;
    self->branch[index].history = (self->branch[index].history << 1 | taken) & 15;
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

static inline bool ts_rv_predict_jump(struct ts_rv_predictor *self, uint32_t pc, uint32_t target)
{
    uint32_t index = pc / 4 % TS_RV_TARGETS;
    bool right = self->jump[index].pc == pc + 1 && self->jump[index].target == target;
    self->jump[index].pc = pc + 1;
    self->jump[index].target = target;
    return right;
}

#endif
