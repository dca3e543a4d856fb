// A crew of threads for many runs that do not know of each other: rows, seeds, points.
#ifndef TENSIM_BASE_CREW_H
#define TENSIM_BASE_CREW_H

#include <stdbool.h>
#include <stddef.h>

#define TS_CREW_THREADS 64 // at most, in addition to the caller's

// One run. Returns false to skip every index that has not begun.
typedef bool ts_crew_work(void *context, size_t index);

// Calls `work` for every index below `count`, on the caller's thread and up to `threads` - 1 others;
// returns when all have ended. They begin in order of index: when one begins, all below it have
// begun. So what the lowest index decides does not depend on the number of threads.
void ts_crew_run(size_t count, unsigned threads, ts_crew_work *work, void *context);

#endif
