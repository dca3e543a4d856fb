// Domains: what one thread simulates at a time. A tile is a domain.
//
// A domain keeps its components, at most 63, in a bitmask wheel: one slot per cycle for the next 64
// cycles, each with a mask of the components that step then. An occupancy word finds the next slot
// with a rotate and a count-trailing-zeros. Later steps wait in one more mask. The components of a
// cycle step in the order of their index, so nothing depends on history.
//
// Only the kernel and the channels use this header; models see component.h and the channels.
#pragma once

#include "platform/kernel/component.h"
#include "platform/kernel/trace.h"

#define TS_WHEEL_SLOTS       64
#define TS_DOMAIN_COMPONENTS 63

#define TS_REACHES 4 // distinct reaches per domain

// Components that have the same reach.
struct ts_reach {
    uint64_t components;
    ts_cycle cycles;
};

struct ts_domain {
    // Hot: the wheel.
    uint64_t occupied;  // bit s: slots[s] is not empty
    ts_cycle now;       // the current cycle; between windows, the end of the last one
    ts_cycle end;       // of the current window; lowered to stop early
    ts_cycle last;      // cycle of the last step
    ts_cycle happens;   // the last cycle in which something happens without a step
    ts_cycle far_first; // a lower bound of the cycles in the far mask
    uint64_t far;       // components due more than 63 cycles away
    uint64_t joined;    // components recalled into the current cycle
    uint64_t stepping;  // components that step in the current cycle
    const struct ts_component *running; // the one that steps now; NULL between runs
    uint64_t activations;
    uint64_t
        at_rest; // activations when a run was closed and nothing waited here; the next ones have nothing to close
    uint64_t stepped; // components that stepped in the last window
    uint64_t slots[TS_WHEEL_SLOTS];
    struct ts_component *components[TS_DOMAIN_COMPONENTS + 1]; // by index; the last one is NULL
    // The ends of a window.
    uint32_t inlet, expected; // see ts_domain_inlet, ts_domain_expect
    bool faulted, broke;
    // Crossing FIFOs pushed to and popped from in this window, and the earliest effect of that in
    // other domains.
    struct ts_fifo *dirty_writer, *dirty_reader;
    ts_cycle sent_first;
    ts_cycle sent_noticed; // when other domains can first notice what was sent
    struct ts_kernel *kernel;
    const struct ts_span *span;          // of its windows
    struct ts_reach reaches[TS_REACHES]; // in rising order
    struct {
        uint16_t at, bytes; // see ts_component_ops
    } hot[TS_DOMAIN_COMPONENTS];
    // Construction.
    uint32_t count;
    uint32_t index;
    uint32_t place; // see ts_kernel_place
    struct ts_object object;
    struct ts_fifo **crossing; // FIFOs with one end here and the other in another domain
    uint32_t crossing_count;
    ts_cycle reach; // see ts_domain_reach; 0: not set
    // How the domain stopped, if it did.
    ts_cycle fault_cycle, break_cycle; // the first of each
    struct ts_error error;
} __attribute__((aligned(128)));

// Puts a component into the wheel at `at`; the component must not be in it. `at` is after the
// current cycle, or equal to it between windows.
void ts_domain_schedule(struct ts_domain *self, struct ts_component *component, ts_cycle at);
// Takes a component that is due at `due` out of the wheel; false if it is not there, because it steps
// in the current cycle.
bool ts_domain_unschedule(struct ts_domain *self, struct ts_component *component, ts_cycle due);
// The same where nobody knows when it is due: searches all slots.
bool ts_domain_withdraw(struct ts_domain *self, struct ts_component *component);
// Runs all steps before `end`.
void ts_domain_run(struct ts_domain *self, ts_cycle start, ts_cycle end);
// Fetches into the host's cache what a run finds the next step with; and, once that is there, the
// components that will probably step.
void ts_domain_fetch(const struct ts_domain *self);
void ts_domain_fetch_steps(const struct ts_domain *self);
// The cycle of the next step, TS_NEVER if there is none.
ts_cycle ts_domain_next(const struct ts_domain *self);
// The first cycle in which another domain can notice future work of this one, from the scheduled
// components and their reaches; TS_NEVER if there is none.
ts_cycle ts_domain_noticed(const struct ts_domain *self, ts_cycle next);

// Something happens at the end of a cycle for which nobody steps: a run that has nothing else to do does
// not end before.
static inline void ts_domain_happens(struct ts_domain *self, ts_cycle at)
{
    if (at > self->happens)
        self->happens = at;
}

// The slot of a cycle that is less than 64 cycles away .
static inline void ts_domain_fill(struct ts_domain *self, const struct ts_component *component,
                                  ts_cycle at)
{
    uint32_t slot = at % TS_WHEEL_SLOTS;
    self->slots[slot] |= component->bit;
    self->occupied |= 1ull << slot;
}

// Does the component whose step is running come before this one in the order of a cycle?
static inline bool ts_runs_before(const struct ts_component *self)
{
    const struct ts_component *running = self->domain->running;
    return running && running->index < self->index;
}

// The slow paths of the trace calls: only with a ring.
TS_SLOW_PATH void ts_trace_put_count(const struct ts_object *object, ts_cycle now, uint64_t level);
TS_SLOW_PATH void ts_trace_put_level(const struct ts_object *object, ts_cycle now,
                                     const char *label, uint64_t level);
TS_SLOW_PATH void ts_trace_put_busy(const struct ts_object *object, unsigned part, ts_cycle from,
                                    uint64_t cycles);
TS_SLOW_PATH void ts_trace_put_label(const struct ts_component *self, enum ts_record_kind kind,
                                     ts_cycle cycle, const char *label, uint64_t value);

// A channel's new level.
static inline void ts_trace_count(const struct ts_object *object, ts_cycle now, uint64_t level)
{
    if (__builtin_expect(object->trace != NULL, 0) && !object->trace->shut)
        ts_trace_put_count(object, now, level);
}

// A channel, or a unit that never steps, works from `from` on; other components say it by their steps.
static inline void ts_trace_busy_part(const struct ts_object *object, unsigned part, ts_cycle from,
                                      uint64_t cycles)
{
    if (__builtin_expect(object->trace != NULL, 0))
        ts_trace_put_busy(object, part, from, cycles);
}
static inline void ts_trace_busy(const struct ts_object *object, ts_cycle from, uint64_t cycles)
{
    ts_trace_busy_part(object, 0, from, cycles);
}

// Are records of single words and pcs wanted?
static inline bool ts_trace_detail(const struct ts_object *object)
{
    return __builtin_expect(object->trace != NULL, 0) && object->trace->detail;
}

// A level that only a detailed trace shows; `label` names it if it has no object of its own.
static inline void ts_trace_level(const struct ts_object *object, ts_cycle now, const char *label,
                                  uint64_t level)
{
    if (ts_trace_detail(object))
        ts_trace_put_level(object, now, label, level);
}

// A named piece of work on the component's lane of the trace. The label must outlive the run.
static inline void ts_trace_slice(const struct ts_component *self, const char *label,
                                  ts_cycle start, ts_cycle end)
{
    if (__builtin_expect(self->object.trace != NULL, 0))
        ts_trace_put_label(self, TS_RECORD_SLICE, start, label, end - start);
}

// A zone of the program that the component ran.
static inline void ts_trace_zone(const struct ts_component *self, const char *label, ts_cycle start,
                                 ts_cycle end)
{
    if (__builtin_expect(self->object.trace != NULL, 0) && end > start)
        ts_trace_put_label(self, TS_RECORD_ZONE, start, label, end - start);
}
