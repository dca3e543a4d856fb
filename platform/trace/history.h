// What a report shows of a run over time: levels of the semaphores, how busy every component was,
// and what it waited for. A writer on the trace bus that keeps figures instead of records.
//
// Time is cut into at most TS_HISTORY_BINS pieces of equal length, which doubles whenever the run
// outgrows them, so memory does not depend on its length. Only one domain is kept: a tile.
#ifndef TENSIM_TRACE_HISTORY_H
#define TENSIM_TRACE_HISTORY_H

#include "platform/kernel/component.h"
#include "platform/kernel/kernel.h"
#include "platform/kernel/trace.h"

#define TS_HISTORY_BINS 256u

// An object with a level: lowest and highest in every bin.
struct ts_history_level {
    const struct ts_object *object;
    uint32_t level; // now
    ts_cycle since; // of the last change
    uint8_t low[TS_HISTORY_BINS], high[TS_HISTORY_BINS];
    uint64_t changes;
};

// A component: cycles of work in every bin. Of a core also those of polls, and how many of these its account, and so
// `busy`, has as work.
struct ts_history_lane {
    const struct ts_object *object;
    uint64_t busy[TS_HISTORY_BINS], polls[TS_HISTORY_BINS], busy_polls[TS_HISTORY_BINS];
    uint64_t in_polls[TS_STALL_COUNT]; // stalls that are part of polls
};

// Cycles that a component waited for a reason on an object.
struct ts_history_wait {
    const struct ts_object *who, *on; // on: NULL if it is nothing
    enum ts_stall reason;
    uint64_t cycles, times;
};

struct ts_history {
    struct ts_trace_writer base;
    const struct ts_domain *domain;
    const struct ts_object **objects; // by id
    uint32_t *index;                  // by id: of its level or lane, plus 1
    struct ts_history_level *levels;
    struct ts_history_lane *lanes;
    struct ts_history_wait *waits; // a hash table
    size_t level_count, lane_count, wait_count, wait_room;
    unsigned shift; // a bin has 1 << shift cycles
    ts_cycle end;   // last cycle seen
    ts_cycle begin; // waits before it do not count
};

// Cycles of a bin.
static inline ts_cycle ts_history_bin(const struct ts_history *self)
{
    return UINT64_C(1) << self->shift;
}

// For the domain of a kernel that is elaborated. NULL: out of memory. Its close does not free it:
// what it kept is read afterwards.
struct ts_history *ts_history_new(const struct ts_kernel *kernel, const struct ts_domain *domain);
void ts_history_free(struct ts_history *self);
// Waits count from here on: everything before it has been written.
void ts_history_begin(struct ts_history *self, ts_cycle now);
// A poll of a core has ended: of its cycles the account has `busy` as work, the others as the stalls `lost`.
void ts_history_poll(struct ts_history *self, const struct ts_object *core,
                     const struct ts_object *on, ts_cycle from, ts_cycle to,
                     const struct ts_account *account);
// The `count` longest waits, longest first; returns how many there are.
size_t ts_history_waits(const struct ts_history *self, struct ts_history_wait *to, size_t count);
// Bins in use.
uint32_t ts_history_bins(const struct ts_history *self);

#endif
