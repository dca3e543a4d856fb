// The worker processes of one rank.
//
//   ts_hands_give(index) --> queue --> a process runs it --> frame: result, lost, share
//
// A process serves many runs. When a run kills it or exceeds the time limit, that run is lost and a
// new process takes the place; runs that waited behind it go to the others.
#pragma once

#include "platform/crew/crew.h"

enum ts_frame_type {
    TS_FRAME_RESULT, // text: the row
    TS_FRAME_LOST,   // text: the row of a run that failed this way every time
    TS_FRAME_SHARE,  // number: completed share of the run
    TS_FRAME_HELLO,  // of a rank: index: its processes; code: its pid; text: what it runs, its host
    TS_FRAME_ALIVE,  // of a rank, every second
};

// What a worker, or a rank, says.
struct ts_frame {
    uint32_t type, length; // of the text
    uint64_t index;        // of the run
    double number;         // seconds that the run took; share
    int64_t code;          // of the row
    char text[];
};

typedef void ts_frame_taker(void *context, unsigned from, const struct ts_frame *frame);

struct ts_hands;
struct uv_loop_s;

// `crew` has the number of processes, the time limit and the lock that children give up. The loop is
// the caller's: what else it watches is seen in ts_hands_wait, too.
struct ts_hands *ts_hands_new(const struct ts_crew *crew, const struct ts_crew_list *list,
                              struct uv_loop_s *loop);
// Starts all processes now. False: errno.
bool ts_hands_start(struct ts_hands *self);
void ts_hands_give(struct ts_hands *self, size_t index);
// Waits up to `ms` for frames and hands them to `take`. False: no process can be started; errno.
bool ts_hands_wait(struct ts_hands *self, int ms, ts_frame_taker *take, void *context);
// Runs given and not yet done.
size_t ts_hands_busy(const struct ts_hands *self);
// Seconds that a run takes, from the last ones; 0: none has ended.
double ts_hands_mean(const struct ts_hands *self);
// Kills the processes.
void ts_hands_free(struct ts_hands *self);
