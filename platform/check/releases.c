// What writers of a word knew; see check.h.
#include "platform/check/check.h"

static void clear(struct ts_releases *self)
{
    for (unsigned i = 0; i < self->count; i++)
        ts_vclock_drop(self->list[i].clock);
    self->count = 0;
    ts_vclock_drop(self->base);
    self->base = NULL;
}

void ts_releases_free(struct ts_releases *self)
{
    clear(self);
    free(self->list);
    self->list = NULL;
    self->room = 0;
}

// Room for one more: the oldest one goes to the base.
static bool make_room(struct ts_releases *self, unsigned home)
{
    if (self->count == TS_RELEASES_MOST) {
        struct ts_release *old = &self->list[0];
        if (old->clock)
            ts_vclock_release(&self->base, home,
                              &(struct ts_known){.clock = old->clock, .self = {TS_ACTOR_NOBODY}},
                              old->adds);
        ts_vclock_drop(old->clock);
        self->first = old->value;
        memmove(self->list, self->list + 1, --self->count * sizeof *self->list);
    }
    if (self->count < self->room)
        return true;
    const unsigned room = self->room ? 2u * self->room : 4;
    struct ts_release *list = realloc(self->list, room * sizeof *list);
    if (list == NULL)
        return false;
    self->list = list;
    self->room = (uint16_t)room;
    return true;
}

void ts_releases_add(struct ts_releases *self, unsigned home, const struct ts_known *known,
                     uint32_t value, bool adds)
{
    const struct ts_release *last = self->count ? &self->list[self->count - 1] : NULL;
    struct ts_release entry = {.value = value,
                               .at = known->at,
                               .home = known->clock->home,
                               .actor = known->self[0],
                               .proof = known->self[2] == TS_ACTOR_NOBODY ? known->self[0]
                                                                          : known->self[2],
                               .adds = adds};
    // A value that the same writer has set before counts on; all else begins anew.
    if (!adds && !(last && !last->adds && last->home == entry.home && last->actor == entry.actor))
        clear(self);
    if (!make_room(self, home))
        return;
    ts_vclock_release(&entry.clock, home, known, false);
    self->list[self->count++] = entry;
}

// Would the wait have ended with a value that is `less` than the one it ended with? Counters have 16 bits.
static bool enough(uint32_t less, uint32_t spare)
{
    return spare ? (less & 0xffff) <= spare : less == 0;
}

// A value that was set: the first of the last ones that are enough.
static void wait_value(const struct ts_releases *self, uint32_t value, uint32_t spare,
                       ts_releases_get *gets, void *context)
{
    unsigned i = self->count - 1;
    while (i > 0 && !self->list[i - 1].adds && enough(value - self->list[i - 1].value, spare))
        i--;
    gets(context, self->list[i].clock);
}

void ts_releases_wait(const struct ts_releases *self, uint32_t value, uint32_t spare,
                      ts_releases_get *gets, void *context)
{
    unsigned from = self->count;
    uint32_t first = self->first;
    if (self->base)
        gets(context, self->base);
    if (self->count && !self->list[self->count - 1].adds) {
        wait_value(self, value, spare, gets, context);
        return;
    }
    while (from > 0 && self->list[from - 1].adds)
        from--;
    if (from > 0) { // what the increments count from
        gets(context, self->list[from - 1].clock);
        first = self->list[from - 1].value;
    }
    // Who takes credits away adds less than nothing.
    const int32_t total = (int32_t)(self->count ? self->list[self->count - 1].value - first : 0),
                  needs = total > (int32_t)spare ? total - (int32_t)spare : 0;
    for (unsigned i = from; i < self->count; i++) {
        // Of each sender once: at its last increment.
        int32_t own = 0;
        uint32_t before = first;
        bool later = false;
        if (needs == total) // every increment was needed, whichever way it took
            gets(context, self->list[i].clock);
        for (unsigned k = i + 1; k < self->count; k++)
            later |= self->list[k].home == self->list[i].home &&
                     self->list[k].actor == self->list[i].actor;
        if (later)
            continue;
        for (unsigned k = from; k <= i; before = self->list[k++].value)
            if (self->list[k].home == self->list[i].home &&
                self->list[k].actor == self->list[i].actor)
                own += (int32_t)(self->list[k].value - before);
        const int32_t others = total - own;
        const struct ts_release *seen = NULL;
        before = first;
        own = 0;
        for (unsigned k = from; k <= i && own + others < needs; before = self->list[k++].value)
            if (self->list[k].home == self->list[i].home &&
                self->list[k].actor == self->list[i].actor) {
                seen = &self->list[k];
                own += (int32_t)(self->list[k].value - before);
            }
        if (seen)
            gets(context, seen->clock);
    }
}

const struct ts_release *ts_releases_unknown(const struct ts_releases *self,
                                             const struct ts_known *known)
{
    for (unsigned i = self->count; i-- > 0 && self->list[i].adds;)
        if (!ts_known_covers(known, self->list[i].home, self->list[i].proof, self->list[i].at))
            return &self->list[i];
    return NULL;
}
