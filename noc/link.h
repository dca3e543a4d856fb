// A link: trains one way, room the other way. The same for router to router, NIU to router and
// router to NIU.
//
//   sender --train--> [ latency ] --> receiver's buffer, one for each virtual channel
//          <--room--- [ latency ] ---
//
// One flit a cycle: a train of n flits keeps the link for n cycles. The receiver gets it when its
// head arrives; the other flits follow one a cycle, so it may forward the head at once. A train
// leaves only if its channel's buffer has room for all of it. Room comes back when the train leaves
// the buffer, or starts to: the buffer refills no faster than it drains.
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
// Inaccuracies: the buffers' size is not published (vc_buffer). Channels of one link share it train
// by train, not flit by flit.
#ifndef TENSIM_NOC_LINK_H
#define TENSIM_NOC_LINK_H

#include "noc/packet.h"
#include "noc/params.h"
#include "platform/kernel/fifo.h"

#define TS_NOC_NOBODY 0xffu

struct ts_noc_link {
    struct ts_fifo trains, wakes;
    struct ts_port out, in, wake_out, wake_in;
    struct ts_component *sender, *receiver;
    ts_cycle latency;
    uint32_t depth; // flits of a buffer
    uint32_t gap;   // cycles between packets on a channel
    bool crossing;
    // Sender's side.
    ts_cycle free;                // the next train may go
    ts_cycle vc_free[TS_NOC_VCS]; // the next packet may start on the channel
    uint16_t room[TS_NOC_VCS];    // flits
    uint8_t owner[TS_NOC_VCS];    // the sender of a packet on the channel; TS_NOC_NOBODY
    uint32_t taken;               // entries of the ring
    uint64_t flits, packets;      // counters
    uint64_t blocked;             // times a train waited for room
    // Receiver's side.
    uint64_t *ring __attribute__((aligned(64))); // cycle << 16 | channel << 12 | flits
    uint32_t ring_mask;
    atomic_uint given;
    ts_cycle last_given; // cycles in the ring never fall
    ts_cycle last_wake;
    uint64_t received; // flits
};

// The domain is the sender's.
void ts_noc_link_init(struct ts_noc_link *self, struct ts_domain *domain,
                      const struct ts_noc_params *params, ts_cycle latency, const char *name);
void ts_noc_link_connect(struct ts_noc_link *self, struct ts_component *sender,
                         struct ts_component *receiver);

// Sender: takes over the room that has come back by now.
static inline void ts_noc_link_settle(struct ts_noc_link *self, ts_cycle now)
{
    uint32_t given = atomic_load_explicit(&self->given, memory_order_acquire);
    while (self->taken != given) {
        uint64_t entry = self->ring[self->taken & self->ring_mask];
        if (entry >> 16 > now)
            break;
        self->room[entry >> 12 & 15] = (uint16_t)(self->room[entry >> 12 & 15] + (entry & 0xfff));
        self->taken++;
    }
}

// Sender, same domain as the receiver: when room comes back next; TS_NEVER if none is in flight.
static inline ts_cycle ts_noc_link_next_room(const struct ts_noc_link *self)
{
    uint32_t given = atomic_load_explicit(&self->given, memory_order_acquire);
    return self->taken == given ? TS_NEVER
                                : (ts_cycle)(self->ring[self->taken & self->ring_mask] >> 16);
}

// Sender: may a packet start on the channel?
static inline bool ts_noc_link_idle(const struct ts_noc_link *self, uint32_t vc, ts_cycle now)
{
    return self->owner[vc] == TS_NOC_NOBODY && self->vc_free[vc] <= now;
}

// Sender: sends a train (link free, room there, channel owned). A tail frees the channel unless
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
// Sender: drops the wake-ups that have come.
void ts_noc_link_drop_wakes(struct ts_noc_link *self, ts_cycle now);

#endif
