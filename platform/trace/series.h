// Sums over time, in a fixed number of bins whose length doubles whenever the time outgrows them: memory does not depend on
// the length of a run.
#pragma once

#include "platform/base/cycle.h"

#define TS_SERIES_SHIFT 6 // of the cycles of a bin, at first

struct ts_series {
    uint64_t *sums; // of each bin; NULL: nothing was added
    unsigned shift; // a bin has 1 << shift cycles
};

// Adds `sum` to the cycles [from, from + cycles), spread evenly over `bins` bins. False: out of memory.
bool ts_series_add(struct ts_series *self, uint32_t bins, ts_cycle from, ts_cycle cycles,
                   uint64_t sum);
// Makes its bins as long as others that are longer.
void ts_series_widen(struct ts_series *self, uint32_t bins, unsigned shift);
void ts_series_free(struct ts_series *self);
