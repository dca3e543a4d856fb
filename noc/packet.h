// Packets of the network on chip, and the trains of flits they travel in.
//
//   packet: header flit + up to 256 flits of data       train: a run of consecutive flits
//   [H|d|d|d|d|d|d|d|d|d|d|d]  ------------------------------>    [H d d d] [d d d d] [d d d d]
//
// A packet is one object from the NIU that sends it to the NIUs that receive it. Only trains move;
// they hold a pointer. The sender owns the memory: the last receiver, on any thread, puts the
// packet back on the sender's list of returned ones. Only the address of a packet's memory depends
// on that order. A broadcast is also held by each router it has entered and not left: a branch may
// go on, to routers that receive nothing, when all receivers have the packet.
//
// Source: BlackholeA0/NoC/README.md, MemoryMap.md.
#pragma once

#include "platform/base/cycle.h"

#include <stdatomic.h>

#define TS_NOC_VCS        16u
#define TS_NOC_IDS        16u // transaction ids
#define TS_NOC_WIDTH_MAX  32u
#define TS_NOC_HEIGHT_MAX 32u

// A virtual channel number: dateline bit, two class bits, buddy bit.
#define TS_NOC_VC_DATELINE 8u
#define TS_NOC_VC_BUDDY    1u
enum ts_noc_class {
    TS_NOC_CLASS_REQUEST0 = 0,
    TS_NOC_CLASS_REQUEST1 = 1,
    TS_NOC_CLASS_BROADCAST = 2,
    TS_NOC_CLASS_RESPONSE = 3,
};

struct ts_noc_xy {
    uint8_t x, y;
};

enum ts_noc_kind {
    TS_NOC_READ,
    TS_NOC_ATOMIC,
    TS_NOC_WRITE,
    TS_NOC_READ_RESPONSE,
    TS_NOC_ATOMIC_RESPONSE,
    TS_NOC_WRITE_ACK,
};
#define TS_NOC_KINDS (TS_NOC_WRITE_ACK + 1)

const char *ts_noc_kind_name(enum ts_noc_kind kind);

struct ts_noc_packet {
    struct ts_noc_packet *next; // in a list of its pool, or in a queue of an NIU
    struct ts_noc_packet *made; // the one its pool made before
    struct ts_noc_pool *pool;
    atomic_uint holders; // receivers that do not have all of it yet, routers of a broadcast
    // Header. Coordinates are of the packet's own NoC: both NoCs flow towards higher ones.
    uint8_t kind; // enum ts_noc_kind
    uint8_t vc;   // class and buddy it starts with
    uint8_t priority;
    uint8_t id;   // transaction id
    bool carries; // a payload
    bool posted, broadcast, linked, y_major, source_too, vc_static, inline_data, masked, reserve;
    struct ts_noc_xy from;  // the NIU that sends this packet
    struct ts_noc_xy to;    // receiver; of a broadcast the end of its rectangle
    struct ts_noc_xy start; // of a broadcast's rectangle
    struct ts_noc_xy back;  // who gets the response
    uint32_t exclude;       // NOC_BRCST_EXCLUDE
    uint64_t address;       // at the receiver
    uint64_t back_address;  // where the response's bytes go
    uint32_t length;        // bytes: of the payload; of a read, of the response
    uint32_t operation;     // NOC_AT_LEN_BE of an atomic
    uint32_t data;          // NOC_AT_DATA; the result in an atomic response
    uint64_t mask;          // byte enables
    uint32_t flits;
    uint32_t receivers;
    // At the sender: where the payload is read, and when it is available.
    uint64_t source;
    uint32_t sent;  // flits
    uint32_t read;  // flits whose bytes memory delivers by `ready`
    ts_cycle ready; // no train before
    ts_cycle probe; // when the probe left that reserves the path of a broadcast; 0: none did
    uint32_t rate;  // bytes per 1000 cycles that the memory delivers; 0: as fast as the link
    ts_cycle base;  // when it delivers the first one
    // At the receiver of a request: the room it keeps until it is served; of a write its turn at
    // the memory.
    uint8_t held_vc;
    uint8_t held_flits;
    uint32_t turn_rate;
    uint32_t turn_after;
    uint32_t turn_early;
    ts_cycle turn, enters;
    ts_cycle issued;            // by software: the NIU has it
    struct ts_check_trip *trip; // of the request, for checks; NULL: none
    unsigned char *bytes;
    uint32_t room;
};

struct ts_noc_train {
    struct ts_noc_packet *packet;
    uint16_t first; // flit of the packet
    uint8_t flits;
    uint8_t vc;       // on the link it came over
    ts_cycle arrived; // head flit, at the receiver
};

static inline bool ts_noc_train_tail(const struct ts_noc_train *train)
{
    return (uint32_t)train->first + train->flits == train->packet->flits;
}

// The packets of one NIU.
struct ts_noc_pool {
    struct ts_noc_packet *free; // the owner's
    _Atomic(struct ts_noc_packet *) returned;
    struct ts_noc_packet *made; // all, the last one first
};

// A packet with room for `length` bytes, all fields zero; held by one. NULL: out of memory.
struct ts_noc_packet *ts_noc_packet_new(struct ts_noc_pool *pool, uint32_t length);
// One more holds the packet; the caller knows of another holder. Any thread.
static inline void ts_noc_packet_hold(struct ts_noc_packet *packet)
{
    atomic_fetch_add_explicit(&packet->holders, 1, memory_order_relaxed);
}
// One holder is done with the packet; the last one returns it to the pool. Any thread.
void ts_noc_packet_release(struct ts_noc_packet *packet);
// Frees all packets of the pool, including those in flight.
void ts_noc_pool_free(struct ts_noc_pool *pool);
