// Declarations shared by the files of the kernel. Models do not include this.
#pragma once

#include "platform/kernel/cluster.h"
#include "platform/kernel/fifo.h"

#include <pthread.h>
#include <stdatomic.h>

// Domains that run the same windows: all of a kernel, or those of a place (cluster.h).
struct ts_span {
    ts_cycle start, end; // of the current window
    ts_cycle until;      // no window ends later: the limit, or the end after a stop
    uint32_t parity;
};

// A run of domains, the work of one thread or those of a place, and what was found out about them.
struct ts_share {
    struct ts_kernel *kernel;
    struct ts_span *span; // the kernel's, or its own
    struct ts_span own;
    pthread_t thread;
    unsigned seen;         // value of `go` when the thread started
    uint32_t place;        // of its domains
    bool absent;           // another process runs them
    uint32_t first, count; // domains, in the kernel's `order`
    ts_cycle next;         // earliest event that these domains can cause
    ts_cycle noticed;      // earliest cycle in which others can notice what these do from now on
    ts_cycle sent;         // earliest event these caused elsewhere in the last window
    ts_cycle sent_noticed; // when other domains can first notice what was sent
    uint64_t activations;
    // The only domain that ran in the last window, of a share of all domains, if it sent nothing: plus 1; 0: none. Until
    // `others` no other one has anything to do, and nobody notices these before `others_noticed`.
    uint32_t lone;
    ts_cycle others, others_noticed;
    // Domains that no thread has visited in this window, from | to << 32: its thread takes the first of them, others the last.
    atomic_ullong left __attribute__((aligned(128)));
} __attribute__((aligned(128)));

// One thread or all of them: the measurements, and the choice until the next measurement.
struct ts_pace {
    enum { TS_PACE_EXPLOIT, TS_PACE_WARM_UP, TS_PACE_PROBE_PARALLEL, TS_PACE_PROBE_SERIAL } phase;
    bool parallel;
    int left; // windows
    uint64_t since, steps;
    double parallel_cost; // ns per step
};

// Cost of a domain: steps up to the last balancing of shares, and in the period before that.
struct ts_load {
    uint64_t steps, weight;
};

// Memory of a place.
struct ts_arena {
    struct ts_chunk *chunks, *sparse;
    uint32_t chunk_count;
    size_t spread; // place of the last part in its chunk
    void *shared;  // see ts_kernel_share
};

struct ts_kernel {
    struct ts_kernel_config config;
    struct ts_error error; // first of the construction
    bool elaborated;
    bool quit; // the workers' order to end
    struct ts_arena arenas[TS_PLACES];
    uint32_t place; // of what is made now
    struct ts_object *objects, **objects_end;
    uint32_t object_count;
    struct ts_domain **domains;
    uint32_t domain_count, domain_room;
    struct ts_fifo **fifos; // all, for elaboration
    uint32_t fifo_count, fifo_room;
    struct ts_trace *trace;
    void (*unshare)(void *shared);
    ts_audit *audit; // NULL: none
    const void *audited;
    void (*pause)(void *context); // NULL: none
    void *paused;
    ts_cycle between_at; // of the next call between two windows (between.h); TS_NEVER: none
    bool between_each;   // windows end there with a trace, too
    // The current window.
    ts_cycle window;   // longest
    ts_cycle stop_lag; // from a stop to the end of the run: no domain is further ahead
    struct ts_span span;
    uint64_t windows;
    // Places (groups.c).
    struct ts_cluster *cluster; // NULL: one process
    uint32_t places;            // with domains; 0: windows are those of all domains
    uint32_t expected;          // places that will have some; 0: not known
    struct ts_fifo **cuts;      // from place to place
    uint32_t cut_count;
    ts_cycle lookahead; // the shortest way from place to place
    bool whole;         // all places are as they are in the processes that run them
    atomic_uint taken;  // shares that a thread has begun in this window
    ts_cycle *next;     // per domain: its next step
    ts_cycle *noticed;  // per domain: see ts_domain_noticed
    atomic_ullong
        *mail[2];    // per window parity and domain: bits of the FIFOs that bring it something
    uint32_t *order; // domains by place
    struct ts_share *shares; // of threads, [0] that which calls ts_kernel_run; or of places
    uint32_t share_count;
    struct ts_load *load; // per domain
    uint32_t spin;
    struct ts_pace pace;
    // Futexes and their waiters: cache lines of their own, because other threads spin on them.
    atomic_uint go __attribute__((aligned(128)));   // the window that may run
    atomic_uint sleepers[2];                        // threads in a futex wait on go, on done
    atomic_uint done __attribute__((aligned(128))); // shares that have run it
    char apart[124];
    _Atomic ts_cycle stop_at; // the first fault or break; TS_NEVER: none
    // Seen from other threads.
    _Atomic ts_cycle reached;
    _Atomic ts_cycle limit;
    atomic_int stop_signal;
    // Construction continues with this after memory has run out; elaboration then refuses the
    // model.
    char no_name[1];
    struct ts_domain spare;
};

#define TS_ALIGNMENT 128u // domains and shares must not share a cache line

void ts_arena_free(struct ts_kernel *self);
// "parent.name", or "name" without a parent.
char *ts_kernel_formatv(struct ts_kernel *self, const char *parent, const char *format,
                        va_list args);

void ts_object_register(struct ts_object *self, struct ts_domain *domain, enum ts_object_kind kind,
                        const char *name, va_list args);
// Writes the current episode of a component to the trace, up to a cycle.
void ts_component_trace_open(struct ts_component *self, ts_cycle cycle);
// An episode of sleep ends at `now`. Its first cycles are busy if ts_busy_until booked them.
// Returns the first lost cycle. Only steps make new bookings, and a step closes an episode that has
// some.
static inline ts_cycle ts_lost_from(ts_cycle since, ts_cycle booked, ts_cycle now)
{
    if (__builtin_expect(booked <= since, 1))
        return since;
    return booked < now ? booked : now;
}

// Elaboration of a FIFO: ends, ring, crossing; later the reaches of its ends.
void ts_fifo_elaborate(struct ts_fifo *self);
void ts_fifo_connect(struct ts_fifo *self);
// Takes over what came through a crossing FIFO in the last window; called by the domain of each
// end.
void ts_fifo_absorb_words(struct ts_fifo *self, uint32_t parity);
void ts_fifo_absorb_room(struct ts_fifo *self, uint32_t parity);

// Finds what a domain does next: its entries in `next` and `noticed`.
void ts_window_look(struct ts_kernel *self, const struct ts_domain *domain);
bool ts_workers_start(struct ts_kernel *self);
void ts_workers_stop(struct ts_kernel *self);
// The threads alone: the shares stay.
bool ts_workers_hire(struct ts_kernel *self);
void ts_workers_dismiss(struct ts_kernel *self);
// Runs the window [start, end) in every domain.
void ts_window_run(struct ts_kernel *self);
// The same in the domains of a share, in its own window.
void ts_share_run(struct ts_share *share);

// --- groups.c ---
// After the wiring is known: the places, and what crosses between them.
void ts_groups_find(struct ts_kernel *self);
// What is made now is for a place of another process.
bool ts_groups_makes_others(const struct ts_kernel *self);
// Does another process run it?
bool ts_domain_absent(const struct ts_domain *self);
// Gives every place its domains.
void ts_groups_share(struct ts_kernel *self);
// Runs the domains of a place up to the end of the kernel's window, window by window.
void ts_group_run(struct ts_share *share);
// The longest window of the kernel that may start at a cycle.
ts_cycle ts_groups_end(const struct ts_kernel *self, ts_cycle until);
// After a window: words and room pass from place to place, and all processes agree on what is next.
void ts_groups_meet(struct ts_kernel *self);
