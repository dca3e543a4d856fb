// Between two windows: what looks at complete models (checkpoints, snapshots, debuggers) is called here, on the thread that
// runs the kernel, while no other thread of the kernel works.
#ifndef TENSIM_KERNEL_BETWEEN_H
#define TENSIM_KERNEL_BETWEEN_H

#include "platform/kernel/kernel.h"

// Everything before cycle `now` has happened and nothing from `now` on, except for components that run ahead.
// Returns the next cycle in which to call; a window ends there, with a trace soon after it. TS_NEVER: not again.
typedef ts_cycle ts_between(void *context, struct ts_kernel *kernel, ts_cycle now);

// A run of the kernel has ended with a hang (ts_kernel_hung).
typedef void ts_after_hang(void *context, struct ts_kernel *kernel, ts_cycle now);

// For the next kernel that runs, of those that are made from now on: `between` is called before its first window.
void ts_kernel_between(ts_between *between, ts_after_hang *hung, void *context);
// The same looker wants every cycle that it asks for: windows end there with a trace, too. `over`: a run has ended, without a
// hang (ts_kernel_over).
void ts_kernel_between_each(ts_after_hang *over);

// Who is called. It belongs to the process, so it is in platform/save/between.c and not in the library, which has no variables:
// there is none where that file is not linked.
struct ts_bystander {
    ts_between *call; // NULL: none
    ts_after_hang *hung, *over;
    void *context;
    bool each;  // windows end in the cycles that it asks for, with a trace too
    bool taken; // by the first kernel that runs
};
__attribute__((weak)) struct ts_bystander *ts_kernel_bystander(void);

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
// The writers of the trace have written all records that they were given.
void ts_kernel_trace_wait(const struct ts_kernel *self);

#endif
