// The trace bus: fixed records into a ring per domain, drained by one writer thread into any number
// of writers.
//
//   component, channel --put--> ring of its domain --ts_trace_sync at window ends--> writer thread
//   --> chrome.c, ...
//
// Off by default: a domain without a ring pays one predictable branch. Records leave in the order
// (window, domain, emission), which does not depend on the number of threads, so the files do not
// either. Each ring is two buffers: one is filled while the other is written; a window that
// overflows its buffer makes it grow (counted), so no record is lost and the simulation never waits
// inside a window.
#pragma once

#include "platform/base/cycle.h"

enum ts_record_kind {
    TS_RECORD_BUSY,  // emitter worked from cycle for value cycles (of channels: links, DRAM)
    TS_RECORD_STALL, // emitter stalled from cycle for value cycles: reason, other = object
    TS_RECORD_SLICE, // emitter did `label` from cycle for value cycles
    TS_RECORD_COUNT, // emitter (a channel) has level `value` from this cycle on; with a label: the
                     // counter of that name, drawn next to the emitter
    TS_RECORD_ZONE,  // the program's own zone `label` on the emitter, from cycle for value cycles
    // Detail, only where a writer asks for it:
    TS_RECORD_WORD, // emitter (a front end) passed a word at cycle to the unit `other`: ts_word_*
    TS_RECORD_WORK, // emitter (a unit) works from cycle for value cycles on the oldest word of thread
    // `reason` for which no work is recorded yet; with `other` (a front end): on the last word that this front end passed
    TS_RECORD_PC, // emitter (a core) is at pc `value` from cycle on
};

// `reason` of a TS_RECORD_BUSY that continues the emitter's previous TS_RECORD_BUSY, if it begins in the cycle in which
// the previous record ends.
#define TS_RECORD_GOES_ON 0xff

struct ts_record {
    ts_cycle cycle;
    uint64_t value;
    union {
        const char *label; // static or kernel-owned string, or NULL
        uint64_t more;     // of TS_RECORD_WORD; of a TS_RECORD_STALL the address that is polled
    };
    uint32_t emitter : 24;
    uint32_t kind : 8;
    uint32_t other : 24; // object id + 1, or 0
    uint32_t reason : 8;
};

// TS_RECORD_WORD: value is the word, and its pc above it; `more` is how long before it was pushed, how
// long after it the work begins, and how long the work lasts (0: a TS_RECORD_WORK follows). Where one of
// the last two is too long for its bits, a TS_RECORD_WORK with `other` follows at once.
#define TS_RECORD_LONG 0xffff
static inline uint64_t ts_record_more(ts_cycle pushed, ts_cycle passed, ts_cycle from, ts_cycle to)
{
    uint64_t age = passed - pushed < UINT32_MAX ? passed - pushed : UINT32_MAX;
    uint64_t wait = from - passed < TS_RECORD_LONG ? from - passed : TS_RECORD_LONG;
    uint64_t work = to - from < TS_RECORD_LONG ? to - from : TS_RECORD_LONG;
    return age | wait << 32 | work << 48;
}
static inline ts_cycle ts_record_age(const struct ts_record *record)
{
    return record->more & UINT32_MAX;
}
static inline ts_cycle ts_record_wait(const struct ts_record *record)
{
    return record->more >> 32 & TS_RECORD_LONG;
}
static inline ts_cycle ts_record_work(const struct ts_record *record)
{
    return record->more >> 48;
}

struct ts_object;

// Sees work as it is booked, on the thread that simulates the domain: sums of it need no records.
struct ts_meter {
    // `part` is the emitter's own division of its work.
    void (*worked)(const struct ts_object *object, unsigned part, ts_cycle from, uint64_t cycles,
                   struct ts_meter *self);
};

struct ts_trace_ring {
    struct ts_meter *meter; // NULL: none
    bool shut;              // only the meter wants something: records are dropped
    struct ts_record *records;
    size_t count;
    size_t capacity;
    bool detail;      // records of single words and pcs are wanted
    const bool *busy; // by object: TS_RECORD_BUSY is wanted; NULL: of all
    uint64_t grown;   // times a window did not fit
    uint64_t lost;    // records for which there was no memory
    // The buffer the writer has: its thread shares no cache line with the one that puts records.
    struct ts_record *spare __attribute__((aligned(128)));
    size_t spare_count;
    size_t spare_capacity;
};

// False: out of memory.
bool ts_trace_grow(struct ts_trace_ring *ring);

static inline void ts_trace_put(struct ts_trace_ring *ring, struct ts_record record)
{
    if (__builtin_expect(ring->count == ring->capacity, 0) && !ts_trace_grow(ring))
        return;
    ring->records[ring->count++] = record;
}

static inline bool ts_trace_wants_busy(const struct ts_trace_ring *ring, uint32_t id)
{
    return ring->busy == NULL || ring->busy[id];
}

// A writer turns records into a file. `record` is called on the writer thread, in order.
struct ts_trace_writer {
    void (*record)(struct ts_trace_writer *self, const struct ts_record *record);
    // Ends the file; returns 0, or an errno.
    int (*close)(struct ts_trace_writer *self);
    bool detail;      // wants records of single words and pcs
    const bool *busy; // by object: wants TS_RECORD_BUSY of it; NULL: of all
};

struct ts_trace;

// Makes a bus with `domains` rings of `capacity` records each, and its writer thread. NULL: out of
// memory.
struct ts_trace *ts_trace_new(size_t domains, size_t capacity);
// Before the first record. False: out of memory.
bool ts_trace_add_writer(struct ts_trace *self, struct ts_trace_writer *writer);
struct ts_trace_ring *ts_trace_ring(struct ts_trace *self, size_t domain);
// At the end of a window, by the leading thread: passes full rings (or all, if `flush`) to the
// writer thread.
void ts_trace_sync(struct ts_trace *self, bool flush);
// Between runs: waits until the writers have every record.
void ts_trace_drain(struct ts_trace *self);
// Waits until the writers have the records that were handed to them; later ones stay in the rings.
void ts_trace_wait(struct ts_trace *self);
// The writer thread ends, and starts anew (between.h).
void ts_trace_leave(struct ts_trace *self);
bool ts_trace_return(struct ts_trace *self);
// Drains, closes the writers, ends the thread. Returns 0, the first errno of a writer, or ENOMEM if
// records were lost.
int ts_trace_free(struct ts_trace *self);
