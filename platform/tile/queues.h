// Mailboxes between the cores, and PC buffers from BRISC to the TRISCs.
//
// 16 mailboxes, one from each of B, T0, T1, T2 to each of them. Each holds four words, and one core
// may have at most four unread words in all. A PC buffer holds 16 words. A read from an empty one
// waits, a write to a full one waits; the region waits, not the core.
//
// Source: BabyRISCV/Mailboxes.md, PCBufs.md.
#pragma once

#include "cores/riscv/core.h"

#define TS_MAIL_CORES  4 // B, T0, T1, T2
#define TS_MAIL_DEPTH  4
#define TS_PCBUF_DEPTH 16
#define TS_PCBUFS      3

struct ts_queue {
    struct ts_object words; // what a reader waits for
    uint32_t first, count;
    uint32_t value[TS_PCBUF_DEPTH];
    ts_cycle ready[TS_PCBUF_DEPTH];
};

struct ts_queues {
    struct ts_queue mail[TS_MAIL_CORES][TS_MAIL_CORES]; // [from][to]
    struct ts_object mail_room[TS_MAIL_CORES];          // what a writer waits for
    struct ts_queue pcbuf[TS_PCBUFS];
    struct ts_object pcbuf_room[TS_PCBUFS];
    struct ts_object pcbuf_drained[TS_PCBUFS]; // what BRISC's load waits for
    bool reader_waits[TS_PCBUFS];              // the TRISC is in a load from the empty buffer
    uint32_t override;                         // RISCV_DEBUG_REG_TRISC_PC_BUF_OVERRIDE
    uint32_t latency;                          // of a word
    uint64_t sent;                             // counter
};

void ts_queues_init(struct ts_queues *self, struct ts_domain *domain, uint32_t latency);

enum ts_rv_answer ts_mail_load(struct ts_queues *self, unsigned core, uint32_t address,
                               ts_cycle now, struct ts_rv_reply *reply);
enum ts_rv_answer ts_mail_store(struct ts_queues *self, unsigned core, uint32_t address,
                                uint32_t word, ts_cycle now, struct ts_rv_reply *reply);
// BRISC's side of buffer `index`; `idle`: the coprocessor has no work of that thread.
enum ts_rv_answer ts_pcbuf_store(struct ts_queues *self, unsigned index, uint32_t word,
                                 ts_cycle now, struct ts_rv_reply *reply);
enum ts_rv_answer ts_pcbuf_wait(struct ts_queues *self, unsigned index, bool idle, ts_cycle now,
                                struct ts_rv_reply *reply);
// The TRISC's side.
enum ts_rv_answer ts_pcbuf_load(struct ts_queues *self, unsigned index, ts_cycle now,
                                struct ts_rv_reply *reply);
// Is OverrideEn and OverrideBusy set for the buffer? (Manual TTSync then does not wait.)
bool ts_pcbuf_overridden(const struct ts_queues *self, unsigned index);
// When a core enters reset, the words it wrote to its mailboxes are lost. When it leaves reset, the
// content of its PC buffer is lost.
void ts_queues_held(struct ts_queues *self, unsigned core, ts_cycle now);
void ts_queues_released(struct ts_queues *self, unsigned core, ts_cycle now);
