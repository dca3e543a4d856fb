// The tiles of a run against each other: the slowest, the median and the fastest, why the slowest is behind, and whether the
// cores have different amounts of work.
//
// A tile's cycles are those up to the end of its last kernel. Why: the cause of the loss account (loss.h) that has most more
// cycles in the slowest tile than in the median one; or more work. A block of work is the greatest common divisor of what
// the packers of the cores wrote.
#ifndef TENSIM_RUN_RANKING_H
#define TENSIM_RUN_RANKING_H

#include "platform/base/cycle.h"

#include <jansson.h>
#include <stdio.h>

struct ts_work;

enum ts_ranked { TS_SLOWEST, TS_MEDIAN, TS_FASTEST, TS_RANKED };

struct ts_ranking {
    uint32_t tiles; // with work; below 2 there is nothing to rank
    struct {
        char name[12]; // "4-7"
        ts_cycle cycles;
        double behind; // of the median, percent
    } at[TS_RANKED];
    char cause[280]; // why the slowest is behind; "": it is not
    char work[160];  // "13 of 117 cores have 2 blocks of work, the others 1"; "": all have the same
};

// After the run, when the window is closed.
void ts_ranking_make(struct ts_ranking *self, const struct ts_work *work);
void ts_ranking_print(const struct ts_ranking *self, FILE *file);
// {slowest, median, fastest: {tile, cycles, behind_percent}, cause, work}; NULL: there is nothing to rank.
json_t *ts_ranking_json(const struct ts_ranking *self);
// Cycles of a tile up to the end of its last kernel.
ts_cycle ts_ranking_cycles(const struct ts_work *work, uint32_t tile);

#endif
