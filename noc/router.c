#include "noc/router.h"

#include "platform/kernel/kernel.h"

static struct ts_noc_train *front(const struct ts_noc_router *self, const struct ts_noc_lane *lane)
{
    return &lane->slots[lane->first & (self->ring - 1)];
}

static void advance(struct ts_noc_router *self, uint32_t index, ts_cycle now);

// When the line of a reserved broadcast that leaves the trunk here is reserved: the probe has come
// down the trunk and went along the line and back. 0: it was reserved before the packet left.
static ts_cycle opening(const struct ts_noc_router *self, const struct ts_noc_packet *packet)
{
    struct ts_noc_legs legs;
    uint32_t hops, before;
    if (packet->probe == 0 || (legs = ts_noc_legs(&self->shape, packet)).lines == 0 ||
        !ts_noc_line_at(&self->shape, self->here, packet, &hops, &before))
        return 0;
    return packet->probe + self->reserve_hop * hops / 2 + self->reserve * (2 + before) +
           self->reserve_hop * legs.line;
}

// Routes the train that is now at the front of a lane.
static void present(struct ts_noc_router *self, uint32_t index, ts_cycle now)
{
    struct ts_noc_lane *lane = &self->lanes[index];
    const struct ts_noc_train *train = front(self, lane);
    if (train->first == 0) {
        uint32_t outputs = ts_noc_route(&self->shape, self->here, train->packet);
        if (train->packet->broadcast && !self->receives)
            outputs &= ~(1u << TS_NOC_LOCAL);
        // A branch of a broadcast may end at a tile that does not receive: there it is dropped.
        if (outputs == 0 && !train->packet->broadcast)
            ts_fault(&self->base, now, TS_BUG, "a %s from %u-%u does not know where to go",
                     ts_noc_kind_name(train->packet->kind), train->packet->from.x,
                     train->packet->from.y);
        // Behind a linked packet the channels are kept; whether the sender itself receives is each
        // packet's own.
        const uint32_t kept = lane->kept ? lane->outputs : 0;
        for (uint32_t out = 0; out < TS_NOC_PORTS; out++) {
            if (kept & outputs & 1u << out)
                continue;
            if (kept >> out & 1)
                ts_noc_link_release(self->out[out], lane->vc[out], now);
            self->granted[out] &= ~(1ull << index);
            if (outputs >> out & 1)
                lane->vc[out] = (uint8_t)ts_noc_route_vc(
                    &self->shape, self->here, index / TS_NOC_VCS, index % TS_NOC_VCS, out);
        }
        lane->outputs = (uint8_t)outputs;
        lane->opens = opening(self, train->packet);
    }
    lane->left = lane->outputs;
    for (uint32_t out = 0; out < TS_NOC_PORTS; out++)
        if (lane->left >> out & 1)
            self->wants[out] |= 1ull << index;
    if (lane->left == 0)
        advance(self, index, now);
}

// The front train of a lane has gone to all its outputs.
static void advance(struct ts_noc_router *self, uint32_t index, ts_cycle now)
{
    struct ts_noc_lane *lane = &self->lanes[index];
    const struct ts_noc_train *train = front(self, lane);
    struct ts_noc_link *link = self->in[index / TS_NOC_VCS];
    bool waited = train->arrived < now;
    self->waited += now - train->arrived;
    uint32_t flits = train->flits;
    if (ts_noc_train_tail(train)) {
        lane->kept = train->packet->linked;
        if (train->packet->broadcast)
            ts_noc_packet_release(train->packet);
    }
    lane->first++;
    lane->count--;
    ts_noc_link_give(link, now, now, index % TS_NOC_VCS, flits, waited);
    if (lane->count)
        present(self, index, now);
}

// Only the first flits of the train at the front of a lane may leave: the others become a train
// behind it.
static void split(struct ts_noc_router *self, struct ts_noc_lane *lane, uint32_t flits)
{
    struct ts_noc_train *rest = front(self, lane), first = *rest;
    first.flits = (uint8_t)flits;
    rest->first = (uint16_t)(rest->first + flits);
    rest->flits = (uint8_t)(rest->flits - flits);
    rest->arrived += flits;
    lane->first--;
    lane->count++;
    *front(self, lane) = first;
}

// A train joins the last train of its lane if it follows it without a gap and the last train has not left yet.
static bool append(struct ts_noc_router *self, struct ts_noc_lane *lane,
                   const struct ts_noc_train *train)
{
    if (lane->count == 0 || (lane->count == 1 && lane->left != lane->outputs))
        return false;
    struct ts_noc_train *last =
        &lane->slots[(uint32_t)(lane->first + lane->count - 1) & (self->ring - 1)];
    if (last->packet != train->packet || last->first + last->flits != train->first ||
        last->flits + train->flits > self->train)
        return false;
    last->flits = (uint8_t)(last->flits + train->flits);
    return true;
}

static void take_in(struct ts_noc_router *self, ts_cycle now)
{
    for (uint32_t in = 0; in < TS_NOC_PORTS; in++) {
        struct ts_noc_train train;
        if (!self->words[in])
            continue;
        while (ts_fifo_head(&self->in[in]->in, now)) {
            ts_noc_link_receive(self->in[in], now, &train);
            uint32_t index = in * TS_NOC_VCS + train.vc;
            struct ts_noc_lane *lane = &self->lanes[index];
            if (append(self, lane, &train))
                continue;
            lane->slots[(uint32_t)(lane->first + lane->count) & (self->ring - 1)] = train;
            if (lane->count++ == 0)
                present(self, index, now);
        }
        self->words[in] = !ts_fifo_empty(&self->in[in]->trains);
    }
}

// A channel of an output for the packet at the front of a lane; false if there is none now. `when`
// is lowered to the cycle in which one will be free, if that is known.
static bool grant(struct ts_noc_router *self, uint32_t index, uint32_t out, ts_cycle now,
                  ts_cycle *when)
{
    struct ts_noc_lane *lane = &self->lanes[index];
    struct ts_noc_link *link = self->out[out];
    if (lane->opens > now) {
        *when = lane->opens < *when ? lane->opens : *when;
        return false;
    }
    uint32_t wish = lane->vc[out], choices = front(self, lane)->packet->vc_static ? 1 : 2;
    for (uint32_t buddy = 0; buddy < choices; buddy++) {
        uint32_t vc = wish ^ buddy;
        if (ts_noc_link_idle(link, vc, now)) {
            link->vc[vc].owner = (uint8_t)index;
            lane->vc[out] = (uint8_t)vc;
            self->granted[out] |= 1ull << index;
            self->grant_turn[out][wish] = (uint8_t)((index + 1) % TS_NOC_LANES);
            return true;
        }
        if (link->vc[vc].owner == TS_NOC_NOBODY && link->vc[vc].free < *when)
            *when = link->vc[vc].free;
    }
    return false;
}

// Lanes that request the same channel of an output as this one.
static uint64_t rivals(const struct ts_noc_router *self, uint64_t asks, uint32_t index,
                       uint32_t out)
{
    uint64_t group = 0;
    for (uint64_t left = asks; left; left &= left - 1) {
        uint32_t other = (uint32_t)__builtin_ctzll(left);
        if (self->lanes[other].vc[out] == self->lanes[index].vc[out])
            group |= 1ull << other;
    }
    return group;
}

// Grants the channels of an output to the packets that request one.
static void grant_all(struct ts_noc_router *self, uint32_t out, ts_cycle now, ts_cycle *when)
{
    uint64_t asks = self->wants[out] & ~self->granted[out];
    while (asks) {
        uint32_t one = (uint32_t)__builtin_ctzll(asks);
        uint64_t group = rivals(self, asks, one, out);
        asks &= ~group;
        // Lanes from the turn on, then those before it; of lanes with a priority only the highest.
        uint32_t top = 0;
        for (uint64_t left = group; left && group & (group - 1); left &= left - 1) {
            uint32_t priority = front(self, &self->lanes[__builtin_ctzll(left)])->packet->priority;
            top = priority > top ? priority : top;
        }
        uint32_t turn = self->grant_turn[out][self->lanes[one].vc[out]];
        uint64_t after = group >> turn << turn;
        uint64_t rounds[2] = {after, group ^ after};
        for (int round = 0; round < 2; round++)
            for (uint64_t left = rounds[round]; left; left &= left - 1) {
                uint32_t index = (uint32_t)__builtin_ctzll(left);
                uint32_t priority = front(self, &self->lanes[index])->packet->priority;
                if (priority == 0 || priority == top || top == 0)
                    grant(self, index, out, now, when);
            }
    }
}

static void send(struct ts_noc_router *self, uint32_t index, uint32_t out, ts_cycle now)
{
    struct ts_noc_lane *lane = &self->lanes[index];
    struct ts_noc_train train = *front(self, lane);
    train.vc = lane->vc[out];
    if (train.first == 0 && train.packet->broadcast && out != TS_NOC_LOCAL)
        ts_noc_packet_hold(train.packet); // by the next router
    ts_noc_link_send(self->out[out], now, &train, train.packet->linked);
    self->moved++;
    self->turn[out] = (uint8_t)((index + 1) % TS_NOC_LANES);
    self->wants[out] &= ~(1ull << index);
    lane->left &= (uint8_t) ~(1u << out);
    if (lane->left == 0)
        advance(self, index, now);
}

// Sends the train at the front of a lane, or as much of it as there is room for. False: there is none; `needs` is raised to the
// flits without whose room nothing leaves.
static inline bool sends(struct ts_noc_router *self, uint32_t index, uint32_t out, ts_cycle now,
                         uint32_t *needs)
{
    struct ts_noc_lane *lane = &self->lanes[index];
    const struct ts_noc_train *train = front(self, lane);
    uint32_t flits = train->flits,
             allowed = ts_noc_link_allows(self->out[out], lane->vc[out], flits,
                                          train->packet->flits > 1, now);
    // Another output of a broadcast has sent the train: it cannot be split any more.
    const bool whole = lane->left != lane->outputs;
    if (allowed < (whole ? flits : 1)) {
        *needs = whole && flits > *needs ? flits : *needs;
        return false;
    }
    if (allowed < flits)
        split(self, lane, allowed);
    send(self, index, out, now);
    return true;
}

// Serves one output that is wanted and free; returns the cycle to look at it again, as far as this router knows.
static ts_cycle serve(struct ts_noc_router *self, uint32_t out, ts_cycle now)
{
    struct ts_noc_link *link = self->out[out];
    ts_noc_link_settle(link, now);
    ts_cycle when = TS_NEVER;
    const uint64_t wants = self->wants[out];
    const uint32_t only = (uint32_t)__builtin_ctzll(wants);
    if (wants & (wants - 1))
        grant_all(self, out, now, &when);
    else if (!(self->granted[out] & wants) && !grant(self, only, out, now, &when))
        return when; // the only lane, without a channel
    // Lanes from the turn on, then those before it.
    uint64_t ready = wants & self->granted[out];
    uint64_t after = ready >> self->turn[out] << self->turn[out];
    uint64_t rounds[2] = {after, ready ^ after};
    uint32_t needs = 1;
    for (int round = 0; round < 2; round++)
        for (uint64_t left = rounds[round]; left; left &= left - 1)
            if (sends(self, (uint32_t)__builtin_ctzll(left), out, now, &needs))
                return self->wants[out] ? link->free : TS_NEVER;
    if (ready) {
        ts_cycle room = ts_noc_link_next_room(link, now, needs);
        when = room < when ? room : when;
    }
    return when;
}

// Serves all outputs, in their order; returns the cycle to look at them again, as far as this router knows.
static ts_cycle serve_all(struct ts_noc_router *self, ts_cycle now)
{
    ts_cycle when = TS_NEVER;
    for (uint32_t out = 0; out < TS_NOC_PORTS; out++) {
        if (self->wants[out] == 0)
            continue;
        ts_cycle next = self->out[out]->free;
        if (next <= now)
            next = serve(self, out, now);
        when = next < when ? next : when;
    }
    return when;
}

// A link that a lane needs and does not get; NULL: none.
static const struct ts_noc_link *stuck_on(const struct ts_noc_router *self)
{
    for (uint32_t out = 0; out < TS_NOC_PORTS; out++)
        if (self->wants[out])
            return self->out[out];
    return NULL;
}

static ts_step step(struct ts_component *base, ts_cycle now)
{
    struct ts_noc_router *self = (struct ts_noc_router *)base;
    uint64_t moved = self->moved;
    for (uint32_t out = 0; out < TS_NOC_PORTS; out++)
        if (self->wakes[out])
            self->wakes[out] = ts_noc_link_drop_wakes(self->out[out], now);
    take_in(self, now);
    ts_cycle when = serve_all(self, now);
    // A lane that moved may now have a train in front for an output that was served before it.
    if (moved != self->moved) {
        ts_cycle again = serve_all(self, now);
        when = again < when ? again : when;
    }
    // A train here that could not move waits for a channel or for room; new arrivals are still
    // handled.
    const struct ts_noc_link *stuck = moved == self->moved ? stuck_on(self) : NULL;
    if (stuck)
        ts_alert(base, now, TS_STALL_FIFO_FULL, &stuck->trains.object);
    else
        ts_idle(base, now);
    if (when != TS_NEVER)
        ts_wake(base, when > now ? when : now + 1);
    return 0;
}

// What could end the wait: the holder of the channel, otherwise the receiver without room.
static struct ts_wait waiting(const struct ts_component *base)
{
    const struct ts_noc_router *self = (const struct ts_noc_router *)base;
    const struct ts_noc_link *stuck = stuck_on(self);
    if (stuck == NULL)
        return (struct ts_wait){base->reason, base->on, NULL};
    struct ts_wait wait = {TS_STALL_FIFO_FULL, &stuck->trains.object, stuck->receiver};
    for (uint32_t out = 0; out < TS_NOC_PORTS; out++) {
        uint64_t asks = self->out[out] == stuck ? self->wants[out] & ~self->granted[out] : 0;
        if (asks == 0)
            continue;
        uint32_t index = (uint32_t)__builtin_ctzll(asks);
        uint32_t owner = stuck->vc[self->lanes[index].vc[out]].owner;
        if (owner != TS_NOC_NOBODY && self->in[owner / TS_NOC_VCS])
            wait.holder = self->in[owner / TS_NOC_VCS]->sender;
    }
    return wait;
}

static const struct ts_counter counters[] = {
    {"moved", "trains", "trains sent to an output", offsetof(struct ts_noc_router, moved)},
    {"waited", "cycles", "cycles that trains lay in the buffers",
     offsetof(struct ts_noc_router, waited)},
    {0},
};
static const struct ts_component_ops ops = {.kind = "router",
                                            .step = step,
                                            .waiting = waiting,
                                            .counters = counters,
                                            TS_HOT(struct ts_noc_router, shape, lanes)};

void ts_noc_router_init(struct ts_noc_router *self, struct ts_domain *domain,
                        const struct ts_noc_params *params, const struct ts_noc_shape *shape,
                        struct ts_noc_xy here, bool receives, unsigned noc, const char *name)
{
    struct ts_kernel *kernel = ts_domain_kernel(domain);
    self->shape = *shape;
    self->here = here;
    self->receives = receives;
    self->train = (uint32_t)params->train;
    self->reserve = (uint32_t)params->reserve;
    self->reserve_hop = (uint32_t)params->reserve_hop;
    uint32_t depth = ts_noc_link_most(params);
    self->ring = 1;
    while (self->ring < depth)
        self->ring *= 2;
    struct ts_noc_train *slots = ts_kernel_alloc_sparse(kernel, (size_t)TS_NOC_LANES * self->ring *
                                                                    sizeof *slots);
    for (uint32_t i = 0; slots && i < TS_NOC_LANES; i++)
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
