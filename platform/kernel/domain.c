#include "platform/kernel/domain.h"

#include <assert.h>

#define NOBODY (1ull << TS_DOMAIN_COMPONENTS) // ends the components of a cycle

static inline uint64_t rotate_right(uint64_t mask, uint32_t by)
{
    by &= 63;
    return mask >> by | mask << (-by & 63);
}

void ts_domain_schedule(struct ts_domain *self, struct ts_component *c, ts_cycle at)
{
    assert(at >= self->now);
    if (at - self->now < TS_WHEEL_SLOTS) {
        ts_domain_fill(self, c, at);
    } else {
        self->far |= c->bit;
        c->when = at;
        if (at < self->far_first)
            self->far_first = at;
    }
}

bool ts_domain_unschedule(struct ts_domain *self, struct ts_component *c, ts_cycle due)
{
    if (self->far & c->bit) {
        self->far &= ~c->bit;
        return true;
    }
    uint32_t slot = due % TS_WHEEL_SLOTS;
    if ((self->slots[slot] & c->bit) == 0 || (due == self->now && self->running))
        return false;
    self->slots[slot] &= ~c->bit;
    if (self->slots[slot] == 0)
        self->occupied &= ~(1ull << slot);
    return true;
}

bool ts_domain_withdraw(struct ts_domain *self, struct ts_component *c)
{
    for (uint32_t i = 0; i < TS_WHEEL_SLOTS; i++)
        if (ts_domain_unschedule(self, c, self->now + i))
            return true;
    return false;
}

ts_cycle ts_domain_next(const struct ts_domain *self)
{
    ts_cycle first = TS_NEVER;
    uint64_t ahead = rotate_right(self->occupied, self->now % 64);
    if (self->running)
        ahead &= ~1ull; // the current cycle
    if (ahead)
        first = self->now + (unsigned)__builtin_ctzll(ahead);
    // A step just before the end of a window may have filled a slot beyond what is still far.
    if (first <= self->far_first)
        return first;
    for (uint64_t far = self->far; far; far &= far - 1) {
        const struct ts_component *c = self->components[__builtin_ctzll(far)];
        first = c->when < first ? c->when : first;
    }
    return first;
}

static ts_cycle noticed_of(const struct ts_domain *self, uint64_t mask, ts_cycle at)
{
    for (uint32_t i = 0; i < TS_REACHES - 1; i++)
        if (self->reaches[i].components & mask)
            return ts_cycle_add(at, self->reaches[i].cycles);
    return ts_cycle_add(at, self->reaches[TS_REACHES - 1].cycles);
}

ts_cycle ts_domain_noticed(const struct ts_domain *self, ts_cycle next)
{
    ts_cycle nearest = self->reaches[0].cycles;
    if (next == TS_NEVER)
        return ts_cycle_add(next, nearest);
    ts_cycle first = TS_NEVER;
    // Usually one or two slots: later steps reach no earlier.
    uint64_t ahead = rotate_right(self->occupied, self->now % 64);
    for (; ahead; ahead &= ahead - 1) {
        ts_cycle at = self->now + (ts_cycle)__builtin_ctzll(ahead);
        if (ts_cycle_add(at, nearest) >= first)
            break;
        ts_cycle noticed = noticed_of(self, self->slots[at % TS_WHEEL_SLOTS], at);
        first = noticed < first ? noticed : first;
    }
    if (self->far == 0 || ts_cycle_add(self->far_first, nearest) >= first)
        return first;
    for (uint64_t far = self->far; far; far &= far - 1) {
        ts_cycle noticed = noticed_of(self, far & -far,
                                      self->components[__builtin_ctzll(far)]->when);
        first = noticed < first ? noticed : first;
    }
    return first;
}

// Moves components that are now near from the far mask into the slots.
static __attribute__((noinline)) void pull_far(struct ts_domain *self, ts_cycle now)
{
    ts_cycle first = TS_NEVER;
    uint64_t far = self->far;
    self->far = 0;
    for (; far; far &= far - 1) {
        struct ts_component *c = self->components[__builtin_ctzll(far)];
        if (c->when - now < TS_WHEEL_SLOTS) {
            ts_domain_fill(self, c, c->when);
        } else {
            self->far |= c->bit;
            first = c->when < first ? c->when : first;
        }
    }
    self->far_first = first;
}

static void run_wheel(struct ts_domain *self)
{
    uint64_t activations = 0, stepped = 0;
    ts_cycle now = self->now;
    while (now < self->end) {
        if (__builtin_expect(self->far_first < now + TS_WHEEL_SLOTS, 0))
            pull_far(self, now);
        uint64_t ahead = rotate_right(self->occupied, now % TS_WHEEL_SLOTS);
        if (__builtin_expect(ahead == 0, 0)) {
            now = self->far_first < self->end ? self->far_first : self->end;
            continue;
        }
        now += (unsigned)__builtin_ctzll(ahead);
        if (now >= self->end) {
            now = self->end;
            break;
        }
        uint64_t mask = self->slots[now % TS_WHEEL_SLOTS];
        self->now = self->last = now;
        self->stepping = mask;
        stepped |= mask;
        mask |= NOBODY;
        // Looks up the next component before the current one steps: the call of its step is hard to
        // predict, and this way its target is known early.
        struct ts_component *c = self->components[(unsigned)__builtin_ctzll(mask)];
        do {
            mask &= mask - 1;
            struct ts_component *after = self->components[(unsigned)__builtin_ctzll(mask)];
            activations++;
            self->running = c;
            ts_step n = c->run(c, now);
            // No branch on asleep or not: it is unpredictable. Who is asleep goes into the slot of
            // this cycle, which is emptied below.
            if (__builtin_expect(n < TS_WHEEL_SLOTS, 1))
                ts_domain_fill(self, c, now + n);
            else
                ts_domain_schedule(self, c, now + n);
            c = after;
            if (__builtin_expect(self->joined != 0, 0)) {
                mask |= self->joined;
                self->joined = 0;
                c = self->components[(unsigned)__builtin_ctzll(mask)];
            }
        } while (c);
        self->slots[now % TS_WHEEL_SLOTS] = 0;
        self->occupied &= ~(1ull << now % TS_WHEEL_SLOTS);
        now++;
    }
    self->now = now;
    self->running = NULL;
    self->activations += activations;
    __atomic_store_n(&self->stepped, stepped, __ATOMIC_RELAXED); // see ts_domain_fetch_steps
}

#define LINE 64u // of the host's caches

// Four lines at a time: what lies behind the end does no harm.
static inline void fetch(const char *from, size_t bytes)
{
    for (const char *end = from + bytes; from < end; from += 4 * LINE)
#pragma GCC unroll 4
        for (size_t i = 0; i < 4 * LINE; i += LINE)
            __builtin_prefetch(from + i, 1);
}

void ts_domain_fetch(const struct ts_domain *self)
{
#pragma GCC unroll 32
    for (size_t i = 0; i < offsetof(struct ts_domain, count); i += LINE)
        __builtin_prefetch((const char *)self + i, 1);
}

// Another thread may run the domain meanwhile: then what is fetched is of no use, and no harm.
void ts_domain_fetch_steps(const struct ts_domain *self)
{
    uint64_t left = __atomic_load_n(&self->stepped, __ATOMIC_RELAXED);
    for (; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        const char *c = (const char *)self->components[i];
        __builtin_prefetch(c, 1);
        __builtin_prefetch(c + LINE, 1);
        fetch(c + self->hot[i].at, self->hot[i].bytes);
    }
}

void ts_domain_run(struct ts_domain *self, ts_cycle start, ts_cycle end)
{
    self->end = end;
    if (start > self->now)
        self->now = start;
    run_wheel(self);
}

void ts_trace_put_level(const struct ts_object *object, ts_cycle now, const char *label,
                        uint64_t level)
{
    ts_trace_put(object->trace, (struct ts_record){.cycle = now,
                                                   .value = level,
                                                   .label = label,
                                                   .emitter = object->id & 0xffffff,
                                                   .kind = TS_RECORD_COUNT});
}

void ts_trace_put_count(const struct ts_object *object, ts_cycle now, uint64_t level)
{
    ts_trace_put_level(object, now, NULL, level);
}

static TS_SLOW_PATH void put_busy_record(const struct ts_object *object, unsigned part,
                                         ts_cycle from, uint64_t cycles)
{
    struct ts_trace_ring *ring = object->trace;
    struct ts_record *last = ring->count ? &ring->records[ring->count - 1] : NULL;
    if (ring->meter)
        ring->meter->worked(object, part, from, cycles, ring->meter);
    if (!ts_trace_wants_busy(ring, object->id))
        return;
    if (last && last->kind == TS_RECORD_BUSY && last->emitter == (object->id & 0xffffff) &&
        last->cycle + last->value ==
            from) { // the work goes on: word after word of a unit, for example
        last->value += cycles;
        return;
    }
    ts_trace_put(ring, (struct ts_record){.cycle = from,
                                          .value = cycles,
                                          .emitter = object->id & 0xffffff,
                                          .kind = TS_RECORD_BUSY,
                                          .reason = TS_RECORD_GOES_ON});
}

void ts_trace_put_busy(const struct ts_object *object, unsigned part, ts_cycle from,
                       uint64_t cycles)
{
    struct ts_meter *meter = object->trace->meter;
    if (__builtin_expect(!object->trace->shut || meter == NULL, 0))
        put_busy_record(object, part, from, cycles);
    else // without a frame: most calls of a run with a meter
        meter->worked(object, part, from, cycles, meter);
}

void ts_trace_put_label(const struct ts_component *self, enum ts_record_kind kind, ts_cycle cycle,
                        const char *label, uint64_t value)
{
    ts_trace_put(self->object.trace, (struct ts_record){.cycle = cycle,
                                                        .value = value,
                                                        .label = label,
                                                        .emitter = self->object.id & 0xffffff,
                                                        .kind = kind});
}
