// From a run to a program of `tensim explore`: the synchronisation operations of each core and each
// Tensix thread, in their order, as YAML.
//
// A core and its Tensix thread are separate threads. The recording does not say that an instruction
// is pushed after what the core did before, so more interleavings are explored than the machine has:
// a proof holds, but check whether a deadlock can happen. A poll's condition is read from the branch
// behind the load. What was still on its way when the run ended is in it, too. Not recorded: L1
// words other than the counters of circular buffers, MOP words that were not expanded yet.
#ifndef TENSIM_STUDY_HANG_RECORD_H
#define TENSIM_STUDY_HANG_RECORD_H

#include "platform/tile/follow.h"

#include <stdio.h>

#define TS_RECORD_OPS 200 // of a thread; later ones are left out, and the file says so

struct ts_recorder;

// Before the run.
struct ts_recorder *ts_recorder_new(struct ts_tile *tile);
void ts_recorder_free(struct ts_recorder *self);
// After it: at most `ops` operations of each thread (0: all that were kept).
void ts_recorder_write(struct ts_recorder *self, const char *name, unsigned ops, FILE *file);

#endif
