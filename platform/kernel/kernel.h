// The event kernel: builds domains, checks the wiring, runs them on threads, reports how a run
// ended.
//
//   ts_kernel_new -> ts_domain_new, ts_*_init, ts_bind ... -> ts_kernel_elaborate -> ts_kernel_run
//   (again and again)
//
// It has no knowledge of the model it simulates. Time advances in windows: a window ends before the
// first cycle in which any domain could notice what another does in it, so domains run that many
// cycles independently. That is at least the smallest latency of a crossing FIFO, and more while
// the next components to step are further from the edge (ts_component_reach). The results are the
// same bytes for any number of threads, and do not depend on the length of the windows.
#pragma once

#include "platform/kernel/component.h"

struct ts_meter;
struct ts_trace;
struct ts_trace_ring;

struct ts_kernel_config {
    uint32_t threads; // host threads that simulate; 1 to 256
    // Longest window, in cycles; 0: 256, or 4096 of one domain without a trace. Only the speed depends on
    // it.
    ts_cycle window;
    // What the process around the kernel hands to it (between.h); NULL: nothing.
    const struct ts_hosting *hosting;
};

enum ts_stop {
    TS_STOP_DONE,     // nothing is left to do, and nothing waits
    TS_STOP_LIMIT,    // the cycle limit
    TS_STOP_DEADLOCK, // nothing can happen any more, and something waits
    TS_STOP_FAULT,    // a component faulted
    TS_STOP_BREAK,    // a component asked for the stop
    TS_STOP_SIGNAL,   // ts_kernel_stop
};

const char *ts_stop_name(enum ts_stop stop);

struct ts_run {
    enum ts_stop stop;
    ts_cycle cycle;        // the span of the run so far: all domains have reached it (a domain that
                           // faulted stopped at its fault)
    uint64_t activations;  // steps taken so far
    uint64_t windows;      // run so far
    int signal;            // STOP_SIGNAL: which
    struct ts_error error; // STOP_FAULT: what
};

// NULL: out of memory.
struct ts_kernel *ts_kernel_new(const struct ts_kernel_config *config);
void ts_kernel_free(struct ts_kernel *self);

// Zeroed memory that lives as long as the kernel. Only before elaboration. NULL: out of memory;
// ts_kernel_elaborate reports that, so construction may continue without it.
void *ts_kernel_alloc(struct ts_kernel *self, size_t bytes);
// The same for rings that most runs never write: the host's pages are there when they are written.
void *ts_kernel_alloc_sparse(struct ts_kernel *self, size_t bytes);
// What components of one kind share in the whole model, made by `make` when it is first asked for and freed with the
// kernel. One kind only. NULL: out of memory.
void *ts_kernel_share(struct ts_kernel *self, void *(*make)(void), void (*unshare)(void *shared));
// Call before allocating each of many equal parts: spreads them over the lines of the host's
// caches. Only the speed depends on it.
void ts_kernel_spread(struct ts_kernel *self);
char *ts_kernel_format(struct ts_kernel *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct ts_domain *ts_domain_new(struct ts_kernel *kernel, const char *name, ...)
    __attribute__((format(printf, 2, 3)));
struct ts_kernel *ts_domain_kernel(const struct ts_domain *self);

// Keeps the first construction error; ts_kernel_elaborate returns it.
void ts_kernel_refuse(struct ts_kernel *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Checks the wiring and makes everything ready to run. All components start awake at cycle 0.
// Nothing is allocated after this until ts_kernel_free.
enum ts_code ts_kernel_elaborate(struct ts_kernel *self, struct ts_error *error);

// Turns tracing on; after elaboration, before the first run. The kernel does not own the trace.
void ts_kernel_trace(struct ts_kernel *self, struct ts_trace *trace);
// Begins to meter work, of the objects that are `wanted` where there is no trace: their ring is then `shut`, which the caller
// keeps. With NULL it ends: work that goes on counts up to the cycle that was reached.
void ts_kernel_meter(struct ts_kernel *self, struct ts_trace_ring *shut, struct ts_meter *meter,
                     bool (*wanted)(struct ts_meter *meter, const struct ts_object *object));
// Upper bound of the records a domain makes in a window: a ring of twice that never has to grow. 0:
// out of memory.
size_t ts_kernel_trace_records(const struct ts_kernel *self);
// Ends tracing after the last run: writes what is still busy or waits, up to the cycle that was
// reached.
void ts_kernel_trace_end(struct ts_kernel *self);

// Runs until `limit` (a cycle, not a length) or until it stops for another reason. May be called
// again after STOP_LIMIT and STOP_BREAK.
struct ts_run ts_kernel_run(struct ts_kernel *self, ts_cycle limit);
// The same in two parts, for callers that look between runs: any number of advances, then
// ts_kernel_close. Until then components may defer expensive work.
struct ts_run ts_kernel_advance(struct ts_kernel *self, ts_cycle limit);
void ts_kernel_close(struct ts_kernel *self, const struct ts_run *run);

// A model's own check, called at the end of every run that did not end in a fault: conservation,
// for example. If it fails, the run ends as a fault.
typedef enum ts_code ts_audit(const void *context, const struct ts_run *run,
                              struct ts_error *error);
void ts_kernel_audit(struct ts_kernel *self, ts_audit *audit, const void *context);

// Called by the thread that runs the kernel at the end of every ts_kernel_run, while nothing moves:
// for progress displays.
void ts_kernel_pause(struct ts_kernel *self, void (*pause)(void *context), void *context);

// Between runs: is everything asleep for good, with nothing in flight, except components that
// `except` accepts?
bool ts_kernel_quiet(const struct ts_kernel *self,
                     bool (*except)(const struct ts_component *component, void *context),
                     void *context);

// From any thread or a signal handler: makes the run stop at the end of its window.
void ts_kernel_stop(struct ts_kernel *self, int signal);
// From any thread: the cycle the run has reached; between runs also that of the last ts_halt.
ts_cycle ts_kernel_reached(const struct ts_kernel *self);

// All objects, in order of creation: for stats, traces and reports.
struct ts_object *ts_kernel_objects(const struct ts_kernel *self);
size_t ts_kernel_domain_count(const struct ts_kernel *self);
struct ts_domain *ts_kernel_domain(const struct ts_kernel *self, size_t index);
struct ts_component *ts_object_component(const struct ts_object *object);
// Cycles of a component at the end of a run, by activity: lost[TS_STALL_IDLE] is idle.
struct ts_account {
    uint64_t busy;
    uint64_t lost[TS_STALL_COUNT];
};
struct ts_account ts_component_account(const struct ts_component *self, ts_cycle span);
