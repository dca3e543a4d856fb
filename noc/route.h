// Routes of packets: pure functions of position and header.
//
// Coordinates are a NoC's own, so packets of both NoCs move towards higher x and y and wrap around.
// Unicast: NoC 0 first along x, NoC 1 first along y. Broadcast: along the major axis to the
// rectangle, along the minor axis through it, and in each of its lines along the major axis again.
//
// Source: BlackholeA0/NoC/RoutingPaths.md, MemoryMap.md (NOC_RET_ADDR_HI), its diagrams.
#pragma once

#include "noc/packet.h"

enum ts_noc_port { TS_NOC_X, TS_NOC_Y, TS_NOC_LOCAL, TS_NOC_PORTS };

struct ts_noc_shape {
    uint8_t width, height;
    bool x_first; // unicast
};

// The mask of outputs (1 << enum ts_noc_port) that a packet takes at a router.
uint32_t ts_noc_route(const struct ts_noc_shape *shape, struct ts_noc_xy here,
                      const struct ts_noc_packet *packet);
// The virtual channel on an output: class and buddy stay; the dateline bit is cleared where a
// packet enters a ring and set where the ring closes.
uint32_t ts_noc_route_vc(const struct ts_noc_shape *shape, struct ts_noc_xy here,
                         enum ts_noc_port in, uint32_t vc, enum ts_noc_port out);
// Is the position in a broadcast's rectangle, and a receiver?
bool ts_noc_covers(const struct ts_noc_shape *shape, struct ts_noc_xy here,
                   const struct ts_noc_packet *packet);

// The legs of a broadcast's tree, as path reservation sees them: a trunk from the sender to the last
// line, and the lines that leave it. A broadcast along the sender's own line is a trunk alone.
struct ts_noc_legs {
    uint32_t trunk; // hops
    uint32_t lines; // with at least one hop
    uint32_t line;  // hops of each
};
struct ts_noc_legs ts_noc_legs(const struct ts_noc_shape *shape,
                               const struct ts_noc_packet *packet);
// A line leaves the trunk at this router: hops from the sender, and how many lines left before.
bool ts_noc_line_at(const struct ts_noc_shape *shape, struct ts_noc_xy here,
                    const struct ts_noc_packet *packet, uint32_t *hops, uint32_t *before);
