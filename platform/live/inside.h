// What the files of this folder share, and what does not go back in time.
#pragma once

#include "platform/gdb/machine.h"
#include "platform/live/live.h"
#include "platform/save/travel.h"

#include <jansson.h>
#include <sys/types.h>

// The clients of a live run: lines in, lines out, never waiting for either.

#define TS_LIVE_CLIENTS 8
#define TS_LIVE_LINE    4096u      // bytes of a command
#define TS_LIVE_OUT     (4u << 20) // bytes that wait for a client

// What a client looks at.
struct ts_live_view {
    uint32_t tile, core; // of the machine's tiles; of its cores
    uint32_t memory;     // address of the bytes that it sees
    bool chip;           // the map of the chip, too
};

struct ts_live_client {
    int socket;    // -1: nobody
    uint64_t slow; // bytes wait since then; 0: none
    bool owed;     // a state was left out
    struct ts_live_view view;
    uint64_t heard; // lines of it
    size_t used, length, sent;
    char in[TS_LIVE_LINE], out[TS_LIVE_OUT];
};

struct ts_live_wire {
    int listener;
    struct ts_live_client clients[TS_LIVE_CLIENTS];
};

// Makes the socket in a directory, for its owner alone. False: error says why.
bool ts_live_wire_open(struct ts_live_wire *self, const char *directory, struct ts_error *error);
// Removes it: the results of a run come with a new directory, and take it along.
void ts_live_wire_close(struct ts_live_wire *self, const char *directory);
// Takes new clients in, sends what waits, reads. `wait_ms`: for news; 0: does not wait. `taken` is called for each new client,
// `line` for each line until it returns true; the rest stays. True: it did.
bool ts_live_wire_look(struct ts_live_wire *self, int wait_ms,
                       void (*taken)(void *context, struct ts_live_client *client),
                       bool (*line)(void *context, struct ts_live_client *client, const char *text,
                                    size_t length),
                       void *context);
unsigned ts_live_wire_count(const struct ts_live_wire *self);
// A line for a client. A state is left out while another one waits; a client for whom there is no room is dropped.
void ts_live_send(struct ts_live_client *client, const char *text, bool state);
bool ts_live_waits_for(const struct ts_live_client *client);

// The connections to the process that goes on, and from the one that did so far.
void ts_live_wire_hand_over(struct ts_live_wire *self, int to);
void ts_live_wire_take_over(struct ts_live_wire *self, int from);

enum ts_live_task {
    TS_LIVE_RUN,
    TS_LIVE_TO,     // to a cycle
    TS_LIVE_STEP,   // until a value changes
    TS_LIVE_SEARCH, // up to a cycle: when did the value change last before it?
};

// What a step waits for and a search looks for: a number that changes.
enum ts_live_value {
    TS_LIVE_NOTHING,
    TS_LIVE_INSTRUCTIONS, // of a core
    TS_LIVE_UNIT,         // words that a unit took; TS_UNIT_NONE: any unit
    TS_LIVE_WORD,         // of memory, or who wrote it last
    TS_LIVE_POSTS,        // of a semaphore
    TS_LIVE_REGISTER,     // of a core
};

struct ts_live_watch {
    enum ts_live_value what;
    uint32_t thread;  // tile * TS_RV_CORES + core
    uint32_t address; // or number of the unit, semaphore or register
};

// Why the machine stands still.
enum ts_live_mode { TS_LIVE_RUNS, TS_LIVE_PAUSED, TS_LIVE_HANG, TS_LIVE_OVER };

// In memory that all processes share (travel.h).
struct ts_live_shared {
    struct ts_live_wire wire;
    enum ts_live_task task;
    struct ts_live_watch watch;
    ts_cycle goal;              // to go to; where a search ends
    ts_cycle origin;            // and where it was asked for
    ts_cycle found;             // by the search; TS_NEVER: nothing
    ts_cycle from;              // the snapshot that it began at
    ts_cycle first;             // of all snapshots
    ts_cycle last;              // the run has been there
    ts_cycle hang, since, over; // TS_NEVER: not yet
    char why[200];              // it stopped
    pid_t user;                 // the process that the user started
    uint64_t state_ns, cost_ns; // the last states of a run that goes on: when, and what they cost
    int carry[2];               // connections go to the process that goes on
};

// The last word that a unit of a tile took.
struct ts_live_word {
    uint32_t word;
    uint8_t thread;
    bool known;
    ts_cycle at;
};

struct ts_live_tile {
    struct ts_tile *tile;
    struct ts_live_word units[TS_UNIT_COUNT];
};

struct ts_live {
    struct ts_live_options options;
    struct ts_kernel *kernel; // the first that runs; NULL: none yet
    struct ts_gdb_machine machine;
    struct ts_live_tile *tiles;
    const struct ts_object **parts; // of the map of the chip
    uint32_t part_count;
    struct ts_travel *travel; // NULL: no way back
    struct ts_live_shared *shared;
    ts_cycle now, before; // of this look and the one before
    ts_cycle asked;       // nothing happens from there to now
    ts_cycle shown;       // the cycle that is shown: one of these
    enum ts_live_mode mode;
    bool valued; // `value` is of the last look
    uint64_t value;
    pid_t process;
    int sockets
        [TS_LIVE_CLIENTS]; // of clients when the last snapshot was taken: a copy of it has them
    ts_cycle gap;          // cycles between two looks
    uint64_t look_ns, heard_ns;
    ts_cycle told; // the cycle of the last states
    double rate;   // cycles a second
    json_t *waits; // while it stands still
};

_Noreturn void ts_live_go(struct ts_live *self, ts_cycle goal);
_Noreturn void ts_live_search(struct ts_live *self, ts_cycle until);

// values.c
uint64_t ts_live_value(const struct ts_live *self, const struct ts_live_watch *watch);
// "semaphore 1 of 1-2".
const char *ts_live_watch_name(const struct ts_live *self, const struct ts_live_watch *watch,
                               char *text, size_t size);

// commands.c: takes a line of a client. True: the machine goes on, or stops if it runs.
bool ts_live_command(struct ts_live *self, struct ts_live_client *client, const char *line,
                     size_t length);

// state.c: {"hello": ...} and {"state": ...}, as a line.
char *ts_live_hello(const struct ts_live *self);
char *ts_live_state(const struct ts_live *self, const struct ts_live_client *client);
// Who waits for whom now, as hang reports have it; the machine stands still.
json_t *ts_live_waits(const struct ts_live *self);
// tile.c: what is in a tile. `still`: there is time for lines of sources.
json_t *ts_live_tile(const struct ts_live *self, uint32_t index, bool still);
// code.c: the program of a core around its pc, its registers, some memory.
json_t *ts_live_code(const struct ts_live *self, uint32_t thread);
json_t *ts_live_memory(const struct ts_live *self, uint32_t thread, uint32_t address);
