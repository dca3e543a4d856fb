// Snapshots in memory, and going back to them: each is a process that waits, a copy-on-write copy of the one that runs.
//
// The process that runs forks one from time to time, between two windows. To go to an earlier cycle it wakes the last snapshot
// before it, which forks a copy of itself and lets that run; the one that ran before only waits for its end. Open files and
// connections go with the one that runs. What must not go back in time is in memory that all share.
#pragma once

#include "platform/kernel/kernel.h"

struct ts_travel;

// At most `count` snapshots; `bytes` of shared memory, zeroed. NULL: the system does not let us.
struct ts_travel *ts_travel_new(unsigned count, size_t bytes);
void *ts_travel_shared(const struct ts_travel *self);

// Between two windows: takes a snapshot, if there is none for this cycle and the last one before it is some cycles or some time
// away. When all places are taken, every second one is given up.
void ts_travel_look(struct ts_travel *self, struct ts_kernel *kernel, ts_cycle now);
// Takes one whatever the time.
void ts_travel_take(struct ts_travel *self, struct ts_kernel *kernel, ts_cycle now);

// The last snapshot before `cycle`; false: there is none.
bool ts_travel_before(const struct ts_travel *self, ts_cycle cycle, ts_cycle *at);
// Goes to the snapshot of a cycle: returns there, from the ts_travel_look or ts_travel_take that took it. Never returns here.
_Noreturn void ts_travel_go(struct ts_travel *self, ts_cycle at);
// Somebody has changed the machine: later snapshots are of another run.
void ts_travel_forget(struct ts_travel *self, ts_cycle after);
// The run is over: all snapshots end.
void ts_travel_end(struct ts_travel *self);
