// Systematic exploration of the interleavings of a small synchronisation program.
//
// A program (load/script.h) is some threads of operations (config/explore.def) on semaphores, mutexes, mailboxes,
// circular buffers, rings and the SrcA/SrcB banks; the two unpackers move, too. Every
// process has at most one next transition and never goes back, so the states form a graph without
// cycles and all ways to a state are of the same length.
//
// The search is breadth first over hashed states, with persistent sets: in a state only a set of
// processes is followed such that nothing the others may still do depends on what those do next
// (depend.c). Every deadlock, every end and every lost operation is still reached (the graph has no
// cycles, so each maximal run is followed up to the order of independent steps), and because the
// length of a way is a property of its last state, the first deadlock found is a shortest one.
// Objects count up and down; where the program itself proves that no count can be lost (safe.c), up
// and down commute. A program of such objects only has one way up to the order of independent
// steps, so its search is as long as the program.
//
// Source: facts of units/sync.h; mailboxes: BlackholeA0 Mailboxes.md; persistent sets: Godefroid,
// Partial-Order Methods for the Verification of Concurrent Systems (1996).
// Inaccuracies: steps are atomic and have no time. A latched wait ends as soon as it is met
// (the Sync Unit changes a semaphore once a cycle, so its gate sees every value); a POLL may miss a
// value. Units other than the unpackers always finish. Rings count slots: no flags, no SyncPeriod,
// no split. A core's mailbox write waits when it would sit in a buffer of the memory system. A
// thread whose core has no ISSUE finds all its operations pushed; a push that waits for room holds
// the core at once, not after its store queue is full.
#pragma once

#include "platform/base/yaml.h"
#include "platform/kernel/kernel.h"
#include "platform/out/progress.h"

#include <jansson.h>

enum {
    TS_EXPLORE_THREADS = 12,
    TS_EXPLORE_UNITS = 2, // the unpackers, processes after the threads
    TS_EXPLORE_OBJECTS = 64,
    TS_EXPLORE_OPS = 150000, // of a thread, repetitions written out
    TS_EXPLORE_NAME = 32,
};

enum ts_explore_code {
#define TS_EXPLORE_OP(name, ...) TS_EXPLORE_##name,
#include "config/explore.def"
    TS_EXPLORE_CODES
};

enum ts_explore_lost {
#define TS_EXPLORE_LOST(name, word, text) TS_LOST_##name,
#include "config/explore_lost.def"
    TS_LOST_KINDS
};

extern const char *const ts_explore_op_names[]; // ends with NULL
extern const char *const ts_explore_lost_words[];
extern const char *const ts_explore_lost_texts[];

enum ts_explore_kind {
#define TS_EXPLORE_KIND(name, ...) TS_EXPLORE_##name,
#include "config/explore.def"
};

// a and b: a semaphore's value and maximum; a mutex's holder + 1; words of a mailbox; pages of a circular buffer to wait
// for (its room is the object behind it), free pages of a room; filled slots of a ring, and popped and not freed ones; of a
// bank bits 0, 1: valid, 2: the unpacker's, 3: the matrix unit's; of a unit the thread whose UNPACR is inside + 1; of a
// queue operations that a core has pushed and its Tensix thread has not done.
struct ts_explore_object {
    enum ts_explore_kind kind;
    char name[TS_EXPLORE_NAME];
    int32_t a; // at the beginning
    uint8_t b; // at the beginning
    int16_t
        size; // pages, slots; of a mailbox the writer; of a queue the Tensix thread; -1: no such mutex
    bool tfree; // ring: TPOP holds the slot until TFREE
};

typedef uint64_t ts_explore_mask; // of objects

// What operations do to objects.
struct ts_explore_touch {
    // Counters: counted up, down, tested for at least and for at most something, set.
    ts_explore_mask up, down, least, most, set;
    // In any other way: nothing is known about their order.
    ts_explore_mask reads, writes;
};

struct ts_explore_op {
    uint8_t code;
    uint8_t object; // the first
    uint8_t on;     // SEMWAIT: 1 zero, 2 max; STALLWAIT: conditions; POLL: comparison
    uint16_t held;  // block bits that hold it
    uint16_t block; // of a wait: block bits it sets
    int32_t n;      // pages, value
    uint8_t max;    // maximum
    bool joined;    // the second one of its word
    bool plain;     // a wait whose conditions the others only make true
    int line, column;
    // Of a recording: its number at its thread's place of --perturb (0: none), and its cycle.
    uint32_t place, cycle;
    uint32_t wait; // the last SEMWAIT or STALLWAIT up to here: operation + 1; 0: none
    ts_explore_mask objects;
    struct ts_explore_touch touch;
    const char *text; // of the program's
};

struct ts_explore_thread {
    char name[TS_EXPLORE_NAME];
    struct ts_explore_op *op;
    unsigned count, room;
    struct ts_explore_touch *rest; // of the operations from each one on
    int queue;                     // object: what its core has pushed; -1: all
};

struct ts_explore_program {
    char name[64];
    struct ts_explore_thread thread[TS_EXPLORE_THREADS];
    unsigned threads;
    struct ts_explore_object object[TS_EXPLORE_OBJECTS];
    unsigned objects;
    uint8_t src[TS_EXPLORE_UNITS], unit[TS_EXPLORE_UNITS]; // their objects
    char expect[16];                                       // "", "proved" or "deadlock"
    // Counters of which no operation can take more, or add more, than there can be (safe.c).
    ts_explore_mask never_under, never_over;
    char note[160]; // where a tile is not like this; empty: nowhere
    char *command;  // of the run it was recorded from; empty: none
    char tile[16];  // of it; empty: not known
    char **texts;   // of its steps
    size_t text_count;
};

struct ts_explore_state {
    int32_t a[TS_EXPLORE_OBJECTS];
    uint8_t b[TS_EXPLORE_OBJECTS];
    uint32_t pc[TS_EXPLORE_THREADS];
    uint32_t latch[TS_EXPLORE_THREADS]; // the wait at the gate: operation + 1, 0: none
};

// Loads a text, or the file if it is NULL; false and an error with file:line:column. Free it in either case.
bool ts_explore_load(struct ts_explore_program *self, const char *path, const char *text,
                     struct ts_error *error);
void ts_explore_free(struct ts_explore_program *self);

// --- one step (step.c) ---

struct ts_explore_wait {
    enum ts_stall reason;
    int object;                       // -1: none
    const struct ts_explore_op *op;   // the operation that waits
    const struct ts_explore_op *gate; // the latched wait that holds it, or NULL
};

static inline unsigned ts_explore_processes(const struct ts_explore_program *self)
{
    return self->threads + TS_EXPLORE_UNITS;
}
const char *ts_explore_process_name(const struct ts_explore_program *self, unsigned process);
void ts_explore_begin(const struct ts_explore_program *self, struct ts_explore_state *state);
// Can the process move? If not, and it is not at its end, why says on what it waits.
bool ts_explore_enabled(const struct ts_explore_program *self, const struct ts_explore_state *state,
                        unsigned process, struct ts_explore_wait *why);
// Has it nothing left to do? An unpacker that is empty has.
bool ts_explore_ended(const struct ts_explore_program *self, const struct ts_explore_state *state,
                      unsigned process);
// Moves an enabled process; returns a bit per ts_explore_lost.
unsigned ts_explore_step(const struct ts_explore_program *self, struct ts_explore_state *state,
                         unsigned process);
// A bit per process: the smallest set of enabled ones that must be followed in this state
// (depend.c).
unsigned ts_explore_persistent(const struct ts_explore_program *self,
                               const struct ts_explore_state *state, unsigned enabled);

// --- the search (explore.c) ---

struct ts_explore_options {
    bool exhaustive;              // no reduction
    bool all;                     // continue after the first deadlock
    uint64_t max_states;          // 0: TS_EXPLORE_MAX_STATES
    struct ts_progress *progress; // NULL: none
};
#define TS_EXPLORE_MAX_STATES 5000000u

struct ts_explore_result {
    enum ts_code code; // TS_OK proved, TS_HANG deadlock, TS_LIMIT
    uint64_t states, transitions, deadlocks, ends;
    double seconds;
    size_t depth; // every interleaving of so many steps was followed
    // A step at which each operation can be lost, by thread, operation and kind; 0: never.
    uint32_t (*lost[TS_EXPLORE_THREADS])[TS_LOST_KINDS];
    // The shortest way to a deadlock.
    uint8_t *schedule;
    size_t steps;
    struct ts_explore_state last;
};

struct ts_explore_result ts_explore_search(const struct ts_explore_program *self,
                                           const struct ts_explore_options *options);
void ts_explore_result_free(struct ts_explore_result *self);

// --- text and JSON (report.c, json.c) ---

struct ts_explore_edge {
    unsigned from;
    int to; // -1: none
    struct ts_explore_wait wait;
};

struct ts_explore_hang {
    struct ts_explore_edge
        edge[(TS_EXPLORE_THREADS + TS_EXPLORE_UNITS) * (TS_EXPLORE_THREADS + TS_EXPLORE_UNITS)];
    size_t count;
    size_t explanation; // the first edges: the cycle, or the chain
    bool is_cycle;
};

void ts_explore_hang(const struct ts_explore_program *self, const struct ts_explore_state *state,
                     struct ts_explore_hang *hang);
void ts_explore_print(const struct ts_explore_program *self, const struct ts_explore_result *result,
                      FILE *file);
void ts_explore_print_hang(const struct ts_explore_program *self,
                           const struct ts_explore_state *state, FILE *file);
void ts_explore_print_state(const struct ts_explore_program *self,
                            const struct ts_explore_state *state, FILE *file);
json_t *ts_explore_json(const struct ts_explore_program *self,
                        const struct ts_explore_result *result);
// The schedule as YAML, one process a step; and its replay, which shows every state. TS_HANG at a
// deadlock, TS_OK at the end of all, TS_LIMIT when something could still move.
// Of a recording: holds (base/perturb.h) that bring the run to the deadlock of the result, as text;
// to be freed. NULL: there are none.
char *ts_explore_perturb(const struct ts_explore_program *self,
                         const struct ts_explore_result *result);
void ts_explore_write_schedule(const struct ts_explore_program *self, const char *path,
                               const struct ts_explore_result *result, FILE *file);
enum ts_code ts_explore_replay(const struct ts_explore_program *self, const char *path, FILE *file,
                               struct ts_explore_state *last, struct ts_error *error);
