// Event buffers: zones timed with the wall clock, as the vendor's perf kernels write them.
#pragma once
#include "tensix.h"

#if defined(TRISC_UNPACK)
#define TS_EVENTS (TS_L1_EVENTS)
#elif defined(TRISC_MATH)
#define TS_EVENTS (TS_L1_EVENTS + 0x1000)
#else
#define TS_EVENTS (TS_L1_EVENTS + 0x2000)
#endif

namespace profile {
inline uint32_t used;

inline void event(uint32_t type, uint32_t zone)
{
    uint32_t low = TS_REG(RISCV_WALL_CLOCK);
    uint32_t high = TS_REG(RISCV_WALL_CLOCK + 8);
    if (used >= 1022)
        return;
    volatile uint32_t *entry = (volatile uint32_t *)TS_EVENTS + used;
    entry[0] = type << 28 | zone << 12 | (high & 0xfff);
    entry[1] = low;
    used += 2;
}

// A zone from construction to end of scope.
struct zone {
    uint32_t id;
    explicit zone(uint32_t which) : id(which) { event(TS_EVENT_START, id); }
    ~zone() { event(TS_EVENT_END, id); }
};
} // namespace profile
