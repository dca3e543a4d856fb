// Shadow memory; see shadow.h.
#include "platform/check/shadow.h"

#include <stdlib.h>
#include <string.h>

bool ts_shadow_init(struct ts_shadow *self, uint64_t bytes, unsigned shift)
{
    self->bytes = bytes;
    self->shift = (uint8_t)shift;
    uint64_t page = (uint64_t)(16 * TS_SHADOW_PAGE) << shift;
    self->pages = calloc((bytes + page - 1) / page, sizeof *self->pages);
    return self->pages != NULL;
}

void ts_shadow_free(struct ts_shadow *self)
{
    uint64_t page = (uint64_t)(16 * TS_SHADOW_PAGE) << self->shift;
    for (uint64_t i = 0; self->pages && i < (self->bytes + page - 1) / page; i++)
        free(self->pages[i]);
    free(self->pages);
    self->pages = NULL;
}

static struct ts_granule *granule_at(const struct ts_shadow *self, uint64_t number, bool make)
{
    struct ts_granule **page = &self->pages[number / TS_SHADOW_PAGE];
    if (*page == NULL && make)
        *page = calloc(TS_SHADOW_PAGE, sizeof **page);
    return *page ? *page + number % TS_SHADOW_PAGE : NULL;
}

// The parts of a granule that the bytes [from, to) of it touch.
static uint16_t mask_of(uint32_t from, uint32_t to, unsigned shift)
{
    uint32_t first = from >> shift, last = (to - 1) >> shift;
    return (uint16_t)((0xffffu >> (15 - last)) & (0xffffu << first));
}

// Accesses of units. One unit takes the words of all threads in turn, so a word that started after another one is behind
// it. MATRIX and VECTOR wait for each other within a thread.
static bool units_ordered(const struct ts_check_access *access, const struct ts_touch *before)
{
    unsigned one = before->actor - TS_ACTOR_THREAD_FIRST,
             two = access->mark.actor - TS_ACTOR_THREAD_FIRST;
    if (one % TS_ACTOR_UNITS == two % TS_ACTOR_UNITS)
        return ts_known_covers(access->known, before->home, TS_ACTOR_GATE(one / TS_ACTOR_UNITS),
                               before->at);
    return one / TS_ACTOR_UNITS == two / TS_ACTOR_UNITS &&
           one % TS_ACTOR_UNITS + two % TS_ACTOR_UNITS == TS_ACTOR_MATRIX + TS_ACTOR_VECTOR &&
           (one % TS_ACTOR_UNITS == TS_ACTOR_MATRIX || two % TS_ACTOR_UNITS == TS_ACTOR_MATRIX);
}

// Are the two in order? Accesses of one actor are, but for requests, which only are themselves; so are all
// of one core, where the same bytes are concerned.
static bool ordered(const struct ts_check_access *access, const struct ts_touch *before)
{
    const struct ts_touch *mark = &access->mark;
    if (before->home == mark->home) {
        if (before->actor == mark->actor &&
            (mark->actor < TS_ACTOR_NOC_FIRST || before->at == mark->at))
            return true;
        if (mark->actor < TS_ACTOR_THREAD_FIRST && before->actor < TS_ACTOR_THREAD_FIRST &&
            before->actor / TS_REGIONS == mark->actor / TS_REGIONS)
            return true;
        if (mark->actor - TS_ACTOR_THREAD_FIRST < TS_ACTOR_NOC_FIRST - TS_ACTOR_THREAD_FIRST &&
            before->actor - TS_ACTOR_THREAD_FIRST < TS_ACTOR_NOC_FIRST - TS_ACTOR_THREAD_FIRST &&
            units_ordered(access, before))
            return true;
    }
    return ts_known_covers(access->known, before->home, before->actor, before->at);
}

struct walk {
    const struct ts_check_access *access;
    ts_shadow_clash *clash;
    void *context;
    // The last mark that was in order, of the write and of each read: bursts meet bursts.
    struct ts_touch good[3];
    uint64_t granule; // its address
    unsigned shift;   // of its parts
};

enum { WRITE, READ }; // marks of a granule: the write, the first read, the second

static bool differ(const struct ts_touch *a, const struct ts_touch *b)
{
    return a->at != b->at || a->home != b->home || a->actor != b->actor;
}

static bool in_order(struct walk *self, const struct ts_touch *before, unsigned which)
{
    if (!differ(before, &self->good[which]))
        return true;
    if (!ordered(self->access, before))
        return false;
    self->good[which] = *before;
    return true;
}

static void look(struct walk *self, const struct ts_touch *before, uint16_t mask, unsigned which)
{
    const unsigned both = before->mask & mask;
    if (!both || in_order(self, before, which))
        return;
    const unsigned first = (unsigned)__builtin_ctz(both), last = 31 - (unsigned)__builtin_clz(both);
    self->clash(self->context, self->access, before, which == WRITE,
                self->granule + ((uint64_t)first << self->shift),
                (last + 1 - first) << self->shift);
}

// Remembers a read: in place of one of the same actor, of one that it knows to be done, or of the second.
static void remember_read(struct walk *self, struct ts_granule *granule,
                          const struct ts_touch *mark)
{
    for (unsigned i = 0; i < 2; i++) {
        struct ts_touch *read = &granule->read[i];
        bool mine = read->home == mark->home && read->actor == mark->actor;
        if (read->mask == 0 || mine || (i == 0 && in_order(self, read, READ))) {
            *read = *mark;
            return;
        }
    }
    granule->read[1] = *mark;
}

static void touch(struct walk *self, struct ts_granule *granule, uint16_t mask)
{
    struct ts_touch mark = self->access->mark;
    mark.mask = mask;
    look(self, &granule->write, mask, WRITE);
    if (self->access->how == TS_HOW_TAKE)
        return;
    if (self->access->how == TS_HOW_READ) {
        remember_read(self, granule, &mark);
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        look(self, &granule->read[i], mask, READ + i);
        granule->read[i].mask &= (uint16_t)~mask;
    }
    granule->write = mark;
}

void ts_shadow_access(struct ts_shadow *self, const struct ts_check_access *access,
                      ts_shadow_clash *clash, void *context)
{
    struct walk walk = {.access = access, .clash = clash, .context = context, .shift = self->shift};
    const uint32_t size = 16u << self->shift;
    uint64_t end = access->address + access->length;
    if (end > self->bytes)
        end = self->bytes;
    for (uint64_t at = access->address; at < end;) {
        uint64_t number = at / size, next = (number + 1) * size;
        uint32_t from = (uint32_t)(at % size),
                 to = next < end ? size : (uint32_t)(end - number * size);
        struct ts_granule *granule = granule_at(self, number, true);
        walk.granule = number * size;
        if (granule)
            touch(&walk, granule, mask_of(from, to, self->shift));
        at = next;
    }
}

void ts_shadow_clear(struct ts_shadow *self, uint64_t address, uint64_t length)
{
    const uint32_t size = 16u << self->shift;
    uint64_t end = address + length < self->bytes ? address + length : self->bytes;
    for (uint64_t at = address; at < end; at = (at / size + 1) * size) {
        struct ts_granule *granule = granule_at(self, at / size, false);
        if (granule)
            memset(granule, 0, sizeof *granule);
    }
}

const struct ts_touch *ts_shadow_writer(const struct ts_shadow *self, uint64_t address,
                                        uint32_t length)
{
    const uint32_t size = 16u << self->shift, from = (uint32_t)(address % size);
    const struct ts_granule *granule = granule_at(self, address / size, false);
    uint16_t mask = mask_of(from, from + length < size ? from + length : size, self->shift);
    return granule && granule->write.mask & mask ? &granule->write : NULL;
}
