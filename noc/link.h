// A link: trains one way, room the other way. The same for router to router, NIU to router and
// router to NIU.
//
//   sender --train--> [ latency ] --> receiver's buffers: a flit for each virtual channel and a
//          <--room--- [ credit  ] --- pool that they share, of which one channel takes a part
//
// One flit a cycle: a train of n flits keeps the link for n cycles. The receiver gets it when its
// head arrives; the other flits follow one a cycle, so it may forward the head at once. Room comes
// back when the train leaves the buffer, or starts to: the buffer refills no faster than it drains.
//
// A buffer holds what one channel sends in a round trip (latency + credit). So a channel whose flits
// go on without delay is never short of room, and its trains leave unasked. The sender knows that
// flits are delayed when their room is not back after a round trip. Then it sends as
// many flits as there is room for, and splits a train if it must. What it sent before it could know
// overfills the buffer by at most a train and a round trip. In hardware a credit is faster than
// here, where it must not shorten the kernel's windows: a packet of several flits may use the room
// that returned in the meantime (vc_ahead, which the pool does not count). Packets of one flit,
// requests above all, never do.
//
// Trains and wake-ups go through FIFOs of the kernel, so a link may cross from one domain to
// another. Room does not: it makes no component step. The receiver writes (cycle, channel, flits)
// into a ring, and the sender reads the entries that are due whenever it steps. An entry written in
// a window is due after it, so what the sender finds does not depend on the order. Only if a train
// had to wait in the buffer, so that the sender may be short of room, a wake-up goes through the
// kernel as well.
//
// A link and its sender are busy while flits leave.
//
// Source: BlackholeA0/NoC/README.md, RoutingPaths.md (Congestion).
// Timing: config/noc.def.
// Buffers: WormholeB0/NoC/RoutingPaths.md; those of Blackhole are not published (config/noc.def).
// Inaccuracies: channels of one link share it train by train, not flit by flit.
#pragma once

#include "noc/packet.h"
#include "noc/params.h"
#include "platform/kernel/fifo.h"

#define TS_NOC_NOBODY 0xffu

// A channel, as the sender has it.
struct ts_noc_vc {
    ts_cycle free; // the next packet may start
    uint64_t went; // flits of the last 64 cycles: bit 0 is the cycle before `past`
    ts_cycle past;
    int16_t used;  // flits whose room has not come back
    uint8_t owner; // the sender of a packet; TS_NOC_NOBODY
};

struct ts_noc_link {
    struct ts_fifo trains, wakes;
    struct ts_port out, in, wake_out, wake_in;
    struct ts_component *sender, *receiver;
    // Sender's side.
    ts_cycle free __attribute__((aligned(64))); // the next train may go
    ts_cycle latency;
    int32_t depth;           // flits of a buffer
    int32_t ahead;           // flits of a longer packet that may leave before their room is back
    int32_t pool;            // flits of the shared part that are free
    uint32_t rest;           // of a channel behind a packet: a cycle for 2^rest flits
    uint32_t taken;          // entries of the ring
    uint32_t words;          // of each channel in `older`
    uint64_t flits, packets; // counters
    struct ts_noc_vc vc[TS_NOC_VCS];
    uint64_t *older; // flits of the cycles before those of `went`, as long as a round trip takes
    // Receiver's side.
    uint64_t *ring __attribute__((aligned(64))); // cycle << 16 | channel << 12 | flits
    uint32_t ring_mask;
    atomic_uint given;
    ts_cycle credit;
    ts_cycle last_given; // cycles in the ring never fall
    ts_cycle last_wake;
    uint64_t received; // flits
    bool crossing;
};

// What a link connects; its latency.
enum ts_noc_way { TS_NOC_HOP, TS_NOC_UP, TS_NOC_DOWN, TS_NOC_WAYS };

// The domain is the sender's.
void ts_noc_link_init(struct ts_noc_link *self, struct ts_domain *domain,
                      const struct ts_noc_params *params, enum ts_noc_way way, const char *name);
void ts_noc_link_connect(struct ts_noc_link *self, struct ts_component *sender,
                         struct ts_component *receiver);

// Sender: flits that leave, or below 0 whose room is back.
static inline void ts_noc_link_use(struct ts_noc_link *self, uint32_t vc, int32_t flits)
{
    int16_t *used = &self->vc[vc].used;
    int32_t own = self->ahead + 1, before = *used - own, after = before + flits;
    self->pool -= (after > 0 ? after : 0) - (before > 0 ? before : 0);
    *used = (int16_t)(*used + flits);
}

// Sender: takes over the room that has come back by now.
static inline void ts_noc_link_settle(struct ts_noc_link *self, ts_cycle now)
{
    uint32_t given = atomic_load_explicit(&self->given, memory_order_acquire);
    while (self->taken != given) {
        uint64_t entry = self->ring[self->taken & self->ring_mask];
        if (entry >> 16 > now)
            break;
        ts_noc_link_use(self, entry >> 12 & 15, -(int32_t)(entry & 0xfff));
        self->taken++;
    }
}

// The flits of a word of history that left in its latest cycles.
static inline uint64_t ts_noc_latest(uint64_t went, ts_cycle cycles)
{
    return cycles < 64 ? went & ((1ull << cycles) - 1) : went;
}

int ts_noc_link_fresh_long(const struct ts_noc_link *self, uint32_t vc, ts_cycle cycles);

// Sender: flits of the channel that are on their way, or whose room is on its way back, if nothing
// delays them.
static inline int ts_noc_link_fresh(const struct ts_noc_link *self, uint32_t vc, ts_cycle now)
{
    const struct ts_noc_vc *channel = &self->vc[vc];
    ts_cycle since = channel->past + self->latency + self->credit; // the last one is back before
    if (since <= now + 1)
        return 0;
    ts_cycle cycles = since - now - 1;
    if (__builtin_expect(cycles > 64, 0))
        return ts_noc_link_fresh_long(self, vc, cycles);
    return __builtin_popcountll(ts_noc_latest(channel->went, cycles));
}

// Sender: how many of so many flits of a packet may leave now; `longer`: the packet has several.
static inline uint32_t ts_noc_link_allows(const struct ts_noc_link *self, uint32_t vc,
                                          uint32_t flits, bool longer, ts_cycle now)
{
    int32_t used = self->vc[vc].used, ahead = self->ahead, most = (int32_t)flits;
    int32_t room = self->depth - used + (longer ? ahead : 0);
    if (__builtin_expect(most > room, 0) && used > ts_noc_link_fresh(self, vc, now))
        most = room;
    int32_t fits = (self->pool > 0 ? self->pool : 0) + (used <= ahead ? ahead + 1 - used : 0);
    most = most < fits ? most : fits;
    return most > 0 ? (uint32_t)most : 0;
}

// Sender: when to look for room of so many flits again, if no wake-up comes before.
ts_cycle ts_noc_link_next_room(const struct ts_noc_link *self, ts_cycle now, uint32_t flits);

// Sender: may a packet start on the channel?
static inline bool ts_noc_link_idle(const struct ts_noc_link *self, uint32_t vc, ts_cycle now)
{
    return self->vc[vc].owner == TS_NOC_NOBODY && self->vc[vc].free <= now;
}

// Most flits of a channel that are in a buffer and on the way to it, on the longest of the links.
uint32_t ts_noc_link_most(const struct ts_noc_params *params);

// Sender: sends a train (link free, allowed, channel owned). A tail frees the channel unless
// `keep`.
void ts_noc_link_send(struct ts_noc_link *self, ts_cycle now, const struct ts_noc_train *train,
                      bool keep);
// The channel that was kept for the next packet is not needed: the sender goes elsewhere.
void ts_noc_link_release(struct ts_noc_link *self, uint32_t vc, ts_cycle now);
// Receiver: the next train that has arrived; false if there is none.
bool ts_noc_link_receive(struct ts_noc_link *self, ts_cycle now, struct ts_noc_train *train);
// Receiver: a train's room is free from `at` (now or later); `waited`: the sender may wait for it.
void ts_noc_link_give(struct ts_noc_link *self, ts_cycle now, ts_cycle at, uint32_t vc,
                      uint32_t flits, bool waited);
// Sender: drops the wake-ups that have come; are there more on the way? Only if it crosses.
bool ts_noc_link_drop_wakes(struct ts_noc_link *self, ts_cycle now);
