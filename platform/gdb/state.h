// What the files of the server share, and what does not go back in time.
#pragma once

#include "platform/gdb/machine.h"
#include "platform/save/travel.h"
#include "platform/tile/follow.h"

// What the coprocessor does, as a reason to stop: an instruction passes a gate, a semaphore or a circular buffer counts.

#define TS_GDB_EVENTS 16

enum ts_gdb_event_kind { TS_GDB_WORD, TS_GDB_SEMAPHORE, TS_GDB_BUFFER };

struct ts_gdb_event {
    enum ts_gdb_event_kind kind;
    uint32_t tile;   // number
    uint32_t thread; // words: of this one; TS_THREADS: of any
    uint32_t index;  // opcode, semaphore, buffer
    bool once;       // goes with the next stop
};

struct ts_gdb_events {
    struct ts_gdb_event event[TS_GDB_EVENTS];
    uint32_t count, changes; // changes: counts up
};

// Looks on; in each process its own.
struct ts_gdb_looker {
    const struct ts_gdb_events *events;
    uint32_t changes;             // of the events that this is of:
    uint64_t seen[TS_GDB_EVENTS]; // what has counted, and how far
    bool passed[TS_GDB_EVENTS];   // since the last look
    struct ts_gdb_tile_looker {
        struct ts_follow follow;
        const struct ts_follow *other; // who has followed the tile before; NULL: nobody
        struct ts_gdb_looker *looker;
        uint32_t tile;
    } * tiles;
};

// "MVMUL on t1", "SEMPOST", "semaphore 2", "cb 16". False: `why` says what is wrong.
bool ts_gdb_event_parse(struct ts_gdb_event *self, const struct ts_tile *tile, const char *text,
                        char *why, size_t size);
// With its number, as it is listed.
const char *ts_gdb_event_text(const struct ts_gdb_event *self, const struct ts_tile *tile,
                              char *text, size_t size);

// False: no memory.
bool ts_gdb_looker_init(struct ts_gdb_looker *self, const struct ts_gdb_machine *machine,
                        const struct ts_gdb_events *events);
// Between two cycles: the first event that has happened since the last call; NULL: none.
const struct ts_gdb_event *ts_gdb_happened(struct ts_gdb_looker *self,
                                           const struct ts_gdb_machine *machine);

// Packets of gdb's remote protocol on a connection.

#define TS_GDB_PACKET 8192u

struct ts_gdb_wire {
    int socket; // -1: closed
    bool no_ack;
    size_t used, taken; // of `in`
    char in[4096];
};

// The next packet, with its end; its escapes are resolved. 0 for an interrupt (Ctrl-C). -1: the connection is closed.
int ts_gdb_receive(struct ts_gdb_wire *self, char *packet);
// Is there an interrupt, or has the connection ended? Does not wait.
bool ts_gdb_interrupted(struct ts_gdb_wire *self);
// Is a packet there, or has the connection ended? Does not wait.
bool ts_gdb_ready(struct ts_gdb_wire *self);
// Text for the user, while gdb waits for an answer.
void ts_gdb_console(struct ts_gdb_wire *self, const char *text);
// A packet that is no answer.
void ts_gdb_notify(struct ts_gdb_wire *self, const char *text);
void ts_gdb_send(struct ts_gdb_wire *self, const char *text, size_t length);

// Who may be the gdb of a run: a socket file for its user, or a TCP port of this host.

#define TS_GDB_PLACE 128 // bytes of what gdb's `target remote' takes

struct ts_gdb_door {
    int listener;
    char place[TS_GDB_PLACE];
    bool file; // it is a socket file
    bool made; // the socket file's folder is ours, and goes with it
};

// `where`: "": a new socket file in a folder of its own; FOLDER/NAME: this socket file; tcp: a free TCP port of 127.0.0.1; or a port.
bool ts_gdb_door_open(struct ts_gdb_door *self, const char *where, struct ts_error *error);
// Waits for gdb and closes the door; the connection, -1: none. The first connection that begins with `+' or `$' is gdb's; a browser cannot begin so.
// Others are sent away, and keep nobody waiting.
int ts_gdb_door_wait(struct ts_gdb_door *self);
void ts_gdb_door_close(struct ts_gdb_door *self);

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
