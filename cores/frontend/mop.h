// cores/frontend/mop.h: the MOP expander of a thread.
//
//   FIFO --> ingest --> [ template 0 | template 1 ] --> next --> FIFO before the replay expander
//                              ^
//                       cfg[9], written by the TRISC
//
// One MOP becomes up to 2,096,127 words, one a cycle. It is a stepping generator: the position in the
// loops is the state; loop control costs no cycle. Instruction words are read from cfg when they
// are emitted (as hardware does); counts and flags when the expansion starts.
//
// Source: tt-isa-documentation WormholeB0/MOPExpander.md; on Blackhole the counts have ten bits, as the
// fields of MOP that may replace them: MopCfg[1] = 256 runs 256 times on cards (measured: B0560, B0561).
// Inaccuracies: cfg changed during an expansion is undefined in hardware; here the words change.
#ifndef TENSIM_CORES_FRONTEND_MOP_H
#define TENSIM_CORES_FRONTEND_MOP_H

#include <stdbool.h>
#include <stdint.h>

#define TS_MOP_CFG_WORDS 9
#define TS_MOP_COUNT     1023u // bits of a count of template 1

struct ts_mop {
    // architectural
    uint32_t cfg[TS_MOP_CFG_WORDS];
    uint16_t mask_hi; // MOP_CFG
    // expansion
    bool active;
    uint8_t slot;   // position in the loop body
    bool alternate; // template 1: LoopOp1 is in use
    uint8_t kind;   // template
    uint8_t flags;  // template 0: bit 0 HasB, bit 1 HasA123
    uint32_t mask;  // template 0, shifted as it goes
    uint16_t inner, inner_count;
    uint16_t outer, outer_count;
};

// Slots of template 1, in order.
enum { TS_MOP_START, TS_MOP_LOOP, TS_MOP_END0, TS_MOP_END1 };

// Is the next word LoopOp0 in the middle of an inner loop of LoopOp0 only? ts_mop_repeat emits it.
static inline bool ts_mop_repeats(const struct ts_mop *self)
{
    return self->active && self->kind && self->slot == TS_MOP_LOOP && !self->alternate &&
           self->inner + 1 < self->inner_count;
}
static inline uint32_t ts_mop_repeat(struct ts_mop *self)
{
    self->inner++;
    return self->cfg[5];
}

void ts_mop_reset(struct ts_mop *self);
// Takes a MOP or MOP_CFG word. `active` says afterwards whether there is anything to emit.
void ts_mop_ingest(struct ts_mop *self, uint32_t word);
// Emits the next word; only while active. The last one clears `active`.
uint32_t ts_mop_next(struct ts_mop *self);

#endif
