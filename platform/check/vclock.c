// Vector clocks; see vclock.h.
#include "platform/check/vclock.h"

#include <stdlib.h>
#include <string.h>

struct ts_vclock *ts_vclock_new(unsigned home)
{
    struct ts_vclock *self = calloc(1, sizeof *self);
    if (self) {
        atomic_init(&self->holders, 1);
        self->home = (uint16_t)home;
    }
    return self;
}

struct ts_vclock *ts_vclock_hold(struct ts_vclock *self)
{
    atomic_fetch_add_explicit(&self->holders, 1, memory_order_relaxed);
    return self;
}

void ts_vclock_drop(struct ts_vclock *self)
{
    if (self == NULL || atomic_fetch_sub_explicit(&self->holders, 1, memory_order_acq_rel) != 1)
        return;
    free(self->far);
    free(self);
}

// The place of the first pair that is not before `who`.
static uint32_t find(const struct ts_vclock *self, uint32_t who)
{
    uint32_t low = 0, high = self->far_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (self->far[middle].who < who)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t ts_vclock_far_at(const struct ts_vclock *self, uint32_t who)
{
    uint32_t place = find(self, who);
    return place < self->far_count && self->far[place].who == who ? self->far[place].at : 0;
}

// A clock that only *self holds. False: out of memory, and *self keeps what it had.
static bool own(struct ts_vclock **self)
{
    struct ts_vclock *old = *self;
    if (atomic_load_explicit(&old->holders, memory_order_acquire) == 1)
        return true;
    struct ts_vclock *copy = ts_vclock_new(old->home);
    if (copy == NULL)
        return false;
    memcpy(copy->own, old->own, sizeof copy->own);
    if (old->far_count) {
        copy->far = malloc(old->far_count * sizeof *copy->far);
        if (copy->far == NULL) {
            free(copy);
            return false;
        }
        memcpy(copy->far, old->far, old->far_count * sizeof *copy->far);
        copy->far_count = old->far_count;
    }
    ts_vclock_drop(old);
    *self = copy;
    return true;
}

bool ts_vclock_learn(struct ts_vclock **self, unsigned actor, uint32_t at)
{
    if ((*self)->own[actor] >= at || !own(self))
        return false;
    (*self)->own[actor] = at;
    return true;
}

// The same for any actor.
static bool learn_any(struct ts_vclock **self, uint32_t who, uint32_t at)
{
    if (who >> 8 == (*self)->home)
        return ts_vclock_learn(self, who & 0xff, at);
    uint32_t place = find(*self, who);
    bool there = place < (*self)->far_count && (*self)->far[place].who == who;
    if ((there && (*self)->far[place].at >= at) || !own(self))
        return false;
    struct ts_vclock *clock = *self;
    if (!there) {
        struct ts_vclock_far *far = realloc(clock->far, (clock->far_count + 1) * sizeof *far);
        if (far == NULL)
            return false;
        memmove(far + place + 1, far + place, (clock->far_count - place) * sizeof *far);
        clock->far = far;
        clock->far_count++;
    }
    clock->far[place] = (struct ts_vclock_far){who, at};
    return true;
}

// All pairs of another clock, both lists in order: one pass. `from` has no pair of the own home.
static bool merge_far(struct ts_vclock **self, const struct ts_vclock_far *from, uint32_t count)
{
    const struct ts_vclock_far *mine = (*self)->far;
    const uint32_t had = (*self)->far_count;
    uint32_t i = 0, k = 0, n = 0;
    bool more = false;
    while (k < count && !more) { // is there anything new?
        while (i < had && mine[i].who < from[k].who)
            i++;
        more = i == had || mine[i].who != from[k].who || mine[i].at < from[k].at;
        k++;
    }
    struct ts_vclock_far *far = more ? malloc((had + count) * sizeof *far) : NULL;
    if (far == NULL || !own(self)) {
        free(far);
        return false;
    }
    mine = (*self)->far;
    for (i = k = 0; i < had || k < count; n++) {
        if (k == count || (i < had && mine[i].who < from[k].who)) {
            far[n] = mine[i++];
        } else if (i == had || from[k].who < mine[i].who) {
            far[n] = from[k++];
        } else {
            far[n] = mine[i].at < from[k].at ? from[k] : mine[i];
            i++, k++;
        }
    }
    free((*self)->far);
    (*self)->far = far;
    (*self)->far_count = n;
    return true;
}

// Another clock of the same home.
static bool merge_own(struct ts_vclock **self, const struct ts_vclock *from)
{
    unsigned first = 0;
    while (first < TS_ACTORS && (*self)->own[first] >= from->own[first])
        first++;
    if (first == TS_ACTORS || !own(self))
        return false;
    for (unsigned i = first; i < TS_ACTORS; i++)
        if ((*self)->own[i] < from->own[i])
            (*self)->own[i] = from->own[i];
    return true;
}

// A clock of another home: its own actors are pairs here, and some of its pairs are own actors.
static bool merge_other(struct ts_vclock **self, const struct ts_vclock *from)
{
    struct ts_vclock_far list[TS_ACTORS], *rest = from->far;
    uint32_t count = 0, home = (*self)->home, first, last;
    bool more = false;
    for (uint32_t i = 0; i < TS_ACTORS; i++)
        if (from->own[i])
            list[count++] = (struct ts_vclock_far){(uint32_t)from->home << 8 | i, from->own[i]};
    more |= count && merge_far(self, list, count);
    first = find(from, home << 8);
    last = find(from, (home + 1) << 8);
    for (uint32_t i = first; i < last; i++)
        more |= ts_vclock_learn(self, rest[i].who & 0xff, rest[i].at);
    more |= first && merge_far(self, rest, first);
    more |= last < from->far_count && merge_far(self, rest + last, from->far_count - last);
    return more;
}

bool ts_vclock_join(struct ts_vclock **self, const struct ts_known *known)
{
    const struct ts_vclock *from = known->clock;
    const bool named = known->self[0] != TS_ACTOR_NOBODY;
    bool news = !named, more = false;
    // Who knows the others up to this time has joined this before.
    for (unsigned i = 0; i < TS_KNOWN_SELF && known->self[i] != TS_ACTOR_NOBODY; i++)
        news |= ts_vclock_at(*self, from->home, known->self[i]) < known->at;
    if (!news)
        return false;
    if (from != *self && from->home != (*self)->home)
        more = merge_other(self, from);
    else if (from != *self)
        more = merge_own(self, from) |
               (from->far_count && merge_far(self, from->far, from->far_count));
    for (unsigned i = 0; i < TS_KNOWN_SELF && known->self[i] != TS_ACTOR_NOBODY; i++)
        more |= learn_any(self, (uint32_t)from->home << 8 | known->self[i], known->at);
    return more;
}

void ts_vclock_release(struct ts_vclock **self, const struct ts_known *known, bool keeps)
{
    struct ts_vclock *before = *self;
    *self = ts_vclock_hold(known->clock);
    ts_vclock_join(self, known);
    if (keeps && before)
        ts_vclock_join(self, &(struct ts_known){.clock = before, .self = {TS_ACTOR_NOBODY}});
    ts_vclock_drop(before);
}
