// Code as the assembler of blackhole-py emits it, with which the reports of boopdotpng/tenstorrent-docs
// (microbenching/noc) were measured.
//
// That assembler knows what its two scratch registers hold, and forgets it at every label. So a
// request is: the address of CMD_CTRL, the poll of it, the address of the first register, its value,
// and then one store for each register with a value of its own only where the last one does not do.
#ifndef TENSIM_STUDY_SILICON_LISTING_H
#define TENSIM_STUDY_SILICON_LISTING_H

#include "cores/riscv/assemble.h"

#include <stdbool.h>

enum listing_register {
    L_ZERO,
    L_RA,
    L_T0 = 5,
    L_T1,
    L_T2,
    L_S0,
    L_S1,
    L_A0,
    L_A1,
    L_A2,
    L_A3,
    L_A4,
    L_A5,
    L_A6,
    L_A7,
    L_S2,
    L_S3,
    L_S4,
    L_S5,
    L_S6,
    L_S7,
    L_S8,
    L_S9,
    L_S10,
    L_S11,
    L_T3,
    L_T4,
    L_T5,
    L_T6
};

// A word of an initiator (noc/niu.h): a register, or a number.
struct listing_word {
    uint8_t word;
    uint8_t reg; // L_ZERO: the number
    uint32_t number;
};

// The core as the reports' firmware leaves it: without L0 data cache and gathering.
void listing_begin(struct ts_rvasm *p);
void listing_end(struct ts_rvasm *p); // to itself

void listing_addi(struct ts_rvasm *p, unsigned rd, unsigned rs, int32_t number);
void listing_load(struct ts_rvasm *p, unsigned rd, unsigned rs, int32_t offset);
void listing_store(struct ts_rvasm *p, unsigned value, unsigned rs, int32_t offset);
void listing_fence(struct ts_rvasm *p);
// Jumps back; and branches forward, whose target is named later.
void listing_jump(struct ts_rvasm *p, uint32_t to);
uint32_t listing_forward(struct ts_rvasm *p, enum ts_rv_op op, unsigned rs1, unsigned rs2);
void listing_here(struct ts_rvasm *p, uint32_t forward);

// Waits until the initiator is free, writes its words and starts it.
void listing_request(struct ts_rvasm *p, unsigned noc, unsigned initiator,
                     const struct listing_word *words, unsigned count);
// The two halves of it.
void listing_free(struct ts_rvasm *p, unsigned noc, unsigned initiator);
void listing_issue(struct ts_rvasm *p, unsigned noc, unsigned initiator,
                   const struct listing_word *words, unsigned count);
// Its words without the start; what the second scratch register holds then.
uint32_t listing_words(struct ts_rvasm *p, unsigned noc, unsigned initiator,
                       const struct listing_word *words, unsigned count);
// One word, when nothing is known.
void listing_word(struct ts_rvasm *p, unsigned noc, unsigned initiator, struct listing_word word);
// A counter of the interface, and a poll until it has reached a register.
void listing_counter(struct ts_rvasm *p, unsigned noc, unsigned counter, unsigned rd);
void listing_wait(struct ts_rvasm *p, unsigned noc, unsigned counter, unsigned target);
// The clock: high, low and again high.
void listing_clock(struct ts_rvasm *p, unsigned low, unsigned high);
// As many rounds of a loop of three instructions as a register says.
void listing_delay(struct ts_rvasm *p, unsigned rounds);

#endif
