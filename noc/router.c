#include "noc/router.h"

#include "platform/kernel/kernel.h"

static struct ts_noc_train *front(const struct ts_noc_router *self, const struct ts_noc_lane *lane)
{
    return &lane->slots[lane->first & (self->ring - 1)];
}

// Looks at the train that is now at the front of a lane: where does it go?
static void present(struct ts_noc_router *self, uint32_t index, ts_cycle now)
{
    struct ts_noc_lane *lane = &self->lanes[index];
    const struct ts_noc_train *train = front(self, lane);
    if (train->first == 0 && !lane->kept) {
        uint32_t outputs = ts_noc_route(&self->shape, self->here, train->packet);
        if (train->packet->broadcast && !self->receives)
            outputs &= ~(1u << TS_NOC_LOCAL);
        if (outputs == 0)
            ts_fault(&self->base, now, TS_BUG, "a %s from %u-%u does not know where to go",
                     ts_noc_kind_name(train->packet->kind), train->packet->from.x,
                     train->packet->from.y);
        lane->outputs = (uint8_t)outputs;
        lane->granted = 0;
    }
    lane->left = lane->outputs;
    for (uint32_t out = 0; out < TS_NOC_PORTS; out++)
        if (lane->left >> out & 1)
            self->wants[out] |= 1ull << index;
}

static void take_in(struct ts_noc_router *self, ts_cycle now)
{
    for (uint32_t in = 0; in < TS_NOC_PORTS; in++) {
        struct ts_noc_train train;
        while (self->in[in] && ts_noc_link_receive(self->in[in], now, &train)) {
            uint32_t index = in * TS_NOC_VCS + train.vc;
            struct ts_noc_lane *lane = &self->lanes[index];
            lane->slots[(uint32_t)(lane->first + lane->count) & (self->ring - 1)] = train;
            if (lane->count++ == 0)
                present(self, index, now);
        }
    }
}

// Finds a channel of an output for the packet at the front of a lane; false if there is none now.
// `when` is lowered to the cycle in which a channel will be free, if that is known.
static bool grant(struct ts_noc_router *self, uint32_t index, uint32_t out, ts_cycle now,
                  ts_cycle *when)
{
    struct ts_noc_lane *lane = &self->lanes[index];
    struct ts_noc_link *link = self->out[out];
    const struct ts_noc_packet *packet = front(self, lane)->packet;
    uint32_t vc = ts_noc_route_vc(&self->shape, self->here, index / TS_NOC_VCS, index % TS_NOC_VCS,
                                  out);
    for (uint32_t buddy = 0; buddy < (packet->vc_static ? 1u : 2u); buddy++) {
        uint32_t candidate = vc ^ buddy;
        if (ts_noc_link_idle(link, candidate, now)) {
            link->owner[candidate] = (uint8_t)index;
            lane->vc[out] = (uint8_t)candidate;
            lane->granted |= (uint8_t)(1u << out);
            return true;
        }
        if (link->owner[candidate] == TS_NOC_NOBODY && link->vc_free[candidate] < *when)
            *when = link->vc_free[candidate];
    }
    return false;
}

// The highest priority among packets that wait for a channel of an output.
static uint32_t top_priority(const struct ts_noc_router *self, uint32_t out)
{
    uint32_t top = 0;
    for (uint64_t wants = self->wants[out]; wants; wants &= wants - 1) {
        const struct ts_noc_lane *lane = &self->lanes[__builtin_ctzll(wants)];
        uint32_t priority = front(self, lane)->packet->priority;
        if ((lane->granted >> out & 1) == 0 && priority > top)
            top = priority;
    }
    return top;
}

// The front train of a lane has gone to all its outputs.
static void advance(struct ts_noc_router *self, uint32_t index, ts_cycle now)
{
    struct ts_noc_lane *lane = &self->lanes[index];
    const struct ts_noc_train *train = front(self, lane);
    struct ts_noc_link *link = self->in[index / TS_NOC_VCS];
    bool waited = train->arrived < now;
    self->waited += now - train->arrived;
    if (ts_noc_train_tail(train))
        lane->kept = train->packet->linked;
    uint32_t flits = train->flits;
    lane->first++;
    lane->count--;
    ts_noc_link_give(link, now, now, index % TS_NOC_VCS, flits, waited);
    if (lane->count)
        present(self, index, now);
}

static void send(struct ts_noc_router *self, uint32_t index, uint32_t out, ts_cycle now)
{
    struct ts_noc_lane *lane = &self->lanes[index];
    struct ts_noc_train train = *front(self, lane);
    train.vc = lane->vc[out];
    ts_noc_link_send(self->out[out], now, &train, train.packet->linked);
    self->moved++;
    self->turn[out] = (uint8_t)((index + 1) % TS_NOC_LANES);
    self->wants[out] &= ~(1ull << index);
    lane->left &= (uint8_t) ~(1u << out);
    if (lane->left == 0)
        advance(self, index, now);
}

// Serves one output; returns the cycle to look at it again, as far as this router knows.
static ts_cycle serve(struct ts_noc_router *self, uint32_t out, ts_cycle now)
{
    struct ts_noc_link *link = self->out[out];
    if (self->wants[out] == 0)
        return TS_NEVER;
    if (link->free > now)
        return link->free;
    ts_noc_link_settle(link, now);
    uint32_t top = top_priority(self, out);
    ts_cycle when = TS_NEVER;
    bool short_of_room = false;
    // Lanes from the turn on, then those before it.
    uint64_t after = self->wants[out] >> self->turn[out] << self->turn[out];
    uint64_t rounds[2] = {after, self->wants[out] ^ after};
    for (int round = 0; round < 2; round++) {
        for (uint64_t wants = rounds[round]; wants; wants &= wants - 1) {
            uint32_t index = (uint32_t)__builtin_ctzll(wants);
            struct ts_noc_lane *lane = &self->lanes[index];
            const struct ts_noc_train *train = front(self, lane);
            if ((lane->granted >> out & 1) == 0) {
                if (train->packet->priority && train->packet->priority < top)
                    continue;
                if (!grant(self, index, out, now, &when))
                    continue;
            }
            if (link->room[lane->vc[out]] < train->flits) {
                short_of_room = true;
                continue;
            }
            send(self, index, out, now);
            return self->wants[out] ? link->free : TS_NEVER;
        }
    }
    if (short_of_room) {
        link->blocked++;
        if (!link->crossing) {
            ts_cycle room = ts_noc_link_next_room(link);
            when = room < when ? room : when;
        }
    }
    return when;
}

static ts_step step(struct ts_component *base, ts_cycle now)
{
    struct ts_noc_router *self = (struct ts_noc_router *)base;
    for (uint32_t out = 0; out < TS_NOC_PORTS; out++)
        if (self->out[out])
            ts_noc_link_drop_wakes(self->out[out], now);
    take_in(self, now);
    ts_cycle when = TS_NEVER;
    for (uint32_t out = 0; out < TS_NOC_PORTS; out++) {
        ts_cycle next = serve(self, out, now);
        when = next < when ? next : when;
    }
    // A lane that moved may have put a train in front that goes to an output served before it.
    for (uint32_t out = 0; out < TS_NOC_PORTS; out++) {
        if (self->wants[out] && self->out[out]->free <= now) {
            ts_cycle next = serve(self, out, now);
            when = next < when ? next : when;
        }
    }
    ts_idle(base, now);
    if (when != TS_NEVER)
        ts_wake(base, when > now ? when : now + 1);
    return 0;
}

static const struct ts_counter counters[] = {
    {"moved", "trains", "trains sent to an output", offsetof(struct ts_noc_router, moved)},
    {"waited", "cycles", "cycles that trains lay in the buffers",
     offsetof(struct ts_noc_router, waited)},
    {0},
};
static const struct ts_component_ops ops = {"router", step, NULL, counters};

void ts_noc_router_init(struct ts_noc_router *self, struct ts_domain *domain,
                        const struct ts_noc_params *params, const struct ts_noc_shape *shape,
                        struct ts_noc_xy here, bool receives, unsigned noc, const char *name)
{
    struct ts_kernel *kernel = ts_domain_kernel(domain);
    self->shape = *shape;
    self->here = here;
    self->receives = receives;
    uint32_t depth = (uint32_t)(params->vc_buffer + 2 * params->train);
    self->ring = 1;
    while (self->ring < depth)
        self->ring *= 2;
    struct ts_noc_train *slots = ts_kernel_alloc(kernel,
                                                 (size_t)TS_NOC_LANES * self->ring * sizeof *slots);
    for (uint32_t i = 0; i < TS_NOC_LANES; i++)
        self->lanes[i].slots = slots + (size_t)i * self->ring;
    ts_component_init(&self->base, &ops, domain, "router%u%s", noc, name);
}

uint32_t ts_noc_router_held(const struct ts_noc_router *self)
{
    uint32_t held = 0;
    for (uint32_t i = 0; i < TS_NOC_LANES; i++)
        held += self->lanes[i].count;
    return held;
}
