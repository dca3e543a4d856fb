// The critical path of a run: the chain of work and waits that its last cycle depends on.
//
// It is walked backwards over the tape: what ended last, what had to end before that could begin (the
// work before it on its pipe, the set that it waited for, the tile in use, the instruction's issue),
// and so on to cycle 0.
// Inaccuracies: a scalar unit that waits for room in a full queue counts as issue.
#pragma once

#include "platform/study/pipe/run.h"

enum ts_path_kind { TS_STEP_WORK, TS_STEP_FLAG, TS_STEP_EVENT, TS_STEP_ISSUE, TS_STEP_KINDS };

struct ts_path_step {
    enum ts_path_kind kind;
    uint32_t event;    // of the tape
    ts_cycle from, to; // its part of the path
};

struct ts_pipe_path {
    struct ts_path_step *step; // from the first to the last
    uint32_t count;
    uint64_t total[TS_STEP_KINDS];
    uint64_t work[TS_CORES][TS_LANE_COUNT]; // cycles of work on the path, by pipe
    char bound[500];                        // what limits the run, in one or two sentences
};

// The counters of a cluster: two for each core and flag (A2/A3: both AIVs set the Cube's), then those of the
// local events, by core, setting pipe, waiting pipe and id.
enum {
    TS_TAPE_FLAGS = TS_CORES * TS_FLAG_IDS * 2,
    TS_TAPE_COUNTERS = TS_TAPE_FLAGS + TS_CORES * 8 * 8 * 8
};
// The counters that an event sets, or takes from if it waits; how many.
unsigned ts_tape_counters(const struct ts_tape_event *e, enum ts_profile profile, bool wait,
                          unsigned key[2]);

// The set that a wait takes, by event of the tape; number + 1, 0: none. [1] is the other AIV's on
// A2/A3.
struct ts_tape_match {
    uint32_t set[2];
};
struct ts_tape_match *ts_tape_matches(const struct ts_tape *tape, enum ts_profile profile);

void ts_pipe_path_find(struct ts_pipe_path *self, const struct ts_pipe_run *run,
                       const struct ts_tape *tape);
void ts_pipe_path_free(struct ts_pipe_path *self);
json_t *ts_pipe_path_json(const struct ts_pipe_path *self, const struct ts_tape *tape);

// What the page of a run draws besides: {fields, events: [[...], ...], flags: [[core, id], ...], ...}.
json_t *ts_pipe_drawing(const struct ts_pipe_run *run, const struct ts_tape *tape,
                        const struct ts_pipe_path *path, uint32_t clock_mhz);
