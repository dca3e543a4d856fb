// The ARC firmware as a matmul sees it: a word in L1 that asks for the highest throttle level.
#pragma once

#include "platform/base/error.h"
#include "platform/kernel/kernel.h"

struct ts_job;

// Adds the component that changes the word at the cycles of the job's flips, counted from `start`; TS_NEVER: from the start of
// the kernel on the math thread. Before elaboration.
bool ts_firmware_add(struct ts_job *job, ts_cycle start, struct ts_error *error);
