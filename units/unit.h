// units/unit.h: what all backend units have in common.
//
//    wait gate of T0 --+
//    wait gate of T1 --+-- accept? --> start --> the unit --> busy_until[thread]
//    wait gate of T2 --+                              \--> register files, L1
//
// All unit files have the same order: constants, helpers, one body per instruction in the order of
// config/tensix.def (units/isa/bodies.h), reset, accept, start, step, the tables, the constructor.
//
// Verbs, the same for every unit:
//   accept   pure: may this word enter in this cycle? If not: why, on what, until when if known.
//   start    the word enters. What software can see happens now, or at the cycle the unit's own
//            pipeline says; busy_until is set for the thread.
//   happen   only of SCALAR: what start has put off, as far as it was due before now.
//   step     (component) only for units that go on by themselves after start: memory, streams.
//   waiting  (component) the wait inside the unit, where step blocked.
// A unit that never steps stays asleep and books its cycles with ts_unit_worked.
//
// The front ends call accept and start, in the step of the thread's front end; units never call
// each other. When a unit changes state outside any step (a bank handed over, a busy bit cleared
// earlier than announced), it calls ts_unit_changed, and every front end asleep on it checks again.
//
// Source: tt-isa-documentation WaitGate.md, README.md (one instruction per thread and cycle; which
// units take one for all threads and which one for each).
#pragma once

#include "platform/kernel/domain.h"
#include "units/isa/promise.h"

struct ts_unit;

struct ts_unit_ops {
    enum ts_unit_id id;
    // True: the word may enter. False: *hold says why not.
    bool (*accept)(const struct ts_unit *self, struct ts_word in, ts_cycle now,
                   struct ts_hold *hold);
    // False: the word faulted, the run stops.
    bool (*start)(struct ts_unit *self, struct ts_word in, ts_cycle now);
    // Writes of the unit that were due before `now` (ts_tensix_later); only of SCALAR.
    void (*happen)(struct ts_unit *self, ts_cycle now);
    // Promises (isa/promise.h), only of MATRIX and VECTOR. Can the word begin one? Decides how many of the words pass, and
    // when (false: none). Executes those before `to`.
    bool (*promises)(struct ts_unit *self, struct ts_word first, ts_cycle now);
    bool (*promise)(struct ts_unit *self, struct ts_promise *promise);
    void (*apply)(struct ts_unit *self, const struct ts_promise *promise, ts_cycle to);
};

struct ts_unit {
    struct ts_component component; // first: path, object, account, lane in the trace
    const struct ts_unit_ops *ops;
    // Copies of ops->accept and ops->start, to save a load: they are called for every word.
    bool (*accept)(const struct ts_unit *self, struct ts_word in, ts_cycle now,
                   struct ts_hold *hold);
    bool (*start)(struct ts_unit *self, struct ts_word in, ts_cycle now);
    // The thread has an instruction in some stage before this cycle. TS_NEVER: not known yet; a
    // ts_unit_changed will follow.
    ts_cycle busy_until[TS_THREADS];
    // Arbitration between threads: who entered last, when, who lost and retries, who keeps the
    // port.
    ts_cycle entered;
    union {
        struct {
            uint8_t losers; // bit per thread
            uint8_t keeper; // the same: who keeps the port
        };
        uint16_t claims; // both
    };
    uint8_t last;
    uint8_t keeps;   // enum ts_stall: what the keeper waits for
    ts_cycle worked; // booked as busy before this cycle
    bool at_once;    // for free (config/free.def): its words take no cycle, of any thread
    // Counters.
    uint64_t instructions;
};

// The counter that all units have.
#define TS_UNIT_COUNTER                                                \
    {                                                                  \
        "instructions", "instructions", "words that entered the unit", \
            offsetof(struct ts_unit, instructions)                     \
    }

struct ts_tensix;
void ts_unit_init(struct ts_unit *self, const struct ts_unit_ops *ops,
                  const struct ts_component_ops *component_ops, struct ts_tensix *tensix,
                  struct ts_domain *domain, const char *name);

// The step of a unit that does nothing by itself: always asleep, booked by ts_unit_worked.
ts_step ts_unit_sleep(struct ts_component *self, ts_cycle now);
extern const struct ts_component_ops ts_unit_passive;

// A sleeping unit works from now on for `cycles`: books them as busy, each cycle once. A single cycle
// never lies beyond the end of the run.
// `part` is what a meter makes of it: TS_PART_*.
enum { TS_PART_ANY, TS_PART_MVMUL };
static inline void ts_unit_worked_part(struct ts_unit *self, ts_cycle now, uint64_t cycles,
                                       unsigned part)
{
    ts_cycle from = self->worked > now ? self->worked : now, to = now + cycles;
    if (to > from) {
        if (__builtin_constant_p(cycles) && cycles == 1)
            self->component.worked++;
        else
            ts_component_works(&self->component, from, to);
        self->worked = to;
        ts_trace_busy_part(&self->component.object, part, from, to - from);
    }
}
static inline void ts_unit_worked(struct ts_unit *self, ts_cycle now, uint64_t cycles)
{
    ts_unit_worked_part(self, now, cycles, TS_PART_ANY);
}

// The same for units whose work others wait for: their ledger has it too. It begins at `begin`, the
// instruction was accepted at `now`.
static inline void ts_unit_worked_on(struct ts_unit *self, ts_cycle begin, uint64_t cycles,
                                     ts_cycle now)
{
    ts_unit_worked(self, begin, cycles);
    if (self->component.ledger)
        ts_ledger_work(self->component.ledger, begin, begin + cycles, now);
}

// State that a front end may be asleep on has changed: it checks again in the next cycle.
static inline void ts_unit_changed(struct ts_unit *self, ts_cycle now)
{
    if (self->component.object.waiters)
        ts_wake_all(&self->component.object, now + 1);
}

static inline bool ts_unit_busy(const struct ts_unit *self, unsigned thread, ts_cycle now)
{
    return self->busy_until[thread] > now;
}

// Do the other threads let this thread enter the unit in this cycle? Round robin: the thread after
// the one that entered last goes first. A loser retries in every cycle, so its bit represents a
// request. Opcodes with TS_B_FREE skip this.
bool ts_unit_contend(struct ts_unit *self, unsigned thread, ts_cycle now);
// Do other threads wait for the unit, or keep it?
static inline bool ts_unit_claimed(const struct ts_unit *self, unsigned thread)
{
    return self->claims & ~(0x0101u << thread);
}
static inline bool ts_unit_turn(struct ts_unit *self, unsigned thread, ts_cycle now)
{
    bool alone = !ts_unit_claimed(self, thread) && self->entered != now;
    return __builtin_expect(alone, 1) || ts_unit_contend(self, thread, now);
}

// The thread enters: its turn is over.
static inline void ts_unit_enter(struct ts_unit *self, unsigned thread, ts_cycle now)
{
    self->entered = now;
    self->last = (uint8_t)thread;
    if (__builtin_expect(self->claims != 0, 0)) {
        self->losers &= (uint8_t) ~(1u << thread);
        self->keeper = 0;
    }
    self->instructions++;
}
