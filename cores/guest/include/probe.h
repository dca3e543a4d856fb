// What probes and the host that starts them agree on: where their data and results lie in L1.
//
// The host: platform/study/silicon/crew.h.
#ifndef TENSIM_PROBES_PROBE_H
#define TENSIM_PROBES_PROBE_H

#define PROBE_RESULTS 0x1c000u // words
#define PROBE_DATA    0x20000u // from here to the end of L1

// Arguments of nocbench.cpp.
enum {
    NOCBENCH_LATE,  // cycles to wait before meeting the others
    NOCBENCH_PEERS, // other masters
    NOCBENCH_TO_X,
    NOCBENCH_TO_Y,
    NOCBENCH_REQUESTS,
    NOCBENCH_BYTES,
    NOCBENCH_DIRECTION,
    NOCBENCH_CHANNEL,
    NOCBENCH_PEER_XY // x and y of each
};
enum { NOCBENCH_WRITES, NOCBENCH_READS, NOCBENCH_BOTH };

// Arguments of zones.cpp and events.cpp.
enum { ZONES_X, ZONES_Y, ZONES_FAR, ZONES_TRANSACTIONS, ZONES_BYTES, ZONES_ARGUMENTS };

#ifdef KERNEL_BUILD
inline volatile uint32_t *probe_results()
{
    return (volatile uint32_t *)PROBE_RESULTS;
}
// The low word of the clock, as the reports read it.
inline uint32_t probe_clock()
{
    return *(volatile uint32_t *)RISCV_WALL_CLOCK;
}
#endif

#endif
