// Path reservation: which NIU may broadcast over which links.
//
//   NIU --ask(tree)--> arbiter --grant--> NIU ... --done--> arbiter          one for each NoC
//
// A broadcast with NOC_CMD_PATH_RESERVE first reserves a virtual channel on all links of its tree.
// In hardware a probe walks the tree, answers come back, and a refused one
// retries after a back-off. Here one arbiter keeps the reserved links of both broadcast channels; a
// request that finds a link taken waits. Two reserved broadcasts never hold parts of each other's
// paths: no deadlock.
//
// Time. A probe takes `reserve` to start, half of `reserve_hop` for each hop, and as much back.
//
//   sender ===> trunk ==+==> ... ==+==> last line       trunk: reserved by the sender
//                       |          |                    line: reserved by the router it leaves
//                     line       line
//
// The first flit leaves when the trunk is reserved. A rectangle's lines are reserved by the routers of
// the trunk, each from the cycle in which the probe has passed it and taken `reserve` to start
// the line's; the packet waits at a line that is not reserved yet (router.c). A broadcast along the
// sender's own line, or along the trunk alone, has no such lines. So a near rectangle with long
// lines is late at its first line and a little later at each line (B0976: 18 and 1.5 cycles), a far
// one is not (B0977), and the sender waits less than for a line as long as its longest branch
// (B0964). `reserve` and `reserve_hop` are those of single lines (B0942, B0947).
//
// Source: BlackholeA0/NoC/README.md (Performance), MemoryMap.md (NOC_CMD_PATH_RESERVE); B0942 to
// B0947.
// Inaccuracies: the back-off is one reserve_retry, not random and not exponential; grants are in
// the order of requests.
#pragma once

#include "noc/fabric.h"
#include "platform/kernel/fifo.h"

#define TS_NOC_LINK_WORDS (TS_NOC_WIDTH_MAX * TS_NOC_HEIGHT_MAX * 2 / 64)

// Messages from an NIU, and to it.
struct ts_noc_ask {
    bool done;      // the tail has left: the links are free again
    bool vc_static; // only this channel is acceptable
    bool y_major;
    uint8_t vc;
    struct ts_noc_xy start, to;
};

struct ts_noc_grant {
    uint8_t vc;
    bool waited;
};

// One tile's line to the arbiter. The NIU has the other ends of both FIFOs.
struct ts_noc_line {
    struct ts_fifo asks, grants;
    struct ts_port ask_out, ask_in, grant_out, grant_in;
    struct ts_noc_xy from;
};

struct ts_noc_tree {
    bool active, waited;
    uint32_t line;
    struct ts_noc_ask ask;
    uint64_t links[TS_NOC_LINK_WORDS];
};

struct ts_noc_arbiter {
    struct ts_component base;
    struct ts_noc_shape shape;
    struct ts_noc_line **lines;
    uint32_t line_count, line_room;
    struct ts_noc_tree *trees; // two for each line, in the order of requests
    uint32_t tree_count;
    uint64_t held[2][TS_NOC_LINK_WORDS]; // by buddy
    uint64_t granted, refused;           // counters
};

// `lines`: the largest number of rows and columns.
void ts_noc_arbiter_init(struct ts_noc_arbiter *self, struct ts_domain *domain,
                         const struct ts_noc_shape *shape, uint32_t lines);
// Connects an NIU: requests travel `there` cycles, grants `back`.
void ts_noc_arbiter_connect(struct ts_noc_arbiter *self, struct ts_noc_line *line,
                            struct ts_component *niu, struct ts_noc_xy from, ts_cycle there,
                            ts_cycle back, const char *name);
