// A system: several chips, and the links between their Ethernet tiles (config/systems/*.yaml).
//
//   chip: p150                           # all of them; or chips: [p150, p300]
//   grid: {columns: 4, rows: 2, wrap: x} # counted row by row; wrap: none, x, y, xy
//   links: 2                             # of each pair of neighbours
//
// or, with the cables one by one:
//
//   chips: [p150, p150]
//   links: [[0/eth4, 1/eth4], [0/eth5, 1/eth5, down]]
//
// with a grid, too, if they are in its order;
// or a cluster descriptor of tt-umd (ethernet_connections, arch, harvesting, boards).
//
// In a grid the channels of a chip are counted in this order: to the west, north, east, south. All chips of a system are
// in one kernel: a link is a FIFO that crosses from one tile's domain to the other's, no different for threads and
// windows from a link of a NoC, but with a longer latency.
#pragma once

#include "platform/chip/chip.h"

#define TS_SYSTEM_CHIPS 256
#define TS_SYSTEM_LINKS (TS_SYSTEM_CHIPS * TS_CHIP_ETH / 2)

struct ts_system_end {
    uint32_t chip, channel;
};

struct ts_system {
    char name[64];
    uint32_t chips, columns;        // columns of the grid; of a list all chips
    char chip[TS_SYSTEM_CHIPS][64]; // as ts_soc_find takes it
    uint8_t eth[TS_SYSTEM_CHIPS];   // Ethernet tiles of the chip: channels from 0 on
    struct ts_system_link {
        struct ts_system_end end[2];
        bool down; // from the beginning
    } link[TS_SYSTEM_LINKS];
    uint32_t links;
};

// "p150x2" is config/systems/p150x2.yaml; what has a slash or ends in .yaml is a path.
enum ts_code ts_system_find(struct ts_system *self, const char *name, struct ts_error *error);

// "1/eth7": an end; false: it is not of that form.
bool ts_system_end_parse(const char *text, struct ts_system_end *end);
// The other end; false: there is no link.
bool ts_system_other(const struct ts_system *self, struct ts_system_end end,
                     struct ts_system_end *other);
// The channel of a chip's link number `number` to another chip; -1: there is none.
int ts_system_channel(const struct ts_system *self, uint32_t chip, uint32_t to, uint32_t number);
// A ring through all chips of a grid: across the first row, through the others there and back, home through the first
// column. The chip at a place of it; and the place of a chip.
uint32_t ts_system_at_place(const struct ts_system *self, uint32_t place);
uint32_t ts_system_place(const struct ts_system *self, uint32_t chip);
// Connects the links of which both ends are there. Before elaboration.
void ts_system_connect(const struct ts_system *self, struct ts_chip *const *chips);
// Between runs: a link goes up or down.
void ts_system_train(const struct ts_system_link *link, struct ts_chip *const *chips, bool up,
                     ts_cycle now);
