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

static void drop_fars(struct ts_vclock_fars *fars)
{
    if (fars && atomic_fetch_sub_explicit(&fars->holders, 1, memory_order_acq_rel) == 1)
        free(fars);
}

void ts_vclock_drop(struct ts_vclock *self)
{
    if (self == NULL || atomic_fetch_sub_explicit(&self->holders, 1, memory_order_acq_rel) != 1)
        return;
    drop_fars(self->fars);
    free(self);
}

// The place of the first pair that is not before `who`.
static uint32_t find(const struct ts_vclock_fars *fars, uint32_t who)
{
    uint32_t low = 0, high = fars ? fars->count : 0;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (fars->list[middle].who < who)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t ts_vclock_far_at(const struct ts_vclock *self, uint32_t who)
{
    uint32_t place = find(self->fars, who);
    return self->fars && place < self->fars->count && self->fars->list[place].who == who
               ? self->fars->list[place].at
               : 0;
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
    copy->fars = old->fars;
    if (copy->fars)
        atomic_fetch_add_explicit(&copy->fars->holders, 1, memory_order_relaxed);
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

// All pairs of another list, both in order: one pass. `from` has no pair of the own home.
static bool merge_far(struct ts_vclock **self, const struct ts_vclock_far *from, uint32_t count)
{
    const struct ts_vclock_fars *before = (*self)->fars;
    const struct ts_vclock_far *mine = before ? before->list : NULL;
    const uint32_t had = before ? before->count : 0;
    uint32_t i = 0, k = 0, n = 0;
    bool more = false;
    while (k < count && !more) { // is there anything new?
        while (i < had && mine[i].who < from[k].who)
            i++;
        more = i == had || mine[i].who != from[k].who || mine[i].at < from[k].at;
        k++;
    }
    struct ts_vclock_fars *fars = more ? malloc(sizeof *fars + (had + count) * sizeof *fars->list)
                                       : NULL;
    if (fars == NULL || !own(self)) {
        free(fars);
        return false;
    }
    for (i = k = 0; i < had || k < count; n++) {
        if (k == count || (i < had && mine[i].who < from[k].who)) {
            fars->list[n] = mine[i++];
        } else if (i == had || from[k].who < mine[i].who) {
            fars->list[n] = from[k++];
        } else {
            fars->list[n] = mine[i].at < from[k].at ? from[k] : mine[i];
            i++, k++;
        }
    }
    atomic_init(&fars->holders, 1);
    fars->count = n;
    drop_fars((*self)->fars);
    (*self)->fars = fars;
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

// Do other tiles care? Of a core: its loads, and its stores to L1; of a unit: not of the gate.
static bool matters(unsigned actor)
{
    if (actor < TS_ACTOR_THREAD_FIRST)
        return actor % TS_REGIONS <= TS_REGION_L1;
    return actor >= TS_ACTOR_NOC_FIRST || (actor - TS_ACTOR_THREAD_FIRST) % TS_ACTOR_UNITS != 0;
}

// What another home knows: its own actors are pairs here, and some of its pairs are own actors.
static bool merge_other(struct ts_vclock **self, const struct ts_known *known)
{
    const struct ts_vclock *from = known->clock;
    const struct ts_vclock_fars *fars = from->fars != (*self)->fars ? from->fars : NULL;
    const uint32_t home = (*self)->home, total = fars ? fars->count : 0;
    const uint32_t middle = find(fars, (uint32_t)from->home << 8), first = find(fars, home << 8),
                   last = find(fars, (home + 1) << 8);
    struct ts_vclock_far *list = malloc((total + TS_ACTORS) * sizeof *list);
    uint32_t count = 0;
    bool more = false;
    for (uint32_t i = 0; list && i <= total; i++) {
        for (uint32_t k = 0; i == middle && k < TS_ACTORS; k++) { // its own actors
            uint32_t at = from->own[k];
            for (unsigned n = 0; n < TS_KNOWN_SELF && known->self[n] != TS_ACTOR_NOBODY; n++)
                at = known->self[n] == k && known->at > at ? known->at : at;
            if (at && matters(k))
                list[count++] = (struct ts_vclock_far){(uint32_t)from->home << 8 | k, at};
        }
        if (i < total && i - first >= last - first)
            list[count++] = fars->list[i];
    }
    for (uint32_t i = first; i < last; i++)
        more |= ts_vclock_learn(self, fars->list[i].who & 0xff, fars->list[i].at);
    more |= count && merge_far(self, list, count);
    free(list);
    return more;
}

bool ts_vclock_join(struct ts_vclock **self, const struct ts_known *known)
{
    const struct ts_vclock *from = known->clock;
    const bool same = from->home == (*self)->home;
    bool news = known->self[0] == TS_ACTOR_NOBODY, more = false;
    // Who knows the others up to this time has joined this before.
    for (unsigned i = 0; i < TS_KNOWN_SELF && known->self[i] != TS_ACTOR_NOBODY; i++)
        news |= (same || matters(known->self[i])) &&
                ts_vclock_at(*self, from->home, known->self[i]) < known->at;
    if (!news)
        return false;
    if (!same)
        return merge_other(self, known);
    if (from != *self)
        more = merge_own(self, from) | (from->fars && from->fars != (*self)->fars &&
                                        merge_far(self, from->fars->list, from->fars->count));
    for (unsigned i = 0; i < TS_KNOWN_SELF && known->self[i] != TS_ACTOR_NOBODY; i++)
        more |= ts_vclock_learn(self, known->self[i], known->at);
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
