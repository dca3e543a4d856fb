// Between two windows: what looks at complete models (checkpoints, snapshots, debuggers) is called here, on the thread that
// runs the kernel, while no other thread of the kernel works.
#pragma once

#include "platform/kernel/kernel.h"

// Everything before cycle `now` has happened and nothing from `now` on, except for components that run ahead.
// Returns the next cycle in which to call; a window ends there, with a trace soon after it. TS_NEVER: not again.
typedef ts_cycle ts_between(void *context, struct ts_kernel *kernel, ts_cycle now);

// A run of the kernel has ended with a hang (ts_kernel_hung).
typedef void ts_after_hang(void *context, struct ts_kernel *kernel, ts_cycle now);

// Nothing is due any more. True: somebody outside has let something go on, false: that is the end. Also asked, with `look`,
// whether somebody outside holds something back: then waiting is no hang.
typedef bool ts_holds_back(void *context, struct ts_kernel *kernel, bool look);

// Who is called. It belongs to the process (platform/save/between.c), not to the library, which has no variables.
struct ts_bystander {
    ts_between *call;    // NULL: none
    ts_after_hang *hung; // NULL: it does not want to know
    ts_after_hang
        *over; // a run has ended without a hang (ts_kernel_over); NULL: it does not want to know
    ts_holds_back *holds; // NULL: nothing is ever held back
    void *context;
    bool each;  // windows end in the cycles that it asks for, with a trace too
    bool taken; // by the first kernel that runs
};

// What a process hands to its kernels (ts_kernel_config).
struct ts_hosting {
    struct ts_bystander *bystander; // NULL: nobody looks
    struct ts_cluster *cluster;     // NULL: the model is in one process (cluster.h)
};

// For the next kernel that runs, of those that are made from now on: `call` is called before its first window.
void ts_kernel_between(const struct ts_bystander *who);
struct ts_bystander *ts_kernel_bystander(void); // of the process
// For a kernel that runs already: it is called at once. Returns what it returns.
ts_cycle ts_kernel_join(struct ts_kernel *self, ts_cycle now);

// Does somebody outside hold something back?
bool ts_kernel_held(struct ts_kernel *self);

// For those who find that a run that has ended is a hang, before they explain it.
void ts_kernel_hung(struct ts_kernel *self, ts_cycle now);
// For those who find that it is none, before they write its results.
void ts_kernel_over(struct ts_kernel *self, ts_cycle now);
// Has somebody stopped the run (ts_kernel_stop)? For lookers that wait.
bool ts_kernel_stopped(struct ts_kernel *self);

// The threads of a kernel and of its trace end. Only their stacks are lost: everything else is in the model.
void ts_kernel_threads_leave(struct ts_kernel *self);
// They start again; also in a process that has the model's memory but not its threads. False: they cannot.
bool ts_kernel_threads_return(struct ts_kernel *self);
// While they are gone: the kernel goes on with one thread.
void ts_kernel_one_thread(struct ts_kernel *self);
// The writers of the trace have written all records that they were given.
void ts_kernel_trace_wait(const struct ts_kernel *self);
