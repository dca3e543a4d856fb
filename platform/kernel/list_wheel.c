#include "platform/kernel/list_wheel.h"

#include "platform/kernel/kernel.h"

#include <assert.h>

#define LEVEL1   TS_WHEEL_SLOTS       // first bucket of level 1
#define FAR      (2 * TS_WHEEL_SLOTS) // the bucket of everything beyond
#define BUCKETS  (2 * TS_WHEEL_SLOTS + 1)
#define NOWHERE  UINT32_MAX
#define BLOCK(t) ((t) / TS_WHEEL_SLOTS)
#define SLOT(t)  ((uint32_t)((t) % TS_WHEEL_SLOTS))

struct ts_list_wheel {
    uint64_t occupied[2];
    ts_cycle block;     // the one in level 0
    ts_cycle far_first; // a lower bound of the cycles in FAR
    struct ts_component *buckets[BUCKETS];
    uint64_t *due; // bitmap of the components of one cycle
    uint32_t words;
};

struct ts_list_wheel *ts_list_wheel_new(struct ts_kernel *kernel, uint32_t components)
{
    struct ts_list_wheel *self = ts_kernel_alloc(kernel, sizeof *self);
    if (self == NULL)
        return NULL;
    self->words = (components + 63) / 64;
    self->due = ts_kernel_alloc(kernel, self->words * sizeof *self->due);
    self->far_first = TS_NEVER;
    return self;
}

static uint32_t rotated_first(uint64_t mask, uint32_t by)
{
    by &= 63;
    uint64_t turned = by ? mask >> by | mask << (64 - by) : mask;
    return (uint32_t)__builtin_ctzll(turned);
}

void ts_list_wheel_insert(struct ts_domain *domain, struct ts_component *c, ts_cycle at)
{
    struct ts_list_wheel *self = domain->list;
    ts_cycle ahead = BLOCK(at) - self->block;
    uint32_t bucket = FAR;
    if (ahead == 0) {
        bucket = SLOT(at);
        self->occupied[0] |= 1ull << bucket;
    } else if (ahead < TS_WHEEL_SLOTS) {
        bucket = LEVEL1 + SLOT(BLOCK(at));
        self->occupied[1] |= 1ull << SLOT(BLOCK(at));
    } else if (at < self->far_first) {
        self->far_first = at;
    }
    c->when = at;
    c->bucket = bucket;
    c->prev = NULL;
    c->next = self->buckets[bucket];
    if (c->next)
        c->next->prev = c;
    self->buckets[bucket] = c;
}

bool ts_list_wheel_remove(struct ts_domain *domain, struct ts_component *c)
{
    struct ts_list_wheel *self = domain->list;
    uint32_t bucket = c->bucket;
    if (bucket == NOWHERE)
        return false;
    if (c->prev)
        c->prev->next = c->next;
    else
        self->buckets[bucket] = c->next;
    if (c->next)
        c->next->prev = c->prev;
    if (self->buckets[bucket] == NULL) {
        if (bucket == FAR)
            self->far_first = TS_NEVER;
        else
            self->occupied[bucket / TS_WHEEL_SLOTS] &= ~(1ull << bucket % TS_WHEEL_SLOTS);
    }
    c->bucket = NOWHERE;
    return true;
}

// Empties a bucket and inserts its components again, nearer to where they belong.
static void respread(struct ts_domain *domain, uint32_t bucket)
{
    struct ts_list_wheel *self = domain->list;
    struct ts_component *c = self->buckets[bucket];
    self->buckets[bucket] = NULL;
    if (bucket == FAR)
        self->far_first = TS_NEVER;
    else
        self->occupied[1] &= ~(1ull << bucket % TS_WHEEL_SLOTS);
    while (c) {
        struct ts_component *next = c->next;
        ts_list_wheel_insert(domain, c, c->when);
        c = next;
    }
}

static void enter_block(struct ts_domain *domain, ts_cycle block)
{
    struct ts_list_wheel *self = domain->list;
    if (block == self->block)
        return;
    assert(self->occupied[0] == 0);
    self->block = block;
    if (self->buckets[FAR] && BLOCK(self->far_first) < block + TS_WHEEL_SLOTS)
        respread(domain, FAR);
    if (self->occupied[1] >> SLOT(block) & 1)
        respread(domain, LEVEL1 + SLOT(block));
}

void ts_list_wheel_skip(struct ts_domain *domain, ts_cycle to)
{
    enter_block(domain, BLOCK(to));
    domain->now = to;
}

// The first block after the current one that is not empty, as far as is known; TS_NEVER if none.
static ts_cycle next_block(const struct ts_list_wheel *self)
{
    if (self->occupied[1])
        return self->block + 1 + rotated_first(self->occupied[1], SLOT(self->block + 1));
    return self->far_first == TS_NEVER ? TS_NEVER : BLOCK(self->far_first);
}

ts_cycle ts_list_wheel_next(const struct ts_domain *domain)
{
    const struct ts_list_wheel *self = domain->list;
    uint64_t rest = self->occupied[0] >> SLOT(domain->now);
    if (BLOCK(domain->now) == self->block && rest)
        return domain->now + (ts_cycle)__builtin_ctzll(rest);
    // Level 1 and the far list are kept by block: search the first block that is not empty for the
    // earliest.
    ts_cycle first = TS_NEVER;
    if (self->occupied[1]) {
        ts_cycle block = next_block(self);
        for (const struct ts_component *c = self->buckets[LEVEL1 + SLOT(block)]; c; c = c->next)
            first = c->when < first ? c->when : first;
    } else {
        for (const struct ts_component *c = self->buckets[FAR]; c; c = c->next)
            first = c->when < first ? c->when : first;
    }
    return first;
}

static void step_cycle(struct ts_domain *domain, ts_cycle now)
{
    struct ts_list_wheel *self = domain->list;
    uint32_t slot = SLOT(now);
    uint32_t low = self->words, high = 0;
    for (struct ts_component *c = self->buckets[slot]; c; c = c->next) {
        uint32_t word = c->index / 64;
        self->due[word] |= 1ull << c->index % 64;
        low = word < low ? word : low;
        high = word > high ? word : high;
        c->bucket = NOWHERE;
    }
    self->buckets[slot] = NULL;
    self->occupied[0] &= ~(1ull << slot);
    for (uint32_t word = low; word <= high; word++) {
        while (self->due[word]) {
            uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(self->due[word]);
            self->due[word] &= self->due[word] - 1;
            struct ts_component *c = domain->all[index];
            domain->activations++;
            ts_step n = c->run(c, now);
            if (n)
                ts_list_wheel_insert(domain, c, now + n);
        }
    }
}

void ts_list_wheel_run(struct ts_domain *domain)
{
    struct ts_list_wheel *self = domain->list;
    while (domain->now < domain->end) {
        uint64_t rest = self->occupied[0] >> SLOT(domain->now);
        if (rest == 0) {
            ts_cycle block = next_block(self);
            ts_cycle to = block == TS_NEVER ? TS_NEVER : block * TS_WHEEL_SLOTS;
            ts_list_wheel_skip(domain, to < domain->end ? to : domain->end);
            continue;
        }
        ts_cycle now = domain->now + (ts_cycle)__builtin_ctzll(rest);
        if (now >= domain->end) {
            ts_list_wheel_skip(domain, domain->end);
            break;
        }
        domain->now = now;
        domain->last = now;
        step_cycle(domain, now);
        if (SLOT(now + 1) == 0)
            enter_block(domain, BLOCK(now + 1));
        domain->now = now + 1;
    }
}
