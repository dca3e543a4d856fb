// What the parts of the recorder (record.h) share; private to this folder.
#pragma once

#include "platform/load/script.h"
#include "platform/study/hang/record.h"

// Threads of a recording: the cores, then the Tensix threads.
#define TS_RECORD_LANES (TS_RV_CORES + TS_THREADS)
#define TS_RECORD_TEXT  96

// An operation. Texts are kept once each.
struct ts_record_op {
    uint32_t text;
    uint16_t alike; // words with the same one, in a row, are one; 0: none is
    uint32_t push;  // core: words it had pushed before; thread: number of the push it comes from
    // Its number at its place of --perturb (base/perturb.h), from 1 (0: none), and its cycle.
    struct ts_record_place {
        uint32_t number, cycle;
    } place;
};

struct ts_record_lane {
    struct ts_record_op *op;
    uint32_t count, room;
    uint32_t left_out;
};

// A poll of a core that may be going on: what it loaded, and the registers that depend on it.
struct ts_record_poll {
    enum { TS_POLL_NONE, TS_POLL_SEMAPHORE, TS_POLL_RECEIVED, TS_POLL_ACKED } kind;
    uint32_t index, pc, address, value;
    uint32_t depend;            // bit per register
    char unmet[TS_RECORD_TEXT]; // the wait that has not come true so far; empty: none
};

struct ts_record_core {
    struct ts_recorder *recorder;
    struct ts_rv_log log;
    uint32_t r[32];
    uint32_t pushes;
    struct ts_record_poll poll;
    uint32_t unclear; // polls whose condition was not understood
    // Numbers at the core's places of --perturb of its stores to semaphores and mailboxes, and of
    // those to counters of buffers.
    struct ts_record_held {
        struct ts_record_place *place;
        uint32_t count, room, taken;
    } sent, stored;
};

struct ts_recorder {
    struct ts_tile *tile;
    struct ts_follow follow;
    struct ts_record_lane lane[TS_RECORD_LANES];
    struct ts_record_core core[TS_RV_CORES];
    uint32_t counter[TS_TILE_BUFFERS][2]; // acked and received, as their owners stored them
    char (*text)[TS_RECORD_TEXT];
    uint32_t text_count, text_room;
    uint32_t *text_table;         // of text numbers + 1, by hash
    unsigned semaphores, mutexes; // that were used
    uint8_t value[TS_SEMAPHORES]; // at the beginning
    uint8_t max[TS_SEMAPHORES];   // the largest maximum of a SEMINIT
};

// The number of a text.
uint32_t ts_record_text(struct ts_recorder *self, const char *text);
// Appends an operation of a lane; NULL: there are too many.
__attribute__((format(printf, 5, 6))) struct ts_record_op *ts_record_add(struct ts_recorder *self,
                                                                         unsigned lane,
                                                                         uint32_t push,
                                                                         uint16_t alike,
                                                                         const char *format, ...);

// The pages that a store of a buffer's counter counts; 0: it is none.
uint32_t ts_record_pages(struct ts_recorder *self, const struct ts_buffer *buffer, bool full,
                         uint32_t count);
// What a thread had on its way when the run ended.
void ts_record_rest(struct ts_recorder *self, unsigned thread);
// What a core committed (record_core.c); the end of the run.
void ts_record_commit(void *core, unsigned id, const struct ts_rv_commit *commit);
void ts_record_core_end(struct ts_record_core *core, unsigned id);
