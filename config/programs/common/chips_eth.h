// An Ethernet tile in a ring of chips: what its cores, those at the other end of its link and a worker agree on.
#pragma once
#include "eth_launch.h"

constexpr uint32_t CREDITS = 0, ARRIVED = 1; // registers of 17 bits that the other end adds to
// Slots for chunks that go to the link and that come from it. A tile of Wormhole, which has one core, has slots for one of the two.
constexpr uint32_t TO_LINK = TS_ETH_FREE, FROM_LINK = TS_ETH_L1 < 0x80000 ? TO_LINK : 0x50000,
                   END = TS_ETH_L1;
// Counters that the worker adds to: chunks for the link; chunks that came and that it has added, stored and passed on.
constexpr uint32_t READY = 0x18300, ADDED = 0x18310, STORED = 0x18320, PASSED = 0x18330;

inline const volatile uint32_t *counter(uint32_t at)
{
    return (const volatile uint32_t *)(uintptr_t)at;
}
// How far a register is ahead of a count.
inline uint32_t ahead(uint32_t value, uint32_t of)
{
    return (value - of) & 0x1ffff;
}
