// The small vocabularies of explore.h's operations; private to explore*.c.
#ifndef TENSIM_STUDY_EXPLORE_WORDS_H
#define TENSIM_STUDY_EXPLORE_WORDS_H

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

#endif
