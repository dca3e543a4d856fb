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
// Source: tt-isa-documentation WormholeB0/MOPExpander.md; on Blackhole the counts have ten bits:
// MopCfg[1] = 256 runs 256 times on cards (measured: B0560, B0561). Counts in the MOP word: tt-llk's
// assembly.yaml and mop_expander_expansion_reference.md (the vendor's statement; nobody has measured them).
// Inaccuracies: cfg changed during an expansion is undefined in hardware; here the words change.
#pragma once

#include "platform/base/std.h"

#define TS_MOP_CFG_WORDS 9
#define TS_MOP_COUNT     1023u // bits of a count of template 1

struct ts_mop {
    // architectural
    uint32_t cfg[TS_MOP_CFG_WORDS];
    uint16_t mask_hi; // MOP_CFG
    bool empty;       // template 1 may expand to nothing
    bool records;     // one of the words is a REPLAY that records
    bool end_129;     // the machine's rule mop_129
    // expansion
    bool active;
    uint8_t slot;   // position in the loop body
    bool alternate; // template 1: LoopOp1 is in use
    uint8_t kind;   // template
    uint8_t flags;  // template 0: bit 0 HasB, bit 1 HasA123
    uint32_t mask;  // template 0, shifted as it goes
    uint16_t inner, inner_count;
    uint16_t outer, outer_count;
    uint16_t repeats; // the next words are so many LoopOp0, in an inner loop of nothing else
};

// Slots of template 1, in order.
enum { TS_MOP_START, TS_MOP_LOOP, TS_MOP_END0, TS_MOP_END1 };

// Emits `count` of the words that repeat: cfg[5].
static inline void ts_mop_repeat(struct ts_mop *self, unsigned count)
{
    self->inner = (uint16_t)(self->inner + count);
    self->repeats = (uint16_t)(self->repeats - count);
}

void ts_mop_reset(struct ts_mop *self);
// Writes a configuration register.
void ts_mop_configure(struct ts_mop *self, unsigned index, uint32_t value);
// Discards what is left to emit.
static inline void ts_mop_stop(struct ts_mop *self)
{
    self->active = false;
    self->repeats = 0;
}
// Takes a MOP or MOP_CFG word. `active` says afterwards whether there is anything to emit.
void ts_mop_ingest(struct ts_mop *self, uint32_t word);
// Emits the next word; only while active. The last one clears `active`.
uint32_t ts_mop_next(struct ts_mop *self);
