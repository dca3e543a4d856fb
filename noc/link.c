#include "noc/link.h"

#include "platform/kernel/kernel.h"

// One flit a cycle; the last train may still be leaving.
static uint64_t busy(const struct ts_object *trains, ts_cycle span)
{
    const struct ts_noc_link *self = (const struct ts_noc_link *)((const char *)trains -
                                                                  offsetof(struct ts_noc_link,
                                                                           trains.object));
    return self->flits - (self->free > span ? self->free - span : 0);
}

static ts_cycle way_latency(const struct ts_noc_params *params, enum ts_noc_way way)
{
    const int64_t cycles[TS_NOC_WAYS] = {[TS_NOC_HOP] = params->hop,
                                         [TS_NOC_UP] = params->niu_to_router,
                                         [TS_NOC_DOWN] = params->router_to_niu};
    return (ts_cycle)cycles[way];
}

void ts_noc_link_init(struct ts_noc_link *self, struct ts_domain *domain,
                      const struct ts_noc_params *params, enum ts_noc_way way, const char *name)
{
    struct ts_kernel *kernel = ts_domain_kernel(domain);
    ts_cycle latency = way_latency(params, way);
    self->latency = latency;
    self->credit = (ts_cycle)params->credit;
    self->depth = (int32_t)params->vc_buffer;
    self->ahead = (int32_t)params->vc_ahead;
    self->pool = (int32_t)params->vc_pool;
    self->rest = (uint32_t)params->vc_rest;
    // A train keeps the link for at least a cycle; its slot is free again two latencies after its
    // arrival.
    ts_fifo_init(&self->trains, domain, (uint32_t)(2 * latency + 2), sizeof(struct ts_noc_train),
                 latency, "%s", name);
    self->trains.object.busy = busy;
    self->words = (uint32_t)((latency + self->credit - 1) / 64);
    if (self->words)
        self->older = ts_kernel_alloc(kernel, TS_NOC_VCS * self->words * sizeof *self->older);
    for (uint32_t vc = 0; vc < TS_NOC_VCS; vc++)
        self->vc[vc].owner = TS_NOC_NOBODY;
    uint32_t entries = 64;
    while (entries < TS_NOC_VCS * ts_noc_link_most(params))
        entries *= 2;
    self->ring = ts_kernel_alloc_sparse(kernel, entries * sizeof *self->ring);
    self->ring_mask = entries - 1;
    self->last_wake = TS_NEVER;
}

uint32_t ts_noc_link_most(const struct ts_noc_params *params)
{
    ts_cycle longest = 0;
    for (enum ts_noc_way way = 0; way < TS_NOC_WAYS; way++)
        if (way_latency(params, way) > longest)
            longest = way_latency(params, way);
    int64_t unhindered = (int64_t)longest + params->credit + params->train;
    int64_t blocked = params->vc_buffer + params->vc_ahead;
    return (uint32_t)(blocked > unhindered ? blocked : unhindered);
}

void ts_noc_link_connect(struct ts_noc_link *self, struct ts_component *sender,
                         struct ts_component *receiver)
{
    self->sender = sender;
    self->receiver = receiver;
    self->crossing = sender->domain != receiver->domain;
    ts_port_init(&self->out, sender, TS_OBJECT_FIFO, TS_OUT, "out");
    ts_port_init(&self->in, receiver, TS_OBJECT_FIFO, TS_IN, "in");
    ts_bind(&self->out, &self->trains.object);
    ts_bind(&self->in, &self->trains.object);
    if (!self->crossing)
        return;
    ts_fifo_init(&self->wakes, receiver->domain, (uint32_t)(2 * self->credit + 2), 1, self->credit,
                 "room_for_%s", self->trains.object.path);
    ts_port_init(&self->wake_out, receiver, TS_OBJECT_FIFO, TS_OUT, "wake_out");
    ts_port_init(&self->wake_in, sender, TS_OBJECT_FIFO, TS_IN, "wake_in");
    ts_bind(&self->wake_out, &self->wakes.object);
    ts_bind(&self->wake_in, &self->wakes.object);
}

// --- the history of a channel: a bit for each of the last cycles ---

static uint64_t *word_of(const struct ts_noc_link *self, uint32_t vc, uint64_t word)
{
    return word ? &self->older[vc * self->words + word - 1] : (uint64_t *)&self->vc[vc].went;
}

// Makes room for so many cycles.
static void shift(struct ts_noc_link *self, uint32_t vc, ts_cycle cycles)
{
    uint64_t by = cycles / 64, bits = cycles % 64;
    for (uint64_t word = self->words + 1; word-- > 0;) {
        uint64_t high = word >= by ? *word_of(self, vc, word - by) : 0;
        uint64_t low = word > by ? *word_of(self, vc, word - by - 1) : 0;
        *word_of(self, vc, word) = bits ? high << bits | low >> (64 - bits) : high;
    }
}

int ts_noc_link_fresh_long(const struct ts_noc_link *self, uint32_t vc, ts_cycle cycles)
{
    int fresh = 0;
    for (uint64_t word = 0; word <= self->words && cycles > 64 * word; word++)
        fresh += __builtin_popcountll(ts_noc_latest(*word_of(self, vc, word), cycles - 64 * word));
    return fresh;
}

// The cycle before `past`, counted from 0, in which the first flit left of those that left in so many
// cycles; -1: none did.
static int64_t first_fresh(const struct ts_noc_link *self, uint32_t vc, ts_cycle cycles)
{
    for (uint64_t word = self->words + 1; word-- > 0;) {
        uint64_t fresh = cycles > 64 * word
                             ? ts_noc_latest(*word_of(self, vc, word), cycles - 64 * word)
                             : 0;
        if (fresh)
            return (int64_t)(64 * word) + 63 - __builtin_clzll(fresh);
    }
    return -1;
}

void ts_noc_link_send(struct ts_noc_link *self, ts_cycle now, const struct ts_noc_train *train,
                      bool keep)
{
    struct ts_noc_train word = *train;
    word.arrived = now + self->latency;
    if (!TS_FIFO_PUSH(&self->out, now, word))
        ts_fault(self->sender, now, TS_BUG, "no room in %s for a train that the link took",
                 self->trains.object.path);
    uint32_t vc = train->vc;
    ts_noc_link_use(self, vc, train->flits);
    self->free = now + train->flits;
    struct ts_noc_vc *channel = &self->vc[vc];
    shift(self, vc, self->free - channel->past);
    channel->went |= ~0ull >> (64 - train->flits);
    channel->past = self->free;
    self->flits += train->flits;
    ts_trace_busy(&self->trains.object, now, train->flits);
    ts_busy_until(self->sender, self->free);
    self->packets += train->first == 0;
    if (!keep && ts_noc_train_tail(train)) {
        channel->owner = TS_NOC_NOBODY;
        uint32_t half = (1u << self->rest) / 2;
        channel->free = self->free + ((train->packet->flits - 1 + half) >> self->rest);
    }
}

void ts_noc_link_release(struct ts_noc_link *self, uint32_t vc, ts_cycle now)
{
    self->vc[vc].owner = TS_NOC_NOBODY;
    self->vc[vc].free = self->free > now ? self->free : now;
}

// A wake-up comes with the room of flits that were delayed. If these leave too little of the pool, the room
// of the others, which comes without one, may be what the sender waits for.
ts_cycle ts_noc_link_next_room(const struct ts_noc_link *self, ts_cycle now, uint32_t flits)
{
    ts_cycle first = TS_NEVER, round = self->latency + self->credit;
    // From another domain only wake-ups may be seen before their time.
    if (!self->crossing && self->taken != atomic_load_explicit(&self->given, memory_order_acquire))
        first = (ts_cycle)(self->ring[self->taken & self->ring_mask] >> 16);
    for (uint32_t vc = 0; vc < TS_NOC_VCS && self->pool < (int32_t)flits; vc++) {
        const struct ts_noc_vc *channel = &self->vc[vc];
        ts_cycle since = channel->past + round;
        if (since <= now + 1)
            continue;
        int64_t ago = first_fresh(self, vc, since - now - 1);
        if (ago < 0)
            continue;
        ts_cycle back = since - 1 - (ts_cycle)ago;
        first = back < first ? back : first;
    }
    return first;
}

bool ts_noc_link_receive(struct ts_noc_link *self, ts_cycle now, struct ts_noc_train *train)
{
    if (!TS_FIFO_POP(&self->in, now, *train))
        return false;
    self->received += train->flits;
    return true;
}

void ts_noc_link_give(struct ts_noc_link *self, ts_cycle now, ts_cycle at, uint32_t vc,
                      uint32_t flits, bool waited)
{
    at += self->credit;
    if (at < self->last_given)
        at = self->last_given;
    self->last_given = at;
    uint32_t given = atomic_load_explicit(&self->given, memory_order_relaxed);
    if (self->crossing)
        ts_crosses(self->receiver, now, at);
    self->ring[given & self->ring_mask] = at << 16 | (uint64_t)vc << 12 | flits;
    atomic_store_explicit(&self->given, given + 1, memory_order_release);
    if (!waited)
        return;
    if (!self->crossing) {
        ts_wake(self->sender, at);
    } else if (self->last_wake != now) {
        self->last_wake = now;
        uint8_t word = 0;
        TS_FIFO_PUSH(&self->wake_out, now, word);
    }
}

bool ts_noc_link_drop_wakes(struct ts_noc_link *self, ts_cycle now)
{
    while (ts_fifo_head(&self->wake_in, now))
        ts_fifo_drop(&self->wake_in, now);
    return !ts_fifo_empty(&self->wakes);
}
