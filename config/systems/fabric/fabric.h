// A small fabric over a ring: packets with a header travel towards the next chip, from router to router, until they are
// where they belong. A router sends only when the next one has room (credits); what passes through goes before what is new.
//
//   out (E0 of the tile towards the next chip) --link--> in (E0 of the tile towards the one before) --NoC--> worker
//     ^ own packets                                          '--NoC--> out, for chips further on
#pragma once
#include "internal/ethernet/dataflow_api.h"

struct packet {
    uint32_t to, from, bytes, unused; // chips; all bytes, multiples of 16
    uint32_t payload[];
};

constexpr uint32_t CREDITS = 0, CHANNEL = 1, QUEUE = 0;
constexpr uint32_t PLACE = 0x1000; // bytes that a packet may have
constexpr uint32_t ARRIVES = TS_ETH_FREE, OWN = TS_ETH_FREE + 0x8000,
                   PASSING = TS_ETH_FREE + 0x10000;
constexpr uint32_t PASSED = 0x18300;                // packets that `in' has handed to `out'
constexpr uint32_t INBOX = 0x40000, CAME = 0x3f000; // of the worker

// Every chip sends one packet to every other one: those that pass through a chip, and those that its link brings.
constexpr uint32_t passing(uint32_t chips)
{
    return (chips - 1) * (chips - 2) / 2;
}
constexpr uint32_t arriving(uint32_t chips)
{
    return chips - 1 + passing(chips);
}
