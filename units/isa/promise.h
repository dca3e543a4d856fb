// units/isa/promise.h: words of one unit whose passing is certain, decided at once and executed together.
//
//   gate of a thread --promise--> [ word word . word word . ... ] from `from` on; a point is a stall
//                                        |
//                                 apply: all that are due, on an access or at the end
//
// MVMULs follow each other one a cycle; words of the vector unit stall behind one of two cycles. When
// the first of them can enter its unit and no other thread needs it, the rest are promised: the front end
// does not step again before the last of them is due, also beyond the end of a window, and nothing is
// executed until then. Any access to state that the words write (Dst, their unit, its counters), and any
// write of state that they depend on, cuts the promise first: the words that are due by then are executed as
// of their own cycles, and the front end continues from there step by step. So a promise and steps give
// the same results; `TENSIM_WITHOUT=promises` has none.
//
// There is at most one promise in a tile. Who cuts it, always with ts_promise_cut:
//
//   registers    those that promised words write or depend on are `streamed` (files.h, tensix.h); the functions
//                there cut. Only the units and `tensim run --show` name them (tests/floors.sh)
//   the gate     for words to MATRIX and VECTOR (backend.c)
//   Config       ts_tensix_configure, for what these units read
//   lints        posts and gets of MATH_PACK; a write of ALU registers in use; every report, for the order of reports
//   status       who looks at busy units (backend.c), performance counters, soft reset
//   front end    words of BRISC, registers of the MOP expander, waits for it, pushed words that it drops
//   accounts     the begin and the end of a window of measurement, and who follows a wait to its cause
//   the kernel   the end of a run
//
// The front end's side is cores/frontend/promise.c; a unit has `promises`, `promise` and `apply` (unit.h).
#pragma once

#include "units/isa/dispatch.h"

struct ts_tensix;

struct ts_promise {
    uint32_t words[TS_PROMISE_MOST];
    uint8_t count;  // of words; 0: none
    uint8_t cycles; // in which they pass
    uint8_t thread;
    uint8_t unit;
    ts_cycle from;      // cycle of the first word
    uint64_t passes;    // bit i: a word passes in cycle from + i, otherwise it stalls
    uint64_t blocks[2]; // of Dst that they write, low halves too, as far as others ask for data
};

// Words of one kind can be promised together: of the vector unit, or of one opcode.
static inline uint8_t ts_promise_kind(uint32_t word)
{
    const uint8_t op = TS_OP_OF(word);
    return ts_op_hot[op].unit == TS_UNIT_VECTOR ? TS_OP_SFPNOP : op;
}
// How many of the words have passed before `at`?
static inline unsigned ts_promise_passed(const struct ts_promise *self, ts_cycle at)
{
    if (self->count == 0 || at <= self->from)
        return 0;
    const ts_cycle cycles = at - self->from;
    return cycles >= self->cycles
               ? self->count
               : (unsigned)__builtin_popcountll(self->passes & ~(UINT64_MAX << cycles));
}
// Does one of the words write this block of Dst?
static inline bool ts_promise_writes(const struct ts_promise *self, unsigned block)
{
    return __builtin_expect(self != NULL, 0) && self->blocks[block / 64] >> block % 64 & 1;
}

// Executes the words that come before the current access, and resumes the front end for the next.
TS_SLOW_PATH void ts_promise_stop(struct ts_tensix *tensix, ts_cycle now);
// The front end resumes: executes all remaining words.
void ts_promise_end(struct ts_tensix *tensix, unsigned thread);
