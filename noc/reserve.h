// Path reservation: which NIU may broadcast over which links.
//
//   NIU --ask(tree)--> arbiter --grant--> NIU ... --done--> arbiter          one for each NoC
//
// A broadcast with NOC_CMD_PATH_RESERVE sends nothing until all routers of its tree have reserved a
// virtual channel for it. In hardware a probe walks the tree, answers come back, and a refused one
// retries after a back-off. Here one arbiter keeps the reserved links of both broadcast channels; a
// request that finds a link taken waits. Without competition the first flit leaves after `reserve`
// + `reserve_hop` for each hop of the longest branch, as measured; otherwise after another such
// round and a back-off. Two reserved broadcasts never hold parts of each other's paths: no
// deadlock.
//
// Source: BlackholeA0/NoC/README.md (Performance), MemoryMap.md (NOC_CMD_PATH_RESERVE); B0942 to
// B0947.
// Inaccuracies: the back-off is one reserve_retry, not random and not exponential; grants are in
// the order of requests.
#ifndef TENSIM_NOC_RESERVE_H
#define TENSIM_NOC_RESERVE_H

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

#endif
