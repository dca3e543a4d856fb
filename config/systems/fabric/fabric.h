// A small fabric: packets travel from a worker over routers on Ethernet tiles to workers of other chips.
//
//   worker --NoC--> channel 0 \                                            .--NoC--> worker
//                              sender (E0) --link--> receiver (E1 of the other end)
//   router --NoC--> channel 1 /                                            '--NoC--> channel 1 of the next link's router
//
// A channel is a ring of slots, one packet each. Its steps and credits are those of the vendor's router (tt-metal,
// fabric_erisc_router.cpp; the code is ours):
//   1. Who fills a slot writes the packet, then adds one to the channel's FILLED, a stream register, over the NoC.
//   2. The sender sees a filled slot. It sends it over TX queue 0, then adds one to the receiver's ARRIVED.
//   3. The receiver reads the header: it writes the payload to the worker, or the packet to the next router's slot.
//   4. When that write has left L1, the receiver counts the packet as completed, and sends its counts over TX queue 1.
//   5. The sender finds the count: the receiver has a slot more, and so has who filled the slot.
// Registers only count up, and those who read them know how far they were; the vendor's counts free slots, takes its own
// share from them, and needs all routers to be set up before the first packet. Ours adds its share to SENT and WRITTEN.
// State is in the cores' local memory, and a step looks at L1, registers and queues as often as the vendor's and in its order.
//
// On Wormhole, whose Ethernet tiles have one core, this core is a sender, a receiver or both in turn (router.cpp). Both use TX queue 0,
// and counts are additions to registers of the sender's tile, as the vendor's there.
//
// Routers are compiled for what is built of them (FABRIC):
//   LINE  as above.
//   RING  Slots of channels are given back when the receiver has seen the packet, not when it is done with it, and channel 0
//         leaves the last slot of the receiver to packets that pass: else a full ring could not move.
//   NEAR  Packets go to the next chip only: no channel 1, no routes, as many slots as the receiver; credits go back for several
//         packets at once.
#pragma once
#include "internal/ethernet/dataflow_api.h"

enum fabric_kind { LINE, RING, NEAR };
#ifndef FABRIC
#define FABRIC LINE
#endif
constexpr fabric_kind fabric = FABRIC;
constexpr uint32_t SEND_BATCH = 2, RECEIVE_BATCH = 4; // packets that credits go back for; NEAR
constexpr uint32_t ROUNDS = 32;                       // until a router looks whether it shall end

// SCATTER: the payload in two pieces, a place each. FUSED: the count comes when all payloads have.
enum packet_kind : uint8_t { WRITE, INCREMENT, WRITE_AND_INCREMENT, SCATTER, FUSED };
enum packet_step { KEEP = 1, PASS = 2, KEEP_AND_PASS = 3 };

struct packet_header {
    uint64_t to; // NoC address of the payload on its chip; of its first piece
    union {
        uint64_t counter;   // NoC address of the word to be incremented
        uint64_t places[3]; // of the other pieces
    };
    uint16_t first; // bytes of the first piece
    uint8_t pieces, unused[5];
    union {
        struct {
            uint16_t bytes; // of the payload
            packet_kind kind;
            uint8_t channel; // of the router that sends it next
        };
        uint32_t word; // all three
    };
    uint32_t route; // two bits a chip: packet_step; the next chip's are lowest
};
static_assert(sizeof(packet_header) == 48);

// Of `chips' chips only the last one keeps a packet.
constexpr uint32_t route_to(uint32_t chips)
{
    return (KEEP << 2 * (chips - 1)) | (0xaaaaaaaau & ((1u << 2 * (chips - 1)) - 1));
}

// Waits until a packet's header is in L1: what reads it next does not wait for this core's stores.
FORCE_INLINE void header_is_there(const volatile packet_header *header)
{
    ts_arrived(header->route);
}

// Streams of a router's tile: registers of 17 bits.
constexpr uint32_t ARRIVED = 0; // packets in the receiver
constexpr uint32_t RETURNED =
    1; // slots of channel 1 of the router that the receiver passes packets to
constexpr uint32_t FILLED = 2;            // slots of channel 0, 1
constexpr uint32_t SENT = 4, WRITTEN = 6; // packets of channel 0, 1; of the receiver
constexpr uint32_t
    COMPLETED = 8,
    SEEN = 10; // with one queue: counts of channel 0, 1, that the other end's receiver adds to
constexpr bool one_queue = TS_ETH_PACKET_QUEUES == 1;
// How far a count is ahead of another one.
FORCE_INLINE uint32_t ahead(uint32_t count, uint32_t of)
{
    return (count - of) & 0x1ffff;
}

// L1 of a router's tile.
struct router_credits {
    volatile uint32_t completed[2], seen[2]; // packets of channel 0, 1
};
constexpr uint32_t STOP = 0x18300;    // not 0: both cores end
constexpr uint32_t CREDITS = 0x18310; // from the other end's receiver
constexpr uint32_t COUNTS = 0x18320;  // of this receiver, for the other end
constexpr uint32_t WORD = 0x18330;    // a word on its way to the worker
constexpr uint32_t LOAD = 0x18340;    // what the link had to do
#ifndef PAYLOAD
#define PAYLOAD 4096
#endif
#ifndef SLOT_COUNT
#define SLOT_COUNT (TS_ETH_L1 < 0x80000 ? 8 : 16)
#endif
constexpr uint32_t SLOTS = SLOT_COUNT, RECEIVER_SLOTS = fabric == NEAR ? SLOTS : 2 * SLOTS,
                   SLOT = sizeof(packet_header) + PAYLOAD;
constexpr uint32_t CHANNEL[2] = {TS_ETH_FREE, TS_ETH_FREE + SLOTS *SLOT};
constexpr uint32_t RECEIVER = TS_ETH_FREE + (fabric == NEAR ? 1 : 2) * SLOTS * SLOT;

FORCE_INLINE uint32_t next_slot(uint32_t slot, uint32_t first, uint32_t slots = SLOTS)
{
    return slot == first + (slots - 1) * SLOT ? first : slot + SLOT;
}

// A worker's end of channel 0.
struct fabric_connection {
    uint32_t x, y;                 // of the router
    volatile uint32_t *given_back; // slots; the router writes it
    uint32_t slot = CHANNEL[0], sent = 0;

    void wait_for_slot() const
    {
        while (sent - *given_back >= SLOTS)
            ;
    }
    // From L1, payload first.
    FORCE_INLINE void send_payload(uint32_t from, uint32_t bytes)
    {
        noc_async_write(from, get_noc_addr(x, y, slot + sizeof(packet_header)), bytes);
    }
    FORCE_INLINE void send_header(uint32_t from)
    {
        noc_async_write(from, get_noc_addr(x, y, slot), sizeof(packet_header));
        send_credit();
    }
    // The slot goes with what it has.
    FORCE_INLINE void send_credit()
    {
        noc_inline_dw_write<InlineWriteDst::REG>(
            get_noc_addr(x, y, get_stream_reg_write_addr<FILLED>()), 1 << 6);
        sent++;
        slot = next_slot(slot, CHANNEL[0]);
    }
};
