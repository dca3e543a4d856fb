// What the probes of `tensim silicon` and the host that starts them agree on: arguments, results, places in L1.
//
// Probes: config/probes. The host: platform/study/silicon/squad.h.
#ifndef TENSIM_GUEST_PROBE_H
#define TENSIM_GUEST_PROBE_H

#define PROBE_RESULTS 0x1c000u    // words
#define PROBE_DONE    0x600dd04eu // the last word that a probe writes
#define PROBE_DATA    0x20000u    // from here to the end of L1

// Arguments of api.cpp.
enum { API_ENGINE, API_ZONE, API_FUNCTION };
enum { API_UNPACK, API_MATH, API_PACK };
enum { API_TILES, API_INIT };
enum {
#define API_FUNCTION(name) API_##name,
#include "probe_api.def"
#undef API_FUNCTION
};

// Arguments of nocbench.cpp.
enum {
    NOCBENCH_LATE, // cycles to wait before meeting the others
    NOCBENCH_RESULTS,
    NOCBENCH_DATA,
    NOCBENCH_FLOW,
    NOCBENCH_PEERS, // other masters
    NOCBENCH_TO_X,
    NOCBENCH_TO_Y,
    NOCBENCH_REQUESTS,
    NOCBENCH_BYTES,
    NOCBENCH_DIRECTION,
    NOCBENCH_CHANNEL,
    NOCBENCH_PEER_XY // x and y of each
};
enum {
    NOCBENCH_OUT_DONE,
    NOCBENCH_OUT_FLOW,
    NOCBENCH_OUT_BEFORE,
    NOCBENCH_OUT_AFTER,
    NOCBENCH_OUT_CYCLES,
    NOCBENCH_OUT_X,
    NOCBENCH_OUT_Y,
    NOCBENCH_OUT_REQUESTS,
    NOCBENCH_OUT_BYTES,
    NOCBENCH_OUT_DIRECTION,
    NOCBENCH_OUT_CHANNEL,
    NOCBENCH_OUT_MEETING,
};
enum { NOCBENCH_WRITES, NOCBENCH_READS, NOCBENCH_BOTH };

// Arguments of zones.cpp and events.cpp.
enum { ZONES_X, ZONES_Y, ZONES_FAR, ZONES_TRANSACTIONS, ZONES_BYTES, ZONES_ARGUMENTS };

// Arguments of nocread.cpp.
enum {
    NOCREAD_RESULTS,
    NOCREAD_DATA,
    NOCREAD_DATA_BYTES,
    NOCREAD_KEEPS_STATE, // not 0: the source's coordinate is written once
    NOCREAD_TAG,
    NOCREAD_SAMPLE, // not 0: a second burst samples the requests in flight
    NOCREAD_READS,
    NOCREAD_BYTES,
    NOCREAD_SINK_STRIDE,
    NOCREAD_SOURCE_STRIDE,
    NOCREAD_SOURCES,
    NOCREAD_SOURCE_XY // x and y of each
};
enum {
    NOCREAD_OUT_DONE,
    NOCREAD_OUT_BEFORE,
    NOCREAD_OUT_AFTER,
    NOCREAD_OUT_CYCLES,
    NOCREAD_OUT_READS,
    NOCREAD_OUT_BYTES,
    NOCREAD_OUT_TAG,
    NOCREAD_OUT_STATE,
    NOCREAD_OUT_REST, // requests in flight before the second burst, most and last in it
    NOCREAD_OUT_MOST,
    NOCREAD_OUT_LAST,
    NOCREAD_OUT_SAMPLES,
};

// Arguments of dramrate.cpp.
enum {
    DRAMRATE_ARRIVALS, // a slot for each tile, all 0 at the start
    DRAMRATE_DATA,
    DRAMRATE_DATA_BYTES,
    DRAMRATE_INDEX, // of this tile
    DRAMRATE_TILES,
    DRAMRATE_REQUESTS,
    DRAMRATE_BYTES,
    DRAMRATE_X, // of the channel's endpoint
    DRAMRATE_Y,
    DRAMRATE_SLICE,
    DRAMRATE_SLICE_BYTES,
    DRAMRATE_PEER_XY // x and y of each tile
};
enum { DRAMRATE_OUT_DONE, DRAMRATE_OUT_BEFORE, DRAMRATE_OUT_AFTER };
#define DRAMRATE_SLOT 16 // bytes

#ifdef KERNEL_BUILD
// The low word of the clock, as the reports read it.
inline uint32_t probe_clock()
{
    return *(volatile uint32_t *)RISCV_WALL_CLOCK;
}
#endif

#endif
