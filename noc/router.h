// A router: three inputs, three outputs, 16 virtual channels on each link.
//
//              y in
//               |
//   x in --> [ lanes ] --> x out      A lane is the buffer of one channel at one input.
//   NIU  --> [  48   ] --> NIU        The packet at its front gets a channel on each output it
//               |                     takes (one, or up to three of a broadcast) and keeps it
//             y out                   from head to tail.
//
// Arbitration: packets that want one channel of an output take turns, by priority if they have one.
// Channels that have a train ready take turns on the link. Both are one round robin over the lanes.
//
// Source: BlackholeA0/NoC/README.md (Virtual channels), RoutingPaths.md, MemoryMap.md (NOC_CTRL);
// merge by packet and strict priority measured
// (boopdotpng/tenstorrent-docs noc-arbitration-priority.md, noc-vc-command-flags.md).
// It is busy while flits leave on any of its outputs.
// Timing: latency is in the links; a router moves a train in the cycle its head arrives, if it can.
// Inaccuracies: those of link.h. The dynamic buddy is the packet's own if it is free, else the
// other one. Behind a linked packet the next one keeps its channels but is routed by its own header
// (inferred: tt-metal's sharded matmul sends data without, then a flag with its own core).
#pragma once

#include "noc/link.h"
#include "noc/route.h"

#define TS_NOC_LANES (TS_NOC_PORTS * TS_NOC_VCS)

struct ts_noc_lane {
    struct ts_noc_train *slots; // ring
    uint16_t first, count;
    uint8_t outputs; // of the packet at the front; 0: not routed yet
    uint8_t left;    // outputs the front train must still go to
    bool kept;       // the last packet was linked: the next one follows it on the same channels
    uint8_t vc[TS_NOC_PORTS]; // on each output: the channel it has, or requests
    ts_cycle opens;           // the packet at the front gets no channel before
};

struct ts_noc_router {
    struct ts_component base;
    // Configuration and ports.
    struct ts_noc_shape shape;
    struct ts_noc_xy here;
    bool receives; // broadcasts: false for tiles that opted out
    uint32_t ring; // slots of a lane, a power of two
    uint32_t train;
    uint32_t reserve, reserve_hop;
    struct ts_noc_link *in[TS_NOC_PORTS], *out[TS_NOC_PORTS];
    // State.
    uint64_t wants[TS_NOC_PORTS];                 // lanes whose front train goes to this output
    uint64_t granted[TS_NOC_PORTS];               // and that have a channel there
    bool words[TS_NOC_PORTS];                     // trains come from this input (ts_fifo_bell)
    bool wakes[TS_NOC_PORTS];                     // wake-ups come from this output
    uint8_t turn[TS_NOC_PORTS];                   // the lane that comes first on the link
    uint64_t moved;                               // counters: trains;
    uint64_t waited;                              // cycles that trains waited in the lanes
    uint8_t grant_turn[TS_NOC_PORTS][TS_NOC_VCS]; // as turn, for each of the link's channels
    struct ts_noc_lane lanes[TS_NOC_LANES];
};

void ts_noc_router_init(struct ts_noc_router *self, struct ts_domain *domain,
                        const struct ts_noc_params *params, const struct ts_noc_shape *shape,
                        struct ts_noc_xy here, bool receives, unsigned noc, const char *name);
// Trains in the router's lanes.
uint32_t ts_noc_router_held(const struct ts_noc_router *self);
