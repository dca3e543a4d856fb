// The rounds of a parked core (park.c): the state before a poll as one number, and what a round from there
// to the same state adds to times, instructions, stalls and counters.
#pragma once

#include "cores/riscv/record.h"

// Everything that decides how the core continues, with times relative to now; all times in the past are equal.
uint64_t ts_rv_state_digest(const struct ts_rv_core *core);

// The first load of what may become a poll.
void ts_rv_poll_begins(struct ts_rv_core *core, ts_cycle entered);
// Cycles lost to its own stalls before the load that is noted.
void ts_rv_own_lost(const struct ts_rv_core *core, uint64_t lost[TS_RV_OWN_STALLS]);

// The totals before a round, and what the round has added that began with them.
void ts_rv_put_totals(const struct ts_rv_core *core, struct ts_rv_round *totals);
void ts_rv_put_round(const struct ts_rv_core *core, const struct ts_rv_round *before,
                     struct ts_rv_round *adds);

// Moves the entire pipeline by a number of rounds.
void ts_rv_shift(struct ts_rv_core *core, const struct ts_rv_round *round, uint64_t rounds);
// The rounds that were advanced: the pipeline follows. False: there were none.
bool ts_rv_catch_up(struct ts_rv_core *core);
// So many rounds more, with a delay of the load in each.
static inline void ts_rv_owe(struct ts_rv_core *core, uint64_t delay, uint64_t rounds)
{
    core->watch.entered += rounds * core->watch.round[delay].adds.cycles;
    core->watch.round[delay].owed += rounds;
    core->watch.delay = (uint8_t)delay;
}
