// What the coprocessor does, as a reason to stop: an instruction passes a gate, a semaphore or a circular buffer counts.
#pragma once

#include "platform/gdb/machine.h"
#include "platform/tile/follow.h"

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
