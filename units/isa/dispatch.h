// units/isa/dispatch.h: the interface that passes instruction words from a front end to the
// backend.
//
//   front end of a thread --offer--> backend (gate, units)
//                         <-verdict- passed | held: why, on what, until when | stopped: faulted
//
// Cores and units do not depend on each other; this is the interface between them.
#pragma once

#include "platform/kernel/component.h"
#include "units/isa/opcodes.h"
#include "units/isa/timing.h"

// An instruction about to enter a unit.
struct ts_word {
    uint32_t word;
    uint8_t op;     // enum ts_op: bits 31:24 of word
    uint8_t thread; // 0..2
};

static inline struct ts_word ts_word(uint32_t word, unsigned thread)
{
    return (struct ts_word){word, TS_OP_OF(word), (uint8_t)thread};
}

// Why an instruction or an access is held. A predicate with a `hold` says true: it goes, and leaves
// *hold alone; or returns ts_held(...), which is false.
struct ts_hold {
    enum ts_stall reason;
    const struct ts_object *object; // what it waits for
    ts_cycle until;                 // retry at this cycle; TS_NEVER: when the object changes
    bool port; // the instruction keeps the unit's port: no other thread may pass
};

static inline bool ts_held(struct ts_hold *hold, enum ts_stall reason,
                           const struct ts_object *object, ts_cycle until)
{
    *hold = (struct ts_hold){reason, object, until, false};
    return false;
}

// The same, and the unit's port is kept.
static inline bool ts_held_port(struct ts_hold *hold, enum ts_stall reason,
                                const struct ts_object *object, ts_cycle until)
{
    *hold = (struct ts_hold){reason, object, until, true};
    return false;
}

// A thread's gate is closed before `until` for every instruction, by the thread's own last one. TS_NEVER:
// until the object changes.
struct ts_closed {
    ts_cycle until;
    enum ts_stall reason;
    const struct ts_object *object;
};

enum ts_verdict { TS_PASSED, TS_HELD, TS_STOPPED };

#define TS_PROMISE_MOST 64 // words, and cycles: a product in HiFi4

struct ts_backend;
struct ts_promise;

struct ts_backend_ops {
    // The first word of a thread: lets it pass, or says why not. `front` is the caller, for faults.
    enum ts_verdict (*offer)(const struct ts_backend *self, struct ts_word in, ts_cycle now,
                             struct ts_component *front, struct ts_hold *hold);
    // Can the thread's next word begin a promise (units/isa/promise.h)? If so: promises as many of these words as are
    // certain to pass, unless the front end is recalled (ts_recall). False: none.
    bool (*promises)(const struct ts_backend *self, struct ts_word first, ts_cycle now);
    bool (*promise)(const struct ts_backend *self, struct ts_promise *promise);
    // The front end resumes or is about to: executes the words of its promise that are due.
    void (*back)(const struct ts_backend *self, unsigned thread);
    void (*recall)(const struct ts_backend *self, unsigned thread, ts_cycle now);
    // Is a wait latched at the thread's gate?
    bool (*waits)(const struct ts_backend *self, unsigned thread);
    // The thread has no word: its latched wait is still checked.
    void (*look)(const struct ts_backend *self, unsigned thread, ts_cycle now);
    // Has no unit work for the thread?
    bool (*idle)(const struct ts_backend *self, unsigned thread, ts_cycle now,
                 struct ts_hold *hold);
    // The same as a mask of enum ts_unit_id.
    uint32_t (*busy)(const struct ts_backend *self, unsigned thread, ts_cycle now);
    // BRISC's word took the place of this one at the mux. False: that was a fault.
    bool (*lost)(const struct ts_backend *self, struct ts_word in, ts_cycle now,
                 struct ts_component *front);
};

struct ts_backend {
    const struct ts_backend_ops *ops;
    void *context, *waits; // the backend's own
    const struct ts_tensix_timing *timing;
    const uint16_t *thd[TS_THREADS]; // ThreadConfig banks
    const struct ts_closed *closed;  // by thread
    uint32_t at_once; // bit per enum ts_unit_id: its words take no cycle (config/free.def)
};
