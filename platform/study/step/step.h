// A few Tensix instructions on one tile, and what each of them changes.
//
//   script (read.c) --> program: words of each thread, and the state they begin with
//        --> run (machine.c): a feeder pushes, one word a cycle and thread; after each cycle
//            watch.c compares the state with the one before
//        --> rows: an instruction, its cycle, its wait, its rows, its changes (print.c, a page)
//
// What an instruction is given: the cycle in which it passed the wait gate, and the cycles that it
// waited there. A change belongs to the last instruction that can make it: UNPACR and PACR work on
// while others pass.
#pragma once

#include "platform/load/setup.h"

#include <jansson.h>

#define TS_STEP_WORDS 4096  // of a thread
#define TS_STEP_ROWS  16384 // instructions that pass
#define TS_STEP_QUIET 20000 // cycles without an instruction are a hang

// A word, or a wait until the thread's pipeline is empty.
struct ts_step_item {
    uint32_t word;
    bool wait;
};

struct ts_step_program {
    char name[256];
    struct ts_setups setups;
    struct ts_step_item items[TS_THREADS][TS_STEP_WORDS];
    unsigned counts[TS_THREADS];
};

// False: error says what is wrong, with file and line.
bool ts_step_read(struct ts_step_program *self, const char *path, const struct ts_machine *machine,
                  struct ts_error *error);

struct ts_step_row {
    unsigned thread;
    uint32_t word;
    ts_cycle cycle;       // it passed the gate
    uint64_t waited;      // cycles at the gate before
    enum ts_stall reason; // of most of them
    char rows[96];        // what it reads and writes, as far as the counters decide it
    struct ts_rwc rwc;    // of its thread, afterwards
    bool counts;          // it can change them
    json_t *changes;      // of strings; NULL: none
    json_t *values;       // of changed rows: {"what", "row", "values"}; NULL: none
};

struct ts_step {
    struct ts_step_row *rows;
    unsigned count;
    ts_cycle cycles;
    enum ts_code code; // TS_OK, TS_HANG, TS_LIMIT, or of a fault
    char text[400];    // of everything but TS_OK
    json_t *lints;     // suspicious operations (explain/hang.h)
    bool with_values;
};

// Runs it, for `limit` cycles at most. What went wrong is in self->code. Freed by ts_step_free.
void ts_step_run(struct ts_step *self, const struct ts_step_program *program,
                 const struct ts_tile_config *config, bool with_values, ts_cycle limit);
void ts_step_free(struct ts_step *self);

// watch.c: the state after the last cycle, to compare with.
struct ts_step_watch;
struct ts_step_watch *ts_step_watch_new(struct ts_tile *tile, struct ts_step *step);
void ts_step_watch_free(struct ts_step_watch *self);
void ts_step_watch_look(struct ts_step_watch *self);

// print.c
void ts_step_print(const struct ts_step *self, FILE *file);
json_t *ts_step_json(const struct ts_step *self, const struct ts_step_program *program);
