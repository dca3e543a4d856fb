// What must become true for a polling core to leave its loop, in the program's terms: "has 7, needs 8".
//
// The loop's own branches (cores/riscv/spin.h) are computed for other values of what it polls. So the
// answer does not depend on the instructions that a compiler chose. Values near the present one, near
// the constants of the loop and at single bits are tried; borders between values that end the loop and
// values that do not are then found by bisection.
//
// Inaccuracies: a set of values that is neither one range nor one range of what is compared is shown by
// one example.
#pragma once

#include "cores/riscv/spin.h"

enum ts_relation {
    TS_REL_EQ,
    TS_REL_NE,
    TS_REL_LESS,  // than `needs`
    TS_REL_LEAST, // at least `needs`
    TS_REL_RANGE, // `needs` to `most`
    TS_REL_SOME,  // `needs` is an example
};

struct ts_condition {
    bool known;
    enum ts_relation relation;
    uint8_t poll;  // the location that must change
    uint8_t exit;  // the branch that then leaves
    bool plain;    // the relation is one of the location's value, not of what is computed from it
    bool both;     // the other side is polled too
    uint8_t other; // its term
    uint32_t has, needs, most;
    uint32_t goal;   // the nearest value of the location that ends the loop
    int64_t missing; // how much must be added to the location; negative: taken away
};

struct ts_condition ts_condition_of(const struct ts_rv_spin *spin);

// For a location that counts: the difference from another count that the loop asks for; 0: it has none.
uint32_t ts_condition_asks(const struct ts_condition *self, const struct ts_rv_spin *spin);

// A location's name.
typedef const char *ts_condition_name(void *context, uint32_t address, char *text, size_t size);
// "has 7, needs 8"; for computed values with the formula before it: "flags & 0x3 has 0, needs 2".
void ts_condition_text(const struct ts_condition *self, const struct ts_rv_spin *spin,
                       ts_condition_name *name, void *context, char *text, size_t size);
