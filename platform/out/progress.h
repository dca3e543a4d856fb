// Progress of a long command on stderr: work done of work known, rate, time left.
//
//   ts_progress_new --> ts_progress_watch (a thread shows it) --> _add, _set from any thread
//                   or  ts_progress_tick from a loop that wakes often
//   --> ts_progress_free: the line is gone
//
// On a terminal one line, rewritten in place four times a second; otherwise a line every ten
// seconds. Nothing before the first period has passed, so short commands show nothing. All
// functions take NULL: a quiet command has no progress.
#pragma once

#include "platform/base/std.h"

struct ts_progress;

// `unit` is what is counted ("rows"); total 0: not known. NULL if quiet.
struct ts_progress *ts_progress_new(const char *unit, double total, bool quiet);
// Starts a thread that shows it. `look`, if not NULL, is called on it before each line, to fetch
// what others publish.
void ts_progress_watch(struct ts_progress *self, void (*look)(struct ts_progress *, void *),
                       void *context);
// Shows it if a period has passed.
void ts_progress_tick(struct ts_progress *self);

// From any thread. What was there before the command began (a resumed sweep) does not count for the
// rate.
void ts_progress_before(struct ts_progress *self, double done);
void ts_progress_add(struct ts_progress *self, double more);
void ts_progress_set(struct ts_progress *self, double done);
// The simulated cycle that is reached: shown with its rate.
void ts_progress_cycle(struct ts_progress *self, uint64_t cycle);

// Around other output to the terminal: removes the line and holds it back.
void ts_progress_hide(struct ts_progress *self);
void ts_progress_show(struct ts_progress *self);
void ts_progress_free(struct ts_progress *self);
