// The programs of the reports on streams (boopdotpng/tenstorrent-docs, microbenching/noc;
// boopdotpng/blackhole-py, tests/movement), instruction by instruction: senders and receivers.
//
// Every sender reads the clock, issues its requests, waits, and reads the clock again; what differs
// between the reports is how addresses advance, what else the loop does and what the end waits for.
#ifndef TENSIM_STUDY_SILICON_SENDERS_H
#define TENSIM_STUDY_SILICON_SENDERS_H

#include "platform/study/silicon/squad.h"

#define SENDER_SUM  0x148100u // the word that is incremented
#define SENDER_DATA 0x37000u  // of both sides

enum sender_kind {
    SENDER_OBSERVE, // riscv_noc_write_observe: the packets of a megabyte
    SENDER_SWEEP,   // riscv_noc_stream_sweep: the same megabyte several times; after an empty loop
    SENDER_GATED,   // riscv_noc_contention_probe: starts at a given time
    SENDER_ARBITRATE, // riscv_noc_arbitration_bench: one packet again and again, from a given time on
    SENDER_SAME,      // riscv_noc_same_initiator_active: reads and writes in turn
    SENDER_TIMED,     // riscv_noc_arb_priority_order: reads the clock before and after each poll
    SENDER_COUNTER,   // riscv_noc_counter_probe: reads counters after each packet
    SENDER_ATOMIC,    // riscv_noc_atomic_visibility_bench: increments from a given time on
    SENDER_SIGNAL,    // tests/movement/atomic.py: increments whose registers are written once
};
enum sender_op { SEND_WRITE, SEND_POSTED, SEND_READ, SEND_WRITE_READ, SEND_READ_WRITE };

struct sender {
    uint8_t kind, op, noc, vc, priority, core;
    uint32_t bytes, count;     // of a packet; packets
    uint32_t repeats;          // SWEEP: times that many packets
    uint32_t slot;             // where in the target, SENDER_ARBITRATE: one for each sender
    uint32_t own, to, read_at; // coordinates as programs give them; SENDER_SAME: where it reads
};

// Words at the results of a sender's core, and at PROBE_RESULTS of a receiver.
enum { SENDER_STARTED, SENDER_ENDED, SENDER_EMPTY, SENDER_ISSUED, SENDER_SEEN = 8 };
static inline uint32_t sender_results(unsigned core)
{
    return PROBE_RESULTS + 0x100 * core;
}

// What receivers look for, where it lies in the source and where it lands.
#define SENDER_MARK 0x600dcafeu
uint32_t sender_mark_from(const struct sender *self);
uint32_t sender_mark_at(const struct sender *self);

void sender_code(struct ts_rvasm *p, const struct sender *self);
// Requests: from s2 here to s3 of tile s9, s4 bytes, the control word in a register or not; from a
// register's place in a tile to a place here, a register or a number.
void sender_write(struct ts_rvasm *p, const struct sender *self, unsigned from, unsigned to,
                  unsigned control, bool poll);
void sender_read(struct ts_rvasm *p, const struct sender *self, unsigned from, unsigned tile,
                 unsigned to, uint32_t place);
// Parts: the wait for the cycle at which gated programs start; a register to the results.
void sender_gate(struct ts_rvasm *p);
void sender_result(struct ts_rvasm *p, unsigned core, unsigned reg, unsigned index);

// Polls for the last word of one stream.
void sender_watch(struct ts_rvasm *p, const struct sender *self);
// Polls for the first packets of several senders; results from SENDER_SEEN on.
void sender_scan(struct ts_rvasm *p, const struct sender *first, unsigned senders);
// Polls for the sum of all increments.
void sender_sum(struct ts_rvasm *p, const struct sender *self, uint32_t sum);

#endif
