// The steps of synchronisation programs, as guest code; see program.h.
#ifndef TENSIM_STUDY_HANG_STEP_H
#define TENSIM_STUDY_HANG_STEP_H

#include "cores/riscv/assemble.h"
#include "platform/base/yaml.h"
#include "platform/chip/traffic.h"
#include "platform/tile/tile.h"

#define TS_HANG_BUFFERS 8

struct ts_hang_buffer {
    char name[16];
    uint32_t pages;
    uint32_t start; // of both counters
};

struct ts_hang_steps {
    struct ts_rvasm *code;
    struct ts_noc_xy here;
    const struct ts_chip *chip; // for coordinates; only its SoC is there
    const struct ts_hang_buffer *buffers;
    unsigned buffer_count;
    const struct ts_error *error; // of the file
    bool noc;                     // a step uses the network
    struct ts_tile_lines *lines;  // of the steps; pcs from 0
};

// Words of L1: counters of buffer i.
static inline uint32_t ts_hang_received(unsigned buffer)
{
    return 0x2f000u + 16 * buffer;
}
static inline uint32_t ts_hang_acked(unsigned buffer)
{
    return 0x2f200u + 16 * buffer;
}

// "2-3"; false: an error at the node.
bool ts_hang_coordinates(struct ts_yaml_node node, struct ts_noc_xy *at);
// Makes code of a list of steps.
void ts_hang_steps(struct ts_hang_steps *self, struct ts_yaml_node list);

#endif
