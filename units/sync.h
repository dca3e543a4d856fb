// units/sync.h: the Sync Unit: eight semaphores, four mutexes, and the waits latched at the gates.
//
//   wait gates T0 T1 T2 --> [ one semaphore or wait instruction a cycle ] --> semaphores[8]
//   RISC-V stores ------->  [ shared with the above                     ] --> latch[3] --> gates
//                           [ mutexes: one each a cycle                 ] --> mutexes[0,2,3,4]
//
// STALLWAIT, SEMWAIT and STREAMWAIT only write their masks to the thread's latch; the wait gate
// calls ts_sync_gate in every cycle to check whether the latch lets the next instruction pass.
//
// Source: tt-isa-documentation BlackholeA0/SyncUnit.md, STALLWAIT.md, SEMWAIT.md, SEMINIT.md,
// SEMPOST.md, SEMGET.md, ATGETM.md, ATRELM.md, STREAMWAIT.md; WormholeB0/WaitGate.md.
// Timing: everything takes one cycle; a new value of a semaphore or mutex is visible from the next
// cycle on; a gate opens one cycle after its condition is met (SyncUnit.md, WaitGate.md).
// Inaccuracies: "maybe wait a cycle or two" of contended mutexes is one cycle per contender here.
// Documents say that every block bit holds a following STALLWAIT or SEMWAIT; one measurement
// (boopdotpng/blackhole-py test_rmsnorm_hybrid.md) saw a SEMWAIT replace a wait that blocked the
// unpackers only. The model follows the documents.
#pragma once

#include "units/tensix.h"

#define TS_SEMAPHORES 8
#define TS_MUTEXES    5 // indices 0, 2, 3, 4 exist

struct ts_sync_semaphore {
    struct ts_object object;
    uint8_t value, max;         // after everything that happened so far
    uint8_t old_value, old_max; // at the beginning of cycle `changed`
    ts_cycle changed;
    uint64_t posts, gets;
    // history, for the explanation of a hang
    struct ts_sync_deed {
        uint64_t count;
        ts_cycle at;               // the last one
        uint8_t by;                // thread 0..2, or TS_SYNC_CORE + number of a core
    } posted, got, dropped, above; // above: posts that left it above its maximum
    struct ts_sync_deed wiped;     // SEMINITs while it counted something
    uint8_t wiped_value;
};

#define TS_SYNC_CORE TS_BY_CORE

struct ts_sync_mutex {
    struct ts_object object;
    int8_t holder;    // thread, -1: none
    int8_t next;      // thread that gets it next when two wait (fairness of ATRELM), -1: any
    ts_cycle touched; // last cycle of an ATGETM or ATRELM
    ts_cycle free_from;
    struct ts_sync_unit *sync;
};

// A wait instruction latched at a thread's gate.
struct ts_latch {
    uint8_t op; // TS_OP_STALLWAIT, TS_OP_SEMWAIT, TS_OP_STREAMWAIT; 0: none
    bool unmet; // the last look found it unmet
    bool met;   // a check found it met: it opens in the next cycle in any case
    uint8_t stream;
    uint8_t semaphores;
    uint16_t block;
    uint16_t conditions;
    uint32_t target;
    ts_cycle since; // the cycle it was latched in
};

struct ts_sync_unit {
    struct ts_unit unit;
    struct ts_tensix *tensix;
    // architectural
    struct ts_sync_semaphore semaphore[TS_SEMAPHORES];
    struct ts_sync_mutex mutex[TS_MUTEXES];
    struct ts_latch latch[TS_THREADS];
    // pipeline
    uint8_t caller; // core whose store comes next
    ts_cycle port;  // last cycle the one-per-cycle port was used in
    // counters
    uint64_t riscv_writes;
    uint64_t saturated, dropped; // posts at 15, gets at 0
};

void ts_sync_unit_init(struct ts_sync_unit *self, struct ts_tensix *tensix,
                       struct ts_domain *domain);

// The wait gate: does the thread's latched wait let an instruction with these block bits pass?
bool ts_sync_gate(struct ts_sync_unit *self, unsigned thread, unsigned block, ts_cycle now,
                  struct ts_hold *hold);
static inline bool ts_sync_latched(const struct ts_sync_unit *self, unsigned thread)
{
    return self->latch[thread].op != 0;
}

// A semaphore's value as it is seen in this cycle.
static inline unsigned ts_sync_value(const struct ts_sync_semaphore *s, ts_cycle now)
{
    return s->changed == now ? s->old_value : s->value;
}

// RISC-V access through the PC buffer: loads are free; a store needs the port (may be held a
// cycle).
bool ts_sync_riscv_accept(const struct ts_sync_unit *self, ts_cycle now, struct ts_hold *hold);
bool ts_sync_riscv_write(struct ts_sync_unit *self, unsigned index, uint32_t value, ts_cycle now);
