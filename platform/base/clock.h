// The host's clocks, for progress, speed and limits of time: no result depends on them.
#pragma once

#include "platform/base/std.h"

#include <time.h>

static inline uint64_t ts_clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t ts_nanoseconds(void)
{
    return ts_clock_ns(CLOCK_MONOTONIC);
}

static inline double ts_seconds(void)
{
    return 1e-9 * (double)ts_nanoseconds();
}
