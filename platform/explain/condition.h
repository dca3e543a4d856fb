// What must become true for a polling core to leave its loop, in the program's terms: from the terms
// of the loop (cores/riscv/spin.h) to "has 7, needs 8".
#ifndef TENSIM_EXPLAIN_CONDITION_H
#define TENSIM_EXPLAIN_CONDITION_H

#include "cores/riscv/spin.h"

enum ts_relation { TS_REL_EQ, TS_REL_NE, TS_REL_LT, TS_REL_GE, TS_REL_LTU, TS_REL_GEU };

struct ts_condition {
    bool known;
    enum ts_relation relation;
    uint8_t term;        // the value that must change
    uint8_t other;       // and what it is compared with, if that is polled too
    bool both;           // it is
    uint8_t poll;        // the first location in it
    bool plain;          // the value is the location's, not computed from it
    uint32_t has, needs; // value of the term now, and the other side
    int64_t missing;     // how much must be added; negative: taken away
};

// Would a value end the wait?
bool ts_relation_holds(enum ts_relation relation, uint32_t value, uint32_t needs);
// Of the loop's first way out.
struct ts_condition ts_condition_of(const struct ts_rv_spin *spin);

// A location's name.
typedef const char *ts_condition_name(void *context, uint32_t address, char *text, size_t size);
// "has 7, needs 8"; for computed values with the formula before it: "flags & 0x3 has 0, needs 2".
void ts_condition_text(const struct ts_condition *self, const struct ts_rv_spin *spin,
                       ts_condition_name *name, void *context, char *text, size_t size);

#endif
