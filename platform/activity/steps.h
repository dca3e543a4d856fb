// Steps of activity: how many matrix units start or stop together, and what precedes it. Counts of cycles only: no calibration,
// no watts, no millivolts, no prediction of a hang.
//
// Definitions. a_i(t) is 1 if tile i executes an MVMUL in cycle t, A(t) their sum, N the tiles that execute any MVMUL in the
// run. A is 0 before and after the run. The window is from the first to the last MVMUL of any tile. A length of w ns is
// max(1, round(w x MHz / 1000)) cycles.
//   rise, fall   R(w) = max over t of [sum of A over [t, t + w) - sum of A over [t - w, t)] / w, in tiles; F(w) the same for
//                the opposite sign. `at` is the first t with the maximum; `tiles` are those that have more (of a fall:
//                fewer) MVMULs in the second span.
//   transition   a longest row of t with a mean of A below 10 % of N over [t - w, t) and above 60 % over [t, t + w)
//   common idle  a longest span inside of the window with A < 10 % of N in each cycle
//   block        of a tile: its MVMULs without a gap of TS_STEPS_BLOCK cycles or more. Spread of block k: last minus first
//                of the tiles' first MVMULs of it, for the k that all N tiles have.
//   duty         of a tile: its MVMULs / cycles of the window. Gaps are those between two MVMULs of a tile.
#pragma once

#include "platform/activity/activity.h"

#include <jansson.h>

#define TS_STEPS_LENGTHS 5   // 1, 10, 100 ns, 1, 10 us
#define TS_STEPS_BLOCK   256 // cycles of a gap that divides blocks
#define TS_STEPS_SPANS   24  // of the histogram of common idle: from 2^i cycles on

extern const unsigned ts_activity_steps_ns[TS_STEPS_LENGTHS];

struct ts_step_of {
    ts_cycle cycles; // w
    int64_t sum;     // R(w) x w, in tile cycles
    ts_cycle at;     // t
    uint32_t tiles;  // that have more, or fewer, MVMULs behind t than before
};

struct ts_activity_steps {
    uint32_t used, chip; // N; tiles of all chips, with those that have nothing to do
    ts_cycle from, to;   // the window; both 0: there is no MVMUL
    uint64_t mvmuls;
    uint32_t most; // max of A
    struct ts_step_of rise[TS_STEPS_LENGTHS], fall[TS_STEPS_LENGTHS];
    uint64_t transitions[TS_STEPS_LENGTHS];
    ts_cycle idle, idle_at;              // the longest span, and where it begins
    uint64_t idle_spans[TS_STEPS_SPANS]; // spans of 2^i to 2^(i+1) - 1 cycles
    uint64_t blocks;                     // that all tiles have
    ts_cycle spread, spread_first;       // the largest, and that of the first block
    double deviation; // standard deviation of the starts in the block with the largest spread
    double duty_least, duty_most;
    ts_cycle run, gap; // the longest of any tile
};

// After ts_activity_stop. False: out of memory.
bool ts_activity_steps_make(struct ts_activity_steps *self, const struct ts_activity *activity,
                            unsigned clock_mhz);

// report.c: what a run reports of its activity; config/text.def has its lines.
// Adds the figures that sweeps compare (step_ns1, step_ns10, step_ns100, step_us1: R(w) in tiles; idle_common and start_spread in
// cycles) and "activity": everything else, with the chip over time. False: out of memory.
bool ts_activity_steps_json(const struct ts_activity_steps *self,
                            const struct ts_activity *activity, unsigned clock_mhz,
                            json_t *document);
