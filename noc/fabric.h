// Data that all NIUs of a chip share: the grid, the kind of every node, and what can be reached
// there. Constant once built.
#pragma once

#include "noc/params.h"
#include "noc/route.h"
#include "units/isa/machine.h"

#define TS_NOC_COUNT 2

enum ts_noc_node {
    TS_NOC_NODE_EMPTY, // a router and an NIU, nothing else
    TS_NOC_NODE_TENSIX,
    TS_NOC_NODE_HARVESTED, // a Tensix tile that is fused off
    TS_NOC_NODE_DRAM,
    TS_NOC_NODE_ETHERNET,
    TS_NOC_NODE_PCIE,
    TS_NOC_NODE_ARC,
    TS_NOC_NODE_L2CPU,
    TS_NOC_NODE_SECURITY,
    TS_NOC_NODE_COUNT
};

const char *ts_noc_node_name(enum ts_noc_node node);

struct ts_noc_fabric {
    const struct ts_machine *machine; // whose networks they are
    uint8_t width, height;
    uint8_t node[TS_NOC_HEIGHT_MAX][TS_NOC_WIDTH_MAX]; // enum ts_noc_node, by NoC 0 coordinates
    // The host has put a device behind this site, which has none of ours.
    bool attached[TS_NOC_HEIGHT_MAX][TS_NOC_WIDTH_MAX];
    bool ethernet[TS_NOC_HEIGHT_MAX][TS_NOC_WIDTH_MAX]; // there is an Ethernet tile
    struct ts_noc_params params;
    struct ts_dram_params dram;
    uint32_t dram_parts; // channels of a DRAM tile
    struct ts_eth_params eth;
    bool
        hidden; // latency is hidden (config/free.def): counters of answers are ahead of the answers
};

static inline struct ts_noc_shape ts_noc_fabric_shape(const struct ts_noc_fabric *self,
                                                      unsigned noc)
{
    return (struct ts_noc_shape){self->width, self->height, noc == 0};
}

// From NoC 0's coordinates to a NoC's own and back: the same function both ways.
static inline struct ts_noc_xy ts_noc_mirror(const struct ts_noc_fabric *self, unsigned noc,
                                             struct ts_noc_xy at)
{
    if (noc == 0)
        return at;
    return (struct ts_noc_xy){(uint8_t)(self->width - 1 - at.x),
                              (uint8_t)(self->height - 1 - at.y)};
}

#define TS_NOC_FABRIC(type, name)                                                           \
    static inline type ts_noc_fabric_##name(const struct ts_noc_fabric *self, unsigned noc, \
                                            struct ts_noc_xy at)                            \
    {                                                                                       \
        struct ts_noc_xy tile = ts_noc_mirror(self, noc, at);                               \
        return self->name[tile.y][tile.x];                                                  \
    }
TS_NOC_FABRIC(enum ts_noc_node, node)
TS_NOC_FABRIC(bool, ethernet)
TS_NOC_FABRIC(bool, attached)
