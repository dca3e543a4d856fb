// Vector clocks; see vclock.h.
#include "platform/check/vclock.h"

#include "platform/kernel/cluster.h"

#define LANE_ACTORS 8 // actors of one lane, at most

// ---- counted parts

struct ts_vclock *ts_vclock_new(unsigned home)
{
    struct ts_vclock *self = calloc(1, sizeof *self);
    if (self) {
        atomic_init(&self->holders, 1);
        self->home = (uint16_t)home;
    }
    return self;
}

static void hold(atomic_uint *holders)
{
    atomic_fetch_add_explicit(holders, 1, memory_order_relaxed);
}

// Was it the last one?
static bool drop(atomic_uint *holders)
{
    return atomic_load_explicit(holders, memory_order_acquire) == 1 ||
           atomic_fetch_sub_explicit(holders, 1, memory_order_acq_rel) == 1;
}

static bool alone(atomic_uint *holders)
{
    return atomic_load_explicit(holders, memory_order_acquire) == 1;
}

struct ts_vclock *ts_vclock_hold(struct ts_vclock *self)
{
    hold(&self->holders);
    return self;
}

static struct ts_vclock_own *hold_own(struct ts_vclock_own *own)
{
    if (own)
        hold(&own->holders);
    return own;
}

static void drop_own(struct ts_vclock_own *own)
{
    if (own && drop(&own->holders))
        free(own);
}

static void drop_fars(struct ts_vclock_fars *fars)
{
    if (fars == NULL || !drop(&fars->holders))
        return;
    for (uint32_t i = 0; i < fars->count; i++)
        drop_own(fars->list[i].own);
    free(fars);
}

void ts_vclock_drop(struct ts_vclock *self)
{
    if (self == NULL || !drop(&self->holders))
        return;
    drop_own(self->own);
    drop_fars(self->fars);
    free(self);
}

// A clock that only *self holds. False: out of memory, and *self keeps what it had.
static bool own_clock(struct ts_vclock **self)
{
    struct ts_vclock *old = *self;
    if (alone(&old->holders))
        return true;
    struct ts_vclock *copy = ts_vclock_new(old->home);
    if (copy == NULL)
        return false;
    copy->own = hold_own(old->own);
    copy->fars = old->fars;
    if (copy->fars)
        hold(&copy->fars->holders);
    for (unsigned i = 0; i < TS_VCLOCK_HEARD; i++)
        atomic_init(&copy->heard[i], atomic_load_explicit(&old->heard[i], memory_order_relaxed));
    ts_vclock_drop(old);
    *self = copy;
    return true;
}

// The same of its own part.
static bool own_part(struct ts_vclock **self)
{
    if (!own_clock(self))
        return false;
    struct ts_vclock_own *old = (*self)->own;
    if (old && alone(&old->holders))
        return true;
    struct ts_vclock_own *copy = old ? malloc(sizeof *copy) : calloc(1, sizeof *copy);
    if (copy == NULL)
        return false;
    if (old)
        memcpy(copy->at, old->at, sizeof copy->at);
    atomic_init(&copy->holders, 1);
    drop_own(old);
    (*self)->own = copy;
    return true;
}

// ---- other tiles

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

// The actors that news on the lane speak for: their number.
static unsigned of_lane(uint32_t who, uint8_t actors[LANE_ACTORS])
{
    const unsigned core = who >> 7 & 7, noc = who >> 6 & 1;
    unsigned n = 0;
    if (core >= TS_ACTOR_CORES)
        return 0;
    actors[n++] = TS_ACTOR_CORE(core, TS_REGION_LOADS);
    if (who & TS_LANE_ETH(0, 0)) {
        actors[n++] = TS_ACTOR_CORE(core, TS_REGION_ETH);
        for (unsigned phase = 0; phase < TS_ETH_PHASES; phase++)
            actors[n++] = TS_ACTOR_ETH(who & 3, phase);
        return n;
    }
    actors[n++] = TS_ACTOR_CORE(core, TS_REGION_NOC0 + noc);
    if (!(who & TS_LANE_CROSSED))
        actors[n++] = TS_ACTOR_ISSUE(noc);
    if (who & TS_LANE_SENT(0))
        actors[n++] = TS_ACTOR_NOC(noc, TS_PHASE_SENT, who & 15);
    if (who & TS_LANE_SENT_POSTED)
        actors[n++] = TS_ACTOR_POSTED_SENT(noc);
    if (who & TS_LANE_BEHIND(0))
        actors[n++] = TS_ACTOR_NOC(noc, TS_PHASE_ACKED, who & 15);
    if (who & TS_LANE_BEHIND_POSTED)
        actors[n++] = TS_ACTOR_POSTED_LANDED(noc);
    return n;
}

static bool speaks_for(uint32_t who, unsigned actor)
{
    uint8_t actors[LANE_ACTORS];
    const unsigned count = of_lane(who, actors);
    for (unsigned i = 0; i < count; i++)
        if (actors[i] == actor)
            return true;
    return false;
}

uint32_t ts_vclock_far_at(const struct ts_vclock *self, unsigned home, unsigned actor)
{
    const struct ts_vclock_fars *fars = self->fars;
    uint32_t most = 0;
    for (uint32_t i = find(fars, TS_LANE_KEY(home, 0));
         fars && i < fars->count && fars->list[i].who >> 16 == home; i++) {
        const struct ts_vclock_far *far = &fars->list[i];
        uint32_t at = far->own ? far->own->at[actor] : 0;
        if (far->at > at && speaks_for(far->who, actor))
            at = far->at;
        most = at > most ? at : most;
    }
    return most;
}

// ---- learning

bool ts_vclock_learn(struct ts_vclock **self, unsigned actor, uint32_t at)
{
    if (ts_vclock_at(*self, (*self)->home, actor) >= at || !own_part(self))
        return false;
    (*self)->own->at[actor] = at;
    return true;
}

// Another part of the same home.
static bool merge_own(struct ts_vclock **self, struct ts_vclock_own *from)
{
    const struct ts_vclock_own *mine = (*self)->own;
    uint32_t news = mine == NULL;
    if (from == NULL || from == mine)
        return false;
    for (unsigned i = 0; mine && i < TS_VCLOCK_ACTORS; i++)
        news |= mine->at[i] < from->at[i];
    if (!news || !own_part(self))
        return false;
    uint32_t *at = (*self)->own->at;
    for (unsigned i = 0; i < TS_VCLOCK_ACTORS; i++)
        at[i] = at[i] < from->at[i] ? from->at[i] : at[i];
    return true;
}

// News of the own tile that others bring back.
static bool learn_back(struct ts_vclock **self, const struct ts_vclock_far *far)
{
    uint8_t actors[LANE_ACTORS];
    const unsigned count = of_lane(far->who, actors);
    bool more = merge_own(self, far->own);
    for (unsigned i = 0; i < count; i++)
        more |= ts_vclock_learn(self, actors[i], far->at);
    return more;
}

static uint64_t print_of(const struct ts_vclock_far *far)
{
    const uint64_t mixed = ((uint64_t)far->who << 32 | far->at) * UINT64_C(0x9e3779b97f4a7c15);
    return (mixed ^ mixed >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

static void replace(struct ts_vclock_fars *fars, uint32_t place, const struct ts_vclock_far *by)
{
    struct ts_vclock_far *old = &fars->list[place];
    hold_own(by->own);
    drop_own(old->own);
    fars->print += print_of(by) - print_of(old);
    *old = *by;
}

// A list with all pairs of both, the later ones of each lane.
static struct ts_vclock_fars *both(const struct ts_vclock_fars *a, const struct ts_vclock_far *b,
                                   uint32_t count)
{
    const uint32_t had = a ? a->count : 0;
    struct ts_vclock_fars *fars = malloc(sizeof *fars + (had + count) * sizeof *fars->list);
    uint32_t n = 0;
    uint64_t print = 0;
    for (uint32_t i = 0, k = 0; fars && (i < had || k < count); n++) {
        if (k == count || (i < had && a->list[i].who < b[k].who)) {
            fars->list[n] = a->list[i++];
        } else if (i == had || b[k].who < a->list[i].who) {
            fars->list[n] = b[k++];
        } else {
            fars->list[n] = a->list[i].at < b[k].at ? b[k] : a->list[i];
            i++, k++;
        }
        hold_own(fars->list[n].own);
        print += print_of(&fars->list[n]);
    }
    if (fars) {
        atomic_init(&fars->holders, 1);
        fars->print = print;
        fars->count = n;
    }
    return fars;
}

// What a list has that another one has not: later news, or news of lanes that are not there.
struct difference {
    bool news, lanes;
};

static struct difference differs(const struct ts_vclock_far *list, uint32_t count,
                                 const struct ts_vclock_far *other, uint32_t had)
{
    struct difference more = {false, false};
    for (uint32_t i = 0, k = 0; k < count; k++) {
        while (i < had && other[i].who < list[k].who)
            i++;
        const bool here = i < had && other[i].who == list[k].who;
        if (here && other[i].at >= list[k].at)
            continue;
        more.news = true;
        more.lanes |= !here;
    }
    return more;
}

// Pairs of another list, both in order. `shared`: the list itself, if the pairs are all of one; NULL: not.
static bool merge_far(struct ts_vclock **self, const struct ts_vclock_far *from, uint32_t count,
                      struct ts_vclock_fars *shared)
{
    struct ts_vclock_fars *mine = (*self)->fars;
    const struct difference more = differs(from, count, mine ? mine->list : NULL,
                                           mine ? mine->count : 0);
    if (!more.news)
        return false;
    for (uint32_t k = 0; k < count; k++)
        if (from[k].who >> 16 == (*self)->home)
            learn_back(self, &from[k]);
    if (!own_clock(self))
        return false;
    if (shared && (mine == NULL || !differs(mine->list, mine->count, from, count).news)) {
        hold(&shared->holders);
        drop_fars(mine);
        (*self)->fars = shared;
        return true;
    }
    if (more.lanes || !alone(&mine->holders)) {
        struct ts_vclock_fars *fars = both(mine, from, count);
        if (fars) {
            drop_fars(mine);
            (*self)->fars = fars;
        }
        return fars != NULL;
    }
    for (uint32_t i = 0, k = 0; k < count; k++) {
        while (mine->list[i].who < from[k].who)
            i++;
        if (mine->list[i].at < from[k].at)
            replace(mine, i, &from[k]);
    }
    return true;
}

// The list of another clock, which may have been heard before.
static bool merge_fars(struct ts_vclock **self, struct ts_vclock_fars *fars)
{
    if (fars == NULL || fars == (*self)->fars)
        return false;
    const uint64_t print = fars->print;
    const unsigned place = (unsigned)(print % TS_VCLOCK_HEARD);
    if (atomic_load_explicit(&(*self)->heard[place], memory_order_relaxed) == print)
        return false;
    const bool more = merge_far(self, fars->list, fars->count, fars);
    atomic_store_explicit(&(*self)->heard[place], print, memory_order_relaxed);
    return more;
}

// What a request brings from its tile.
static bool merge_other(struct ts_vclock **self, const struct ts_known *known)
{
    const struct ts_vclock *from = known->clock;
    const struct ts_vclock_far far = {TS_LANE_KEY(from->home, known->lane), known->at, from->own};
    const uint32_t place = find((*self)->fars, far.who);
    const struct ts_vclock_fars *fars = (*self)->fars;
    if (fars && place < fars->count && fars->list[place].who == far.who &&
        fars->list[place].at >= far.at)
        return false;
    const bool more = merge_fars(self, from->fars);
    return merge_far(self, &far, 1, NULL) | more;
}

bool ts_vclock_join(struct ts_vclock **self, const struct ts_known *known)
{
    const struct ts_vclock *from = known->clock;
    if (from->home != (*self)->home)
        return merge_other(self, known);
    bool more = false;
    if (from != *self) {
        more = merge_own(self, from->own);
        more |= merge_fars(self, from->fars);
    }
    for (unsigned i = 0; i < TS_KNOWN_SELF && known->self[i] != TS_ACTOR_NOBODY; i++)
        more |= ts_vclock_learn(self, known->self[i], known->at);
    return more;
}

void ts_vclock_release(struct ts_vclock **self, unsigned home, const struct ts_known *known,
                       bool keeps)
{
    if (*self == NULL || !keeps) {
        ts_vclock_drop(*self);
        *self = known->clock->home == home ? ts_vclock_hold(known->clock) : ts_vclock_new(home);
    }
    if (*self)
        ts_vclock_join(self, known);
}

// ---- from process to process

static void put(struct ts_bytes *to, uint32_t word)
{
    memcpy(ts_bytes_more(to, sizeof word), &word, sizeof word);
}

// How many actors are known, then each of them with its time.
static void pack_own(const struct ts_vclock_own *own, struct ts_bytes *to)
{
    uint32_t count = 0;
    for (unsigned i = 0; own && i < TS_VCLOCK_ACTORS; i++)
        count += own->at[i] != 0;
    put(to, count);
    for (unsigned i = 0; count && i < TS_VCLOCK_ACTORS; i++)
        if (own->at[i]) {
            put(to, i);
            put(to, own->at[i]);
        }
}

void ts_vclock_pack(const struct ts_vclock *self, struct ts_bytes *to)
{
    const uint32_t count = self->fars ? self->fars->count : 0;
    put(to, self->home);
    pack_own(self->own, to);
    put(to, count);
    for (uint32_t i = 0; i < count; i++) {
        put(to, self->fars->list[i].who);
        put(to, self->fars->list[i].at);
        pack_own(self->fars->list[i].own, to);
    }
}

struct words {
    const unsigned char *at, *end;
    bool bad; // too short, or out of memory
};

static uint32_t get(struct words *from)
{
    uint32_t word = 0;
    if ((size_t)(from->end - from->at) < sizeof word)
        from->bad = true;
    else
        memcpy(&word, from->at, sizeof word);
    from->at += from->bad ? 0 : sizeof word;
    return word;
}

static struct ts_vclock_own *unpack_own(struct words *from)
{
    uint32_t count = get(from);
    struct ts_vclock_own *own = count ? calloc(1, sizeof *own) : NULL;
    from->bad |= count && own == NULL;
    if (own)
        atomic_init(&own->holders, 1);
    for (; count && !from->bad; count--) {
        const uint32_t actor = get(from), at = get(from);
        from->bad |= actor >= TS_VCLOCK_ACTORS;
        if (!from->bad)
            own->at[actor] = at;
    }
    return own;
}

struct ts_vclock *ts_vclock_unpack(const void *bytes, size_t length)
{
    struct words from = {bytes, (const unsigned char *)bytes + length, false};
    struct ts_vclock *self = ts_vclock_new(get(&from));
    if (self == NULL)
        return NULL;
    self->own = unpack_own(&from);
    const uint32_t count = get(&from);
    if (count && !from.bad)
        self->fars = malloc(sizeof *self->fars + count * sizeof *self->fars->list);
    if (self->fars) {
        atomic_init(&self->fars->holders, 1);
        self->fars->count = 0;
        self->fars->print = 0;
    }
    for (uint32_t i = 0; self->fars && i < count && !from.bad; i++) {
        struct ts_vclock_far *far = &self->fars->list[self->fars->count++];
        far->who = get(&from);
        far->at = get(&from);
        far->own = unpack_own(&from);
        self->fars->print += print_of(far);
    }
    if (!from.bad && (self->fars || count == 0))
        return self;
    ts_vclock_drop(self);
    return NULL;
}
