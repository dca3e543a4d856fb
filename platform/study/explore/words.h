// The small vocabularies of explore.h's operations and what its readers share; private to
// this folder.
#pragma once

#include "platform/load/script.h"
#include "platform/study/explore/explore.h"

enum { TS_ON_ZERO = 1, TS_ON_MAX = 2 };

// STALLWAIT conditions that can stay unmet, << 0 for SrcA and unpacker 0, << 1 for SrcB and 1.
// Those of units that always finish are no bits.
enum { TS_COND_UNPACK = 1, TS_COND_VALID = 4, TS_COND_CLEAR = 16 };

enum {
#define TS_EXPLORE_COMPARE(name, ...) TS_COMPARE_##name,
#include "config/explore.def"
};

// --- from a small program to operations (load.c, op.c) ---

struct ts_explore_loader {
    struct ts_explore_program *program;
    const struct ts_script *script;
    const struct ts_script_tile *tile;
    const struct ts_error *error;
    int semaphore[TS_SEMAPHORES], mutex[8]; // objects; -1: not yet
    uint8_t buffer[TS_SCRIPT_BUFFERS], ring[TS_SCRIPT_RINGS];
    int thread[TS_SCRIPT_LISTS];  // of each list; -1: none
    int pusher[TS_THREADS];       // list of the core whose words a thread does; -1: nobody's yet
    unsigned issued[TS_THREADS];  // operations of the thread that its core has pushed
    unsigned drained[TS_THREADS]; // of them, up to the last tensix_sync
    bool own[TS_THREADS];         // the thread has a list of its own
};

#define TS_EXPLORE_RECORD "; record a run instead: tensim run --record FILE"

void ts_explore_add_objects(struct ts_explore_loader *self);
// Objects, made when they are used for the first time.
int ts_explore_semaphore(struct ts_explore_loader *self, unsigned index);
int ts_explore_mailbox(struct ts_explore_loader *self, unsigned writer, unsigned reader);
int ts_explore_queue(struct ts_explore_loader *self, unsigned thread);
// Appends an operation to a thread.
struct ts_explore_op *ts_explore_new_op(struct ts_explore_loader *self, int thread,
                                        const struct ts_script_step *step,
                                        enum ts_explore_code code);
void ts_explore_on_object(struct ts_explore_op *op, int object);
// A word of a Tensix thread: one operation, or two (it needs banks and gives banks back).
void ts_explore_add_word(struct ts_explore_loader *self, unsigned t,
                         const struct ts_script_step *step, uint32_t word);

// --- what operations touch (depend.c, safe.c) ---

static inline ts_explore_mask ts_explore_bit(int object)
{
    return (ts_explore_mask)1 << object;
}
static inline ts_explore_mask ts_explore_changes(const struct ts_explore_touch *t)
{
    return t->up | t->down | t->set | t->writes;
}
void ts_explore_touches(struct ts_explore_program *self);
void ts_explore_find_safe(struct ts_explore_program *self);

// --- states in little space (store.c) ---

struct ts_explore_store {
    const struct ts_explore_program *program;
    uint8_t width[TS_EXPLORE_THREADS];        // bytes of a program counter
    uint8_t object_width[TS_EXPLORE_OBJECTS]; // 0: never touched
    uint32_t size;                            // bytes of a state
    uint8_t *packed;
    uint32_t *parent;
    uint8_t *mover;
    uint32_t count, room;
    uint32_t *table; // number + 1
    uint32_t mask;
};

void ts_explore_store_init(struct ts_explore_store *self, const struct ts_explore_program *program);
void ts_explore_store_free(struct ts_explore_store *self);
// Adds a state unless it is there; true if it is new.
bool ts_explore_store_add(struct ts_explore_store *self, const struct ts_explore_state *state,
                          uint32_t parent, unsigned mover);
void ts_explore_store_get(const struct ts_explore_store *self, uint32_t index,
                          struct ts_explore_state *state);
