// Components: what the kernel schedules.
//
//        +-----------+
//  ports |           |   step(self, now) -> n: sleep n cycles, busy
//  ------> component |                   -> 0: asleep until woken; ts_block, ts_idle or ts_finish
//        |           |                         say why
//        |           |   waiting()       -> reason, object, holder: why does it not move?
//        +-----------+
//
// A component is a struct of yours with a struct ts_component as its first member, and a const
// table of operations. A step runs to completion at one cycle; it never sees what others did in the
// same cycle through a channel (channels take at least one cycle), so the order inside a cycle, by
// index, only decides arbitration.
//
// What a step returns accounts for the time: a returned delay is busy; ts_block(reason) until the
// next step is a stall with that reason; ts_idle and ts_finish are idle; a sleep is busy up to
// ts_busy_until. busy + stalls + idle is always the span of the run.
#pragma once

#include "platform/base/cycle.h"
#include "platform/base/error.h"

// Episodes: the recent past of a component, its last sleeps and its last work, for accounts of where time went.
//
//   producer --put--> ring of the last TS_LEDGER episodes --ended, stalled--> who accounts for its time
//
// Who produces them:
//   a sleep that has ended            sleep.c (note): every component with a ledger
//   stalls that a step went through   ts_stall_passed, and ts_stalls_passed for many at once
//   a poll                            ts_ledger_put, by a component that polls: it holds the sleeps within it
//   work                              ts_ledger_work, by components that sleep while they work
// Who reads them (platform/run):
//   ended, stalled, woken             loss.c: the component whose cycles a loss account explains (its root)
//   the rings                         loss_follow.c: chains of waits from the root, and the ends of a window
//
// A component without a ledger pays one predictable branch when a sleep ends. An episode is put when
// it has ended; the current sleep is in the component itself. Episodes of one component do not
// overlap, except that a core's polls hold the sleeps within them.

// The closed list of reasons.
enum ts_stall {
#define TS_STALL(id, name, text, color) TS_STALL_##id,
#include "config/stall.def"
    TS_STALL_COUNT
};
const char *ts_stall_name(enum ts_stall reason);

struct ts_object;

#define TS_LEDGER 64

// The reason of an episode of work: of units that sleep while they work.
#define TS_WORKED TS_STALL_COUNT

struct ts_episode {
    ts_cycle from, to;          // to: the first cycle after the episode
    const struct ts_object *on; // NULL: idle, or work
    uint32_t detail;            // of a poll: the address
    uint32_t reason;            // enum ts_stall, or TS_WORKED
    ts_cycle sent;              // of a poll: another tile sent what ended it; 0: it did not
};

struct ts_ledger {
    struct ts_episode ring[TS_LEDGER];
    uint32_t count;
    ts_cycle accepted; // the last work was given to the unit then; it may begin later
    // The sleep that the current step has ended: it is put when the step is over. to 0: none.
    struct ts_episode ending;
    ts_cycle since; // when that sleep began
    // Called after an episode was put; NULL: nobody accounts for this component.
    void (*ended)(void *context, const struct ts_episode *episode);
    // The same for the stalls of ts_stalls_passed, all at once; NULL if `ended` is.
    void (*stalled)(void *context, const ts_cycle *at, unsigned count, ts_cycle now,
                    const struct ts_object *on);
    // Called before the step that ends a sleep, which may go ahead of its cycle; NULL: of no
    // interest.
    void (*woken)(void *context, ts_cycle now);
    void *context;
};

static inline struct ts_episode *ts_ledger_put(struct ts_ledger *self, uint32_t reason,
                                               const struct ts_object *on, ts_cycle from,
                                               ts_cycle to, uint32_t detail)
{
    struct ts_episode *episode = &self->ring[self->count++ % TS_LEDGER];
    *episode = (struct ts_episode){from, to, on, detail, reason, 0};
    return episode;
}

// The last episode, if it is work that goes on until `at`; else NULL.
static inline struct ts_episode *ts_ledger_works(struct ts_ledger *self, ts_cycle at)
{
    struct ts_episode *last = &self->ring[(self->count - 1) % TS_LEDGER];
    return last->reason == TS_WORKED && last->to == at && self->count ? last : NULL;
}

// Work that was accepted at `now`. Work follows work: one episode.
static inline void ts_ledger_work(struct ts_ledger *self, ts_cycle from, ts_cycle to, ts_cycle now)
{
    struct ts_episode *last = ts_ledger_works(self, from);
    if (last)
        last->to = to;
    else
        ts_ledger_put(self, TS_WORKED, NULL, from, to, 0);
    self->accepted = now;
    if (__builtin_expect(self->ended != NULL, 0))
        self->ended(self->context, &(struct ts_episode){from, to, NULL, 0, TS_WORKED, 0});
}

struct ts_component;
struct ts_domain;
struct ts_kernel;

// Functions off the common path are not inlined, so that the steps that call them stay small.
#define TS_SLOW_PATH __attribute__((noinline))

// What an object is. Models add objects of kind RESOURCE for anything a component can wait for that
// is not a channel: a register bank, a unit, a bus.
enum ts_object_kind {
    TS_OBJECT_COMPONENT,
    TS_OBJECT_FIFO,
    TS_OBJECT_SEMAPHORE, // a channel of a model's own: tests/demo/semaphore.h
    TS_OBJECT_RESOURCE,
};

const char *ts_object_kind_name(enum ts_object_kind kind);

// Anything with a path that can be waited for, held, counted and traced.
struct ts_object {
    // Hot: touched by a sleep, a wake and a full or empty channel.
    struct ts_trace_ring *trace; // of its domain; NULL: off
    struct ts_component *waiter; // asleep on it, the latest first
    uint32_t waiters;            // how many are
    enum ts_object_kind kind;
    uint32_t id;              // order of creation: stable names in traces
    const char *path;         // "tile[1-1].matrix": owned by the kernel
    struct ts_domain *domain; // for a FIFO between domains: the writer's
    struct ts_port *ports;    // bound to it (channels)
    struct ts_object *next;   // in the kernel's list, by id
    // A resource may name its holder, for the wait-for graph. Channels find theirs themselves.
    struct ts_component *(*holder)(const struct ts_object *self);
    // Objects that are not components can be busy too (a link, a memory): for how many of the first
    // `span` cycles. NULL: not counted.
    uint64_t (*busy)(const struct ts_object *self, ts_cycle span);
};

// A step's answer: cycles until the next step, or 0 for asleep.
typedef uint64_t ts_step;

// A component's answer to "why do you not move?".
struct ts_wait {
    enum ts_stall reason;
    const struct ts_object *object;    // on what; NULL when idle or running
    const struct ts_component *holder; // who could end it, where one component can be named
};

// A counter in a component's struct, published in the stats.
struct ts_counter {
    const char *name;
    const char *unit;
    const char *text;
    size_t offset; // of a uint64_t in the component's struct
};

struct ts_component_ops {
    const char *kind;
    ts_step (*step)(struct ts_component *self, ts_cycle now);
    // Optional: a more precise answer than the recorded wait (holder of a resource, more detail).
    struct ts_wait (*waiting)(const struct ts_component *self);
    // Optional: the address that it polls while it sleeps in TS_STALL_RV_POLL.
    uint32_t (*polled)(const struct ts_component *self);
    const struct ts_counter *counters; // ends with a row without name; may be NULL
    // Optional: a run ends and everything before `now` has happened. Does the deferred work.
    void (*settle)(struct ts_component *self, ts_cycle now);
    // Optional: the part of the struct that every step uses, in addition to its start; fetched before
    // the domain runs.
    uint16_t hot, hot_bytes;
    // Optional: no run follows at once. Does, as of `now`, the expensive work that settle defers to
    // the next run.
    void (*close)(struct ts_component *self, ts_cycle now);
};

// The members of a component's struct from one on, up to another.
#define TS_HOT(type, from, to) \
    .hot = offsetof(type, from), .hot_bytes = offsetof(type, to) - offsetof(type, from)

// Sees every step of one component, for accounts of single steps. A component without one pays nothing.
struct ts_watcher {
    void (*before)(struct ts_watcher *self, ts_cycle now); // the sleep that it ends is booked
    void (*after)(struct ts_watcher *self, ts_cycle now);
};

enum ts_asleep {
    TS_AWAKE,    // scheduled, busy
    TS_STALLED,  // stalled for a known time
    TS_BLOCKED,  // blocked
    TS_ALERT,    // the same, but any input wakes it
    TS_IDLE,     // has nothing to do; any input wakes it
    TS_FINISHED, // never steps again
};

struct ts_component {
    // Hot: the scheduler's fields, in two cache lines if aligned to one.
    ts_step (*run)(struct ts_component *self, ts_cycle now); // step, or what wakes it first
    uint64_t bit;                                            // 1 << index
    struct ts_domain *domain;
    ts_step (*step)(struct ts_component *self, ts_cycle now); // ops->step
    // Sleep: why, since when, and when its next own event is due. Reason, object and start of the last
    // sleep stay while it is awake.
    enum ts_asleep asleep : 8;
    enum ts_stall reason : 8;
    uint16_t index;   // in its domain: the order inside a cycle
    uint32_t inbound; // words in its input FIFOs, ready or in flight
    const struct ts_object *on;
    ts_cycle since;
    ts_cycle when;   // next step, while asleep or far away; TS_NEVER if none
    ts_cycle woken;  // when a channel or another component needs it to step; TS_NEVER if none does
    uint64_t recent; // cycles lost to `reason` that are not in the account yet
    ts_cycle start;  // of the last busy episode; TS_NEVER: halted
    ts_cycle booked; // end of the work that was started: the sleep is busy until then
    ts_cycle roused; // the sleep is busy from then on; TS_NEVER: it is not
    struct ts_ledger *ledger; // the component's recent past; NULL: not kept
    struct ts_port *inputs;   // the ports that receive words
    struct ts_object object;
    // Account: cycles not busy, by reason (read it with ts_lost). `worked`: cycles of work within a sleep, which lost[IDLE]
    // has too (ts_component_works). Busy is the rest of the span and `worked`.
    uint64_t lost[TS_STALL_COUNT];
    uint64_t worked;
    // A sleeping component whose work is booked ahead (ts_component_works): the last piece of it, and the
    // end of the one before.
    ts_cycle work_from, work_to, work_before;
    // Construction.
    struct ts_port *ports;
    ts_cycle reach; // see ts_component_reach; 0: not set
    const struct ts_component_ops *ops;
    struct ts_watcher *watcher; // sees its steps; NULL: nobody does
};

// Registers a component with its domain. Components step in the order of registration. The path is
// the domain's path, a dot, and the formatted name. Errors are kept and returned by
// ts_kernel_elaborate.
void ts_component_init(struct ts_component *self, const struct ts_component_ops *ops,
                       struct ts_domain *domain, const char *name, ...)
    __attribute__((format(printf, 4, 5)));

// Before a run: the watcher, which lives as long as the component, sees its steps.
void ts_component_watch(struct ts_component *self, struct ts_watcher *watcher);

// Registers an object that is neither component nor channel, for waits: a bank, a bus, a unit.
void ts_resource_init(struct ts_object *self, struct ts_domain *domain,
                      struct ts_component *(*holder)(const struct ts_object *), const char *name,
                      ...) __attribute__((format(printf, 4, 5)));

// Another domain notices what a component does at a cycle no earlier than `cycles` later. The
// kernel makes its windows as long as the reaches of the next components to step allow. Default:
// the smallest latency of its crossing FIFOs; without such FIFOs, the reach of its domain
// (ts_domain_reach), or a cycle more than the nearest component that has one. The kernel checks it:
// an earlier crossing is a fault.
void ts_component_reach(struct ts_component *self, ts_cycle cycles);
// The same for all components of a domain without crossing FIFOs.
void ts_domain_reach(struct ts_domain *self, ts_cycle cycles);
// Components without crossing FIFOs notice what arrives from other domains no earlier than `cycles`
// after its arrival, so they may act that far beyond the end of a window (ts_lookahead).
void ts_domain_inlet(struct ts_domain *self, ts_cycle cycles);
// For a component that expects something it notices at once: `by` is 1, and -1 when it has come.
void ts_domain_expect(struct ts_domain *self, int by);
// For models that share memory between domains in addition to FIFOs: the other domain notices what
// `self` does from `at` on.
void ts_crosses(struct ts_component *self, ts_cycle now, ts_cycle at);

// To be returned by a step: asleep until something wakes it. Reason and object are required: a
// stall without them is a fault. Channels have their own await calls, which arrange the wake-up;
// use this one for resources, and call ts_wake where they change.
TS_SLOW_PATH ts_step ts_block(struct ts_component *self, ts_cycle now, enum ts_stall reason,
                              const struct ts_object *on);
// The same for a component that can do other work meanwhile: any input wakes it too, and it may
// have a wake-up time of its own.
ts_step ts_alert(struct ts_component *self, ts_cycle now, enum ts_stall reason,
                 const struct ts_object *on);

static inline bool ts_is_blocked(const struct ts_component *self)
{
    return self->asleep == TS_BLOCKED || self->asleep == TS_ALERT;
}
// The first cycle that a component that sleeps has lost: it may have been busy at first (ts_busy_until).
static inline ts_cycle ts_asleep_since(const struct ts_component *self)
{
    return self->booked > self->since ? self->booked : self->since;
}
// To be returned by a step: a stall whose end is known. Busy again after `cycles`.
ts_step ts_stall_for(struct ts_component *self, ts_cycle now, uint64_t cycles, enum ts_stall reason,
                     const struct ts_object *on);
// For a step that goes ahead of its cycle: a stall of one cycle, `now`, of a component without trace and watcher, begins
// and is over. Nothing else may happen in it (ts_lookahead).
void ts_stall_passed(struct ts_component *self, ts_cycle now, enum ts_stall reason,
                     const struct ts_object *on);
// `count` more of these behind one, in the cycles `at`, with a word between any two; the step has reached `now`, and all other cycles
// since the first one had a word.
void ts_stalls_passed(struct ts_component *self, const ts_cycle *at, unsigned count, ts_cycle now,
                      enum ts_stall reason, const struct ts_object *on);
// To be returned by a step: nothing to do. Any word that arrives at an input, any own event, or
// ts_wake ends it.
TS_SLOW_PATH ts_step ts_idle(struct ts_component *self, ts_cycle now);
// To be returned by a step: done for good.
TS_SLOW_PATH ts_step ts_finish(struct ts_component *self, ts_cycle now);

// From within a step, before it goes to sleep: work it has started keeps the component busy until
// `until`. The sleep counts as busy until then, and under its own reason afterwards.
static inline void ts_busy_until(struct ts_component *self, ts_cycle until)
{
    if (until > self->booked)
        self->booked = until;
}

// A component that is asleep or idle works in the cycles [from, to), which may come later: counts them as
// busy. A piece begins when the one before it has begun. (The kernel books the entire sleep as idle: ts_component_account
// takes the work out of it, as far as the run has come.)
static inline void ts_component_works(struct ts_component *self, ts_cycle from, ts_cycle to)
{
    self->worked += to - from;
    self->work_before = self->work_to;
    self->work_from = from;
    self->work_to = to;
}

// Makes a sleeping component step at `at` (after the current cycle), if it is not due earlier. Has
// no effect on a component that is awake or finished.
TS_SLOW_PATH void ts_wake(struct ts_component *self, ts_cycle at);
// The same for a component that has something to do from `from` on, of which nobody notices anything
// before it steps: its sleep is busy from then on.
void ts_rouse(struct ts_component *self, ts_cycle from, ts_cycle at);
// Wakes every component that sleeps on this object, at `at`.
TS_SLOW_PATH void ts_wake_all(struct ts_object *object, ts_cycle at);
// Makes an awake component that is scheduled for cycle `due` step earlier: at `at`, the current
// cycle or a later one. In the current cycle it must come after the caller in the order.
void ts_recall(struct ts_component *self, ts_cycle due, ts_cycle at);
// The same for a component that sleeps and is not due earlier.
void ts_summon(struct ts_component *self, ts_cycle at);
// Takes another component out of the schedule and makes it idle (soft reset, debugger); `now` is
// the current cycle. Only from its own domain or between runs. Even a finished component can be
// woken again after this.
void ts_halt(struct ts_component *self, ts_cycle now);

// Why it does not move: from ops->waiting, or from what the component gave when it went to sleep.
struct ts_wait ts_waiting(const struct ts_component *self);
// The component that can end a wait of this kind on the object, if there is exactly one.
const struct ts_component *ts_object_holder(const struct ts_object *object, enum ts_stall reason);

// Stops the run with a failure that names the component and the cycle. The step should return 0
// next. Its domain stops at this cycle. The others do not know yet and run on by the largest
// possible lead (the longest window, and the inlet), whichever window the fault came in.
ts_step ts_fault(struct ts_component *self, ts_cycle now, enum ts_code code, const char *format,
                 ...) __attribute__((format(printf, 4, 5)));
// Stops the run without failure (a debugger's or a scenario's condition): all domains in the same
// cycle. With one domain that is the next cycle, otherwise it is as much later as for a fault.
void ts_break(struct ts_component *self, ts_cycle now);

// The cycle the run may stop at: a component that runs ahead must not account for more.
ts_cycle ts_horizon(const struct ts_component *self);

// From within a step: the first cycle, after `now`, in which anything else may happen in the
// domain. Until then the component is alone and may act at later cycles than `now` as if it had
// been stepped there. Not for components with crossing FIFOs: words reach these without the inlet.
ts_cycle ts_lookahead(const struct ts_component *self, ts_cycle now);

// Cycles lost to a reason, up to the end of the last sleep.
static inline uint64_t ts_lost(const struct ts_component *self, enum ts_stall reason)
{
    return self->lost[reason] + (self->reason == reason ? self->recent : 0);
}

static inline const char *ts_path(const struct ts_component *self)
{
    return self->object.path;
}
