// What a report shows of tiles over time: levels of their semaphores, how busy every component was, and what it waited for.
// A writer on the trace bus that keeps figures instead of records.
//
// Time is cut into bins of equal length, which doubles whenever the run outgrows them (series.h). Their number depends on how
// many tiles there are, so that a page of a complete chip stays small.
#pragma once

#include "platform/kernel/kernel.h"
#include "platform/kernel/trace.h"
#include "platform/trace/series.h"

#define TS_HISTORY_BINS   256u // at most
#define TS_HISTORY_POLLED 12

// An object with a level: lowest and highest in every bin.
struct ts_history_level {
    const struct ts_object *object;
    uint32_t level; // now
    ts_cycle since; // of the last change
    uint8_t low[TS_HISTORY_BINS], high[TS_HISTORY_BINS];
    uint64_t changes;
};

// The polls of a core. Only the thread that simulates its tile writes them.
struct ts_history_polls {
    struct ts_series all; // a core that sleeps in a poll says so; awake it is busy
    // Since the window began, by what was polled; the last one is of all beyond the others.
    struct {
        uint32_t address;
        uint64_t cycles, times;
        struct ts_series when;
    } on[TS_HISTORY_POLLED];
    uint32_t on_count;
    uint64_t in_stalls[TS_STALL_COUNT];
    bool short_of_memory;
};

// A component: cycles of work and of waits, by reason. Of a core, stalls of its own pipeline are work.
struct ts_history_lane {
    const struct ts_object *object;
    struct ts_series busy, stalls[TS_STALL_COUNT];
    struct ts_history_polls polls;
};

// Cycles that a component waited for a reason on an object.
struct ts_history_wait {
    const struct ts_object *who, *on; // on: NULL if it is nothing
    enum ts_stall reason;
    uint32_t polled; // of TS_STALL_RV_POLL: the address; UINT32_MAX: several
    uint64_t cycles, times;
    struct ts_series when; // the cycles over time
    double part;           // of `when`: what is counted; of a core, its stalls outside polls
};

struct ts_history {
    struct ts_trace_writer base;
    const struct ts_object **objects; // by id
    uint32_t *index;                  // by id: of its level or lane, plus 1; 0: it is not kept
    struct ts_history_level *levels;
    struct ts_history_lane *lanes;
    struct ts_history_wait *waits; // a hash table
    size_t level_count, lane_count, wait_count, wait_room;
    uint32_t bins;
    unsigned shift; // of the bins of levels; when it is closed, of all
    ts_cycle end;   // last cycle seen
    ts_cycle begin; // waits before it do not count
    bool short_of_memory;
};

// Cycles of a bin.
static inline ts_cycle ts_history_bin(const struct ts_history *self)
{
    return UINT64_C(1) << self->shift;
}

// For domains of a kernel that is elaborated: tiles. NULL: out of memory. Its close does not free it: what it kept is read
// afterwards.
struct ts_history *ts_history_new(const struct ts_kernel *kernel,
                                  const struct ts_domain *const *domains, size_t count);
void ts_history_free(struct ts_history *self);
// Waits count from here on: everything before it has been written (ts_trace_drain).
void ts_history_begin(struct ts_history *self, ts_cycle now);
// A poll of an address by a core has ended: the account has some of its cycles as the stalls `lost`. Called on the thread that
// simulates the core.
void ts_history_poll(struct ts_history *self, const struct ts_object *core, uint32_t address,
                     ts_cycle from, ts_cycle to, const struct ts_account *account);
// The `count` longest waits in a domain, longest first; returns how many there are.
size_t ts_history_waits(const struct ts_history *self, const struct ts_domain *domain,
                        struct ts_history_wait *to, size_t count);
// Bins in use.
uint32_t ts_history_bins(const struct ts_history *self);
