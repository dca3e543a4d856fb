// Episodes: the recent past of a component, its last sleeps and its last work, for accounts of where time went.
//
//   producer --put--> ring of the last TS_LEDGER episodes --ended, stalled--> who accounts for its time
//
// Who produces them:
//   a sleep that has ended            sleep.c (note): every component with a ledger
//   stalls that a step went through   ts_stall_passed, and ts_stalls_passed for many at once
//   a poll                            ts_ledger_put, by a component that polls: it holds the sleeps within it
//   work                              ts_ledger_work, by components that sleep while they work
// Who reads them (platform/run):
//   ended, stalled, woken             loss.c: the component whose cycles a loss account explains (its root)
//   the rings                         loss_follow.c: chains of waits from the root, and the ends of a window
//
// A component without a ledger pays one predictable branch when a sleep ends. An episode is put when
// it has ended; the current sleep is in the component itself. Episodes of one component do not
// overlap, except that a core's polls hold the sleeps within them.
#pragma once

#include "platform/base/cycle.h"

// The closed list of reasons.
enum ts_stall {
#define TS_STALL(id, name, text, color) TS_STALL_##id,
#include "config/stall.def"
    TS_STALL_COUNT
};
const char *ts_stall_name(enum ts_stall reason);

struct ts_object;

#define TS_LEDGER 64

// The reason of an episode of work: of units that sleep while they work.
#define TS_WORKED TS_STALL_COUNT

struct ts_episode {
    ts_cycle from, to;          // to: the first cycle after the episode
    const struct ts_object *on; // NULL: idle, or work
    uint32_t detail;            // of a poll: the address
    uint32_t reason;            // enum ts_stall, or TS_WORKED
    ts_cycle sent;              // of a poll: another tile sent what ended it; 0: it did not
};

struct ts_ledger {
    struct ts_episode ring[TS_LEDGER];
    uint32_t count;
    ts_cycle accepted; // the last work was given to the unit then; it may begin later
    // The sleep that the current step has ended: it is put when the step is over. to 0: none.
    struct ts_episode ending;
    ts_cycle since; // when that sleep began
    // Called after an episode was put; NULL: nobody accounts for this component.
    void (*ended)(void *context, const struct ts_episode *episode);
    // The same for the stalls of ts_stalls_passed, all at once; NULL if `ended` is.
    void (*stalled)(void *context, const ts_cycle *at, unsigned count, ts_cycle now,
                    const struct ts_object *on);
    // Called before the step that ends a sleep, which may go ahead of its cycle; NULL: of no
    // interest.
    void (*woken)(void *context, ts_cycle now);
    void *context;
};

static inline struct ts_episode *ts_ledger_put(struct ts_ledger *self, uint32_t reason,
                                               const struct ts_object *on, ts_cycle from,
                                               ts_cycle to, uint32_t detail)
{
    struct ts_episode *episode = &self->ring[self->count++ % TS_LEDGER];
    *episode = (struct ts_episode){from, to, on, detail, reason, 0};
    return episode;
}

// The last episode, if it is work that goes on until `at`; else NULL.
static inline struct ts_episode *ts_ledger_works(struct ts_ledger *self, ts_cycle at)
{
    struct ts_episode *last = &self->ring[(self->count - 1) % TS_LEDGER];
    return last->reason == TS_WORKED && last->to == at && self->count ? last : NULL;
}

// Work that was accepted at `now`. Work follows work: one episode.
static inline void ts_ledger_work(struct ts_ledger *self, ts_cycle from, ts_cycle to, ts_cycle now)
{
    struct ts_episode *last = ts_ledger_works(self, from);
    if (last)
        last->to = to;
    else
        ts_ledger_put(self, TS_WORKED, NULL, from, to, 0);
    self->accepted = now;
    if (__builtin_expect(self->ended != NULL, 0))
        self->ended(self->context, &(struct ts_episode){from, to, NULL, 0, TS_WORKED, 0});
}
