// The small vocabularies of explore.h's operations and what its readers share; private to
// this folder.
#ifndef TENSIM_STUDY_EXPLORE_WORDS_H
#define TENSIM_STUDY_EXPLORE_WORDS_H

#include "platform/study/explore/explore.h"

enum { TS_ON_ZERO = 1, TS_ON_MAX = 2 };

// STALLWAIT conditions that can stay unmet, << 0 for SrcA and unpacker 0, << 1 for SrcB and 1.
// Those of units that always finish are no bits.
enum { TS_COND_UNPACK = 1, TS_COND_VALID = 4, TS_COND_CLEAR = 16 };

enum {
    TS_COMPARE_EQ,
    TS_COMPARE_NE,
    TS_COMPARE_LT,
    TS_COMPARE_LE,
    TS_COMPARE_GT,
    TS_COMPARE_GE,
};

// --- what operations touch (depend.c, safe.c) ---

static inline ts_explore_mask ts_explore_bit(int object)
{
    return (ts_explore_mask)1 << object;
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

#endif
