// The only time there is: a count of clock cycles since the start of the run.
#pragma once

#include "platform/base/std.h"

typedef uint64_t ts_cycle;

#define TS_NEVER UINT64_MAX

// A cycle that much later; never stays never.
// Cycles in 32 bits; what is longer is the longest.
static inline uint32_t ts_cycle_short(ts_cycle cycles)
{
    return cycles < UINT32_MAX ? (uint32_t)cycles : UINT32_MAX;
}

static inline ts_cycle ts_cycle_add(ts_cycle at, ts_cycle later)
{
    return later < TS_NEVER - at ? at + later : TS_NEVER;
}
