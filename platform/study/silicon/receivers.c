// Emits the receivers of the reports on streams (senders.h): they poll their L1 and take the clock.
#include "platform/study/silicon/listing.h"
#include "platform/study/silicon/senders.h"

#define POLLS 100000000 // that a report allows

void sender_watch(struct ts_rvasm *p, const struct sender *self)
{
    listing_begin(p);
    ts_rvasm_li(p, L_S1, SENDER_MARK);
    ts_rvasm_li(p, L_S2, sender_mark_at(self));
    uint32_t poll = ts_rvasm_here(p);
    listing_load(p, L_T1, L_S2, 0);
    uint32_t seen = listing_forward(p, TS_RV_BEQ, L_T1, L_S1);
    listing_addi(p, L_S0, L_S0, 1);
    listing_jump(p, poll);
    listing_here(p, seen);
    listing_clock(p, L_A2, L_A3);
    sender_result(p, TS_RV_BRISC, L_A2, SENDER_SEEN);
    listing_end(p);
}

void sender_scan(struct ts_rvasm *p, const struct sender *first, unsigned senders)
{
    struct sender one = *first;
    listing_begin(p);
    ts_rvasm_li(p, L_S7, 0);
    sender_gate(p);
    ts_rvasm_li(p, L_S0, POLLS);
    uint32_t poll = ts_rvasm_here(p), timeout = listing_forward(p, TS_RV_BEQ, L_S0, L_ZERO);
    listing_addi(p, L_S6, L_ZERO, 0);
    for (unsigned i = 0; i < senders; i++) {
        ts_rvasm_li(p, L_T4, 1u << i);
        ts_rvasm(p, TS_RV_AND, L_T3, L_S7, L_T4, 0);
        uint32_t next = listing_forward(p, TS_RV_BNE, L_T3, L_ZERO);
        one.slot = i;
        ts_rvasm_li(p, L_S2, sender_mark_at(&one));
        listing_load(p, L_T0, L_S2, 0);
        ts_rvasm_li(p, L_T3, SENDER_MARK);
        uint32_t found = listing_forward(p, TS_RV_BEQ, L_T0, L_T3);
        listing_addi(p, L_S6, L_S6, 1);
        uint32_t none = listing_forward(p, TS_RV_BEQ, L_ZERO, L_ZERO); // a jump
        listing_here(p, found);
        listing_clock(p, L_A4, L_A5);
        sender_result(p, TS_RV_BRISC, L_A4, SENDER_SEEN + i);
        ts_rvasm_li(p, L_T4, 1u << i);
        ts_rvasm(p, TS_RV_OR, L_S7, L_S7, L_T4, 0);
        listing_here(p, next);
        listing_here(p, none);
    }
    uint32_t done = listing_forward(p, TS_RV_BEQ, L_S6, L_ZERO);
    listing_addi(p, L_S10, L_S10, 1);
    listing_addi(p, L_S0, L_S0, -1);
    listing_jump(p, poll);
    listing_here(p, timeout);
    listing_here(p, done);
    listing_end(p);
}

void sender_sum(struct ts_rvasm *p, const struct sender *self, uint32_t sum)
{
    bool signals = self->kind == SENDER_SIGNAL;
    listing_begin(p);
    sender_gate(p);
    ts_rvasm_li(p, L_S0, POLLS);
    ts_rvasm_li(p, L_S1, sum);
    ts_rvasm_li(p, L_S2, SENDER_SUM);
    uint32_t poll = ts_rvasm_here(p), timeout = 0;
    if (!signals)
        timeout = listing_forward(p, TS_RV_BEQ, L_S0, L_ZERO);
    listing_load(p, L_T1, L_S2, 0);
    uint32_t done = listing_forward(p, signals ? TS_RV_BEQ : TS_RV_BGEU, L_T1, L_S1);
    if (signals) {
        listing_fence(p);
    } else {
        listing_addi(p, L_S10, L_S10, 1);
        listing_addi(p, L_S0, L_S0, -1);
    }
    listing_jump(p, poll);
    if (timeout)
        listing_here(p, timeout);
    listing_here(p, done);
    listing_clock(p, L_A4, L_A5);
    sender_result(p, TS_RV_BRISC, L_A4, SENDER_SEEN);
    listing_end(p);
}
