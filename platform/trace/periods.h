// The chip over time, for the map of a report: cycles of work, or of waiting, of chosen objects of all
// domains. A writer on the trace bus that keeps sums instead of records.
//
// Time is cut into at most TS_PERIODS pieces of equal length, which doubles whenever the run outgrows
// them, so memory does not depend on its length. The sums of an object's periods are its account.
#pragma once

#include "platform/kernel/component.h"
#include "platform/kernel/trace.h"

#define TS_PERIODS 48u

enum ts_periods_what {
    TS_PERIODS_NOTHING,
    TS_PERIODS_BUSY,
    TS_PERIODS_WAITS, // for whatever reason
};

struct ts_periods_row {
    const struct ts_object *object;
    enum ts_periods_what what;
    uint64_t cycles[TS_PERIODS];
};

struct ts_periods {
    struct ts_trace_writer base;
    uint32_t *index; // by object: of its row, plus 1
    struct ts_periods_row *rows;
    size_t count;
    ts_cycle bin; // cycles of a period
};

// For a kernel that is elaborated: what is kept of each object. NULL: out of memory. Its close does
// not free it: what it kept is read afterwards.
struct ts_periods *ts_periods_new(const struct ts_kernel *kernel,
                                  enum ts_periods_what (*wanted)(const struct ts_object *object));
void ts_periods_free(struct ts_periods *self);
// Periods of a run of `span` cycles; the last one may be shorter than the others.
uint32_t ts_periods_count(const struct ts_periods *self, ts_cycle span);
