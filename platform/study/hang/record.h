// From a run to a small program (load/script.h) for `tensim run --explore`: the synchronisation steps of each
// core and each Tensix thread, in their order.
//
//   commits of a core --> polls, semaphores, mailboxes, pages, pushes --> trisc0
//   words that pass a thread's gate, each with the number of its push  --> T0
//
// A core and its Tensix thread are separate threads. issue says when the core has pushed what its
// thread does next, drain when the FIFO has no room and where the core waits for the thread: the
// recording has the order between a core and its pushes. A wait of a core is found in its commits: a
// load, and a branch on what was loaded that goes back to the load (record_core.c). What was still on
// its way when the run ended is in it, too.
//
// What passes a gate while all other cores are in reset is BRISC's set-up: the initial state.
//
// Not recorded: L1 words other than the counters of circular buffers, MOP words that were not
// expanded yet, waits that are computed from several loads. BRISC's later pushes count as pushed by
// the thread's own core.
#pragma once

#include "platform/tile/follow.h"

#define TS_RECORD_OPS 100000 // of a thread; later ones are left out, and the file says so

struct ts_recorder;

// Before the run.
struct ts_recorder *ts_recorder_new(struct ts_tile *tile);
void ts_recorder_free(struct ts_recorder *self);
// After it: at most `ops` operations of each thread (0: all that were kept). `command` is the run's
// command line, or NULL.
void ts_recorder_write(struct ts_recorder *self, const char *name, const char *command,
                       unsigned ops, FILE *file);
