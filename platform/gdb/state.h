// What the files of the server share, and what does not go back in time.
#pragma once

#include "platform/gdb/door.h"
#include "platform/gdb/events.h"
#include "platform/gdb/wire.h"
#include "platform/save/travel.h"

enum ts_gdb_task {
    TS_GDB_RUN,    // until a point is hit
    TS_GDB_STEP,   // or until a thread has executed an instruction
    TS_GDB_TO,     // to a moment
    TS_GDB_SEARCH, // up to a moment: when was the last hit before it?
    TS_GDB_FREE,   // gdb has gone
};

// Between two cycles, or before an instruction of a thread.
struct ts_gdb_moment {
    ts_cycle cycle;
    uint32_t thread; // UINT32_MAX: between two cycles
    uint64_t done;   // instructions of the thread
};

// In memory that all processes share (travel.h).
struct ts_gdb_shared {
    struct ts_gdb_wire wire;
    struct ts_gdb_points points;
    struct ts_gdb_events events;
    bool one;                  // all tiles are one process
    uint32_t general, control; // threads of Hg and Hc
    enum ts_gdb_task task;
    struct ts_gdb_moment
        goal; // to go to; where a search ends; the instruction that a step begins with
    struct ts_gdb_moment found; // by the search; cycle TS_NEVER: nothing
    ts_cycle from;              // the snapshot that the search or the way to the goal began at
    uint32_t back; // the search is for the last instruction of this thread; UINT32_MAX: for hits
    uint64_t back_done;               // which is before this one
    const struct ts_gdb_point *watch; // that was found
    bool begin;                       // there is nothing before the goal
    bool quiet;                       // a monitor command goes there: gdb gets OK
    bool keep;                        // the next look takes a snapshot
};

// Non-stop: each core stops alone, by the debug interface of the core (cores/riscv/debug.h), and the others go on. Time does not
// go back.
struct ts_gdb_alone {
    bool on;
    bool
        begun; // at first one core stands, which is what gdb 13 can take, and nothing moves until it goes on
    bool told;     // a notification is on its way: the next stop waits until gdb asks for it
    bool *stopped; // by thread
    bool *waits;   // gdb does not know its stop yet
    const struct ts_gdb_point **watch; // that it has met; NULL: none
    uint64_t
        *step; // it stops when it has executed another number of instructions; UINT64_MAX: no step
};

struct ts_gdb {
    struct ts_gdb_door door;
    struct ts_kernel *kernel; // the first that runs; NULL: none yet
    struct ts_gdb_machine machine;
    struct ts_travel *travel;
    struct ts_gdb_shared *shared;
    ts_cycle now, before; // before: of the last look between two cycles
    uint32_t *number;     // of the tile, by domain
    uint64_t
        *last; // by thread: the instruction that was looked at, + 1, twice; + 1: with its address
    struct ts_gdb_looker looker;
    struct ts_gdb_alone alone;
    uint32_t listed; // threads that gdb knows
};

// Answers gdb until it lets the machine go: shared->task says how. `reply` is the stop to report first; "": none. In non-stop
// it does not wait for gdb while a core runs, unless `wait`: then until one goes on that was stopped.
void ts_gdb_serve(struct ts_gdb *self, const char *reply, bool wait);
// The report of a stop. Returns text. watch NULL: none was hit.
const char *ts_gdb_stop(struct ts_gdb *self, uint32_t thread, const struct ts_gdb_point *watch,
                        char *text, size_t size);
struct ts_gdb_moment ts_gdb_here(const struct ts_gdb *self);
// alone.c. Stops the core of the thread and tells gdb. watch NULL: none was hit.
void ts_gdb_stop_alone(struct ts_gdb *self, uint32_t thread, const struct ts_gdb_point *watch);
void ts_gdb_continue_alone(struct ts_gdb *self, uint32_t thread, bool step);
// The next stop that gdb does not know; false: there is none.
bool ts_gdb_next_stop(struct ts_gdb *self, char *text, size_t size);
// False: no memory.
bool ts_gdb_alone_begin(struct ts_gdb *self);
void ts_gdb_alone_end(struct ts_gdb *self);
bool ts_gdb_anybody_runs(const struct ts_gdb *self);
// Goes back and searches up to a moment.
_Noreturn void ts_gdb_search(struct ts_gdb *self, struct ts_gdb_moment until);
// Goes back to a moment.
_Noreturn void ts_gdb_go(struct ts_gdb *self, struct ts_gdb_moment goal);
