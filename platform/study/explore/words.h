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

// --- reading ---

struct ts_explore_loader {
    struct ts_explore_program *program;
    char core[TS_EXPLORE_THREADS][TS_EXPLORE_NAME]; // of each thread
    int pages[TS_EXPLORE_OBJECTS];                  // of all operations of a circular buffer
};

// Of each operation: does it pass the wait gate of a Tensix thread?
extern const bool ts_explore_of_tensix[];

int ts_explore_add_object(struct ts_explore_loader *self, struct ts_yaml_node at,
                          enum ts_explore_kind kind, const char *name);
// -1: there is none.
int ts_explore_find(struct ts_explore_loader *self, enum ts_explore_kind kind, const char *name);
// Appends an operation to a thread.
void ts_explore_read_op(struct ts_explore_loader *self, struct ts_yaml_node node, unsigned thread);

#endif
