// units/stream.h: MVMULs whose passing is certain, executed together.
//
//   gate of a thread --begin--> [ word word word ... ] one a cycle from `from` on
//                                        |
//                                 catch up: all that are due, on an access or at the end
//
// In a REPLAY of MVMULs, for many cycles only one word a cycle passes the gate. When the first of
// them can enter the matrix unit and no other thread needs it, the rest are promised: the front end
// does not step again before the last of them is due, and nothing is executed until then. Any
// access to state that the words write (Dst, the matrix unit, its counters), and any write of state
// that they depend on (configuration, banks, semaphore 1 of the lints), cuts the stream first: the
// words that are due by then are executed as of their own cycles, and the front end continues from
// there step by step. So a stream and steps give the same results; `run_ahead` off, the reference
// of the tests, has no streams.
//
// The front end's side is cores/frontend/stream.c, the matrix unit's units/matrix/stream.c.
//
// These cut a stream: the backend for words to MATRIX and VECTOR; PACK and UNPACK for Dst and
// UNPACR_NOP; VECTOR for what SFPLOADMACRO booked; ts_tensix_configure for registers that the
// matrix unit uses; sync for posts and gets that the lints count; the tile for Dst and status as
// cores see them, SETDVALID, STOREIND to Src and soft reset; the front end for pushes that would
// move; the kernel at the end of a run.
#ifndef TENSIM_UNITS_STREAM_H
#define TENSIM_UNITS_STREAM_H

#include "platform/kernel/component.h"
#include "units/files/rwc.h"

#define TS_STREAM_MOST 60 // words: less than the near future of the kernel's wheel

struct ts_tensix;

struct ts_stream {
    uint8_t count; // words that were promised; 0: none
    uint8_t thread;
    ts_cycle from;      // cycle of the first word
    uint64_t blocks[2]; // of Dst that they write, low halves too
    uint32_t words[TS_STREAM_MOST];
    uint8_t block[TS_STREAM_MOST];
    struct ts_rwc after; // the thread's counters behind all of them
    uint8_t row_a;       // SrcA row of the last one
};

// Does one of its words write this block of Dst?
static inline bool ts_stream_writes(const struct ts_stream *self, unsigned block)
{
    return __builtin_expect(self->count != 0, 0) && self->blocks[block / 64] >> block % 64 & 1;
}
// Executes the words that come before the current access, and resumes the front end for the next.
TS_SLOW_PATH void ts_stream_stop(struct ts_tensix *tensix, ts_cycle now);
// The front end resumes: executes all remaining words.
void ts_stream_end(struct ts_tensix *tensix, unsigned thread);

#endif
