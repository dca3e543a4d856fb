// What an actor knows of all others: vector clocks. The time of an actor is the cycle of its last access that
// is known to be done.
//
// A clock is dense for the actors of its own tile (its home). Of other tiles it has what their cores knew when they last sent
// something that arrived: a pair of a lane and that core's own part, shared by all clocks that have it. A later pair of a
// lane includes all earlier ones. Clocks and their parts have reference counts and are constant while more than one actor holds
// them: packets take them to other tiles and threads.
#pragma once

#include "platform/check/actors.h"

#include <stdatomic.h>

#define TS_VCLOCK_ACTORS ((TS_ACTORS + 15) / 16 * 16) // loops over them are of vectors

// How far each actor of one tile is known.
struct ts_vclock_own {
    atomic_uint holders;
    uint32_t at[TS_VCLOCK_ACTORS];
};

// A way on which a core's news leave its tile: its NoC; and for writes over a static channel, behind which writes they come.
#define TS_LANE(core, noc)    ((uint16_t)((core) << 7 | (noc) << 6))
#define TS_LANE_SHOWN         TS_LANE(7, 0) // of no core: what its words have that others read
#define TS_LANE_BEHIND(id)    (0x20u | (id))
#define TS_LANE_BEHIND_POSTED 0x10u
// The message is a write: its source has been read.
#define TS_LANE_SENT(id)    (0x400u | (id))
#define TS_LANE_SENT_POSTED 0x800u
// The message went to its tile over another static channel than the one before: their order is open.
#define TS_LANE_CROSSED 0x2000u
// By an Ethernet queue: what came before it on the queue has been read and has landed.
#define TS_LANE_ETH(core, queue) ((uint16_t)(0x1000u | (core) << 7 | (queue)))
#define TS_LANE_KEY(home, lane)  ((uint32_t)(home) << 16 | (lane))

// The clock that the last message on a lane carried.
struct ts_vclock_far {
    uint32_t who; // TS_LANE_KEY
    uint32_t at;
    struct ts_vclock_own *own; // NULL: nothing but the lane's own actors
};

// Many clocks share one list: most changes are of actors of the own tile. `print`: a sum over its pairs, which differs if they
// do.
struct ts_vclock_fars {
    atomic_uint holders;
    uint32_t count;
    uint64_t print;
    struct ts_vclock_far list[];
};

#define TS_VCLOCK_HEARD 4
struct ts_vclock {
    atomic_uint holders;
    uint16_t home;
    struct ts_vclock_own *own;   // NULL: nothing
    struct ts_vclock_fars *fars; // NULL: none
    // Lists that say nothing new, by their prints: that stays so, since a clock forgets nothing. 0: none.
    _Atomic uint64_t heard[TS_VCLOCK_HEARD];
};

// What an actor knew at one time: a clock, and the actor's own identities up to that time.
#define TS_KNOWN_SELF 3
struct ts_known {
    struct ts_vclock *clock;
    uint32_t at;
    uint16_t lane;               // on which it leaves its tile
    uint8_t self[TS_KNOWN_SELF]; // TS_ACTOR_NOBODY: no more
};

// Nothing is known. NULL: out of memory.
struct ts_vclock *ts_vclock_new(unsigned home);
struct ts_vclock *ts_vclock_hold(struct ts_vclock *self);
void ts_vclock_drop(struct ts_vclock *self); // NULL: does nothing

// How far an actor is known; one of another tile.
uint32_t ts_vclock_far_at(const struct ts_vclock *self, unsigned home, unsigned actor);
static inline uint32_t ts_vclock_at(const struct ts_vclock *self, unsigned home, unsigned actor)
{
    return home != self->home ? ts_vclock_far_at(self, home, actor)
           : self->own        ? self->own->at[actor]
                              : 0;
}
static inline bool ts_known_covers(const struct ts_known *self, unsigned home, unsigned actor,
                                   uint32_t at)
{
    if (ts_vclock_at(self->clock, home, actor) >= at)
        return true;
    for (unsigned i = 0; home == self->clock->home && i < TS_KNOWN_SELF; i++)
        if (self->self[i] == actor && self->at >= at)
            return true;
    return false;
}

// *self learns that the actor of its own home is done up to `at`; or all that `known` says. If others
// hold the clock, *self becomes a copy. True: there was something new.
bool ts_vclock_learn(struct ts_vclock **self, unsigned actor, uint32_t at);
bool ts_vclock_join(struct ts_vclock **self, const struct ts_known *known);
// Something that orders accesses (NULL: nobody has released it) gets what somebody knows. `keeps`: in addition to
// what it has. `home`: where it is.
void ts_vclock_release(struct ts_vclock **self, unsigned home, const struct ts_known *known,
                       bool keeps);

// As bytes, and back: for another process. NULL: out of memory.
struct ts_bytes;
void ts_vclock_pack(const struct ts_vclock *self, struct ts_bytes *to);
struct ts_vclock *ts_vclock_unpack(const void *bytes, size_t length);
