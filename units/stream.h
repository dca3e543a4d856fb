// units/stream.h: MVMULs whose passing is certain, executed together.
//
//   gate of a thread --begin--> [ word word word ... ] one a cycle from `from` on
//                                        |
//                                 catch up: all that are due, on an access or at the end
//
// In a run of MVMULs, for many cycles only one word a cycle passes the gate. When the first of them
// can enter the matrix unit and no other thread needs it, the rest are promised: the front end does
// not step again before the last of them is due, and nothing is executed until then. Any
// access to state that the words write (Dst, the matrix unit, its counters), and any write of state
// that they depend on (configuration, banks, semaphore 1 of the lints), cuts the stream first: the
// words that are due by then are executed as of their own cycles, and the front end continues from
// there step by step. So a stream and steps give the same results; `run_ahead` off, the reference
// of the tests, has no streams.
//
// The front end's side is cores/frontend/stream.c, the unit's is units/matrix/stream.c.
//
// Who can forget to cut? Registers cannot be reached without it: those that streams write or depend on
// are `streamed` (files.h, tensix.h), and the functions there cut; so does ts_tensix_configure. Only the
// matrix unit, the packer and `tensim step`, which has no streams, name them (tests/floors.sh). Besides,
// these cut: the gate for words to MATRIX and VECTOR; who looks at units; lints for what they count;
// the front end for words of BRISC, registers of the MOP expander, waits for it, and pushed words that it
// drops; the kernel at the end of a run.
#ifndef TENSIM_UNITS_STREAM_H
#define TENSIM_UNITS_STREAM_H

#include "units/files/rwc.h"
#include "units/isa/dispatch.h"

#define TS_STREAM_PLANS 64

struct ts_tensix;

// Which words a plan is for, and what else decides what they do.
struct ts_stream_key {
    uint16_t mods[2][8]; // the thread's ADDR_MODs
    struct ts_rwc rwc;   // the thread's counters before the first word
    uint16_t base;       // of Dst
    uint8_t layout;      // of Dst
    uint8_t count;       // of words
};

// What the words of a stream do, as long as the blocks of Dst are ready: the same words often come
// back.
struct ts_stream_plan {
    struct ts_stream_key key;
    uint32_t words[TS_STREAM_MOST];
    uint8_t count; // of words that enter one a cycle
    uint8_t row_a; // SrcA row of the last one
    uint8_t block[TS_STREAM_MOST];
    uint64_t blocks[2]; // of Dst that they write, low halves too
    uint8_t uses;       // how many blocks, without those
    struct {
        uint8_t block, first, last; // the first and the last word that write it
    } use[TS_STREAM_MOST];
    struct ts_rwc after; // the thread's counters behind all of them
};

struct ts_stream {
    uint8_t count; // words that were promised; 0: none
    uint8_t thread;
    ts_cycle from; // cycle of the first word
    const struct ts_stream_plan *plan;
};

// Does one of its words write this block of Dst?
static inline bool ts_stream_writes(const struct ts_stream *self, unsigned block)
{
    return __builtin_expect(self->count != 0, 0) &&
           self->plan->blocks[block / 64] >> block % 64 & 1;
}
// Executes the words that come before the current access, and resumes the front end for the next.
TS_SLOW_PATH void ts_stream_stop(struct ts_tensix *tensix, ts_cycle now);
// The front end resumes: executes all remaining words.
void ts_stream_end(struct ts_tensix *tensix, unsigned thread);

// The cycle from which on the front end steps again if its stream, from `from` to `due`, is cut now:
// the words before it are due.
static inline ts_cycle ts_stream_cut_at(const struct ts_component *front, ts_cycle from,
                                        ts_cycle due, ts_cycle now)
{
    ts_cycle at = ts_runs_before(front) ? now : now + 1;
    return at < from ? from : at > due ? due : at;
}

#endif
