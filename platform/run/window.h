// The timed part of a low-level kernel: which zone of which thread, and what begins and ends with it.
#pragma once

#include "platform/run/work.h"

// By run type. The usual figure: the math thread's kernel from start to end, or the loop of the
// isolated thread. node: the unit whose cycles are accounted for (enum ts_loss_node).
extern const struct ts_job_timed {
    uint8_t thread, zone, node;
} ts_job_timed[TS_RUN_TYPES];

// Before the run: follows the threads' events.
void ts_job_window_watch(struct ts_job *job);
