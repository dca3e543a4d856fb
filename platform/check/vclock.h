// What an actor knows of all others: vector clocks. The time of an actor is the cycle of its last access that
// is known to be done.
//
// A clock is dense for the actors of its own tile (its home) and has sorted pairs for all others. It is counted,
// and never changed while somebody else holds it: packets take it to other tiles and threads.
#ifndef TENSIM_CHECK_VCLOCK_H
#define TENSIM_CHECK_VCLOCK_H

#include "platform/check/actors.h"

#include <stdatomic.h>
#include <stdbool.h>

// An actor of any tile, and how far it is known.
struct ts_vclock_far {
    uint32_t who; // home << 8 | actor
    uint32_t at;
};

// Many clocks share one list: most changes are of actors of the own tile.
struct ts_vclock_fars {
    atomic_uint holders;
    uint32_t count;
    struct ts_vclock_far list[];
};

struct ts_vclock {
    atomic_uint holders;
    uint16_t home;
    struct ts_vclock_fars *fars; // NULL: none
    uint32_t own[TS_ACTORS];
};

// What somebody knew at one time: a clock, and the actors that he himself is, up to that time.
#define TS_KNOWN_SELF 3
struct ts_known {
    struct ts_vclock *clock;
    uint32_t at;
    uint8_t self[TS_KNOWN_SELF]; // TS_ACTOR_NOBODY: no more
};

// Nothing is known. NULL: out of memory.
struct ts_vclock *ts_vclock_new(unsigned home);
struct ts_vclock *ts_vclock_hold(struct ts_vclock *self);
void ts_vclock_drop(struct ts_vclock *self); // NULL: does nothing

// How far `who` is known.
uint32_t ts_vclock_far_at(const struct ts_vclock *self, uint32_t who);
static inline uint32_t ts_vclock_at(const struct ts_vclock *self, unsigned home, unsigned actor)
{
    return home == self->home ? self->own[actor]
                              : ts_vclock_far_at(self, (uint32_t)home << 8 | actor);
}
static inline bool ts_known_covers(const struct ts_known *self, unsigned home, unsigned actor,
                                   uint32_t at)
{
    const struct ts_vclock *clock = self->clock;
    if (home == clock->home) {
        if (clock->own[actor] >= at)
            return true;
        for (unsigned i = 0; i < TS_KNOWN_SELF; i++)
            if (self->self[i] == actor && self->at >= at)
                return true;
        return false;
    }
    return ts_vclock_far_at(clock, (uint32_t)home << 8 | actor) >= at;
}

// *self learns that the actor of its own home is done up to `at`; or all that `known` says. If others
// hold the clock, *self becomes a copy. True: there was something new.
bool ts_vclock_learn(struct ts_vclock **self, unsigned actor, uint32_t at);
bool ts_vclock_join(struct ts_vclock **self, const struct ts_known *known);
// Something that orders accesses (NULL: nobody has released it) gets what somebody knows. `keeps`: in addition to
// what it has.
void ts_vclock_release(struct ts_vclock **self, const struct ts_known *known, bool keeps);

#endif
