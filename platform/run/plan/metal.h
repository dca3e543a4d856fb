// Kernels as tt-metal built them: its firmware boots the cores and starts the kernels; this is the host's side of that.
//
//   cycle 0      firmware and the tables it copies into local RAM; BRISC leaves reset and starts the others
//   START        the configuration (semaphores, arguments, circular buffers, kernels), the launch message, then the go message
//   the end      BRISC has taken the go message back
//
// README.md, "Kernels that tt-metal built", has the protocol. Zones named "kernel" are from the firmware's start word of a processor to its
// end word: they include what firmware does around a kernel.
#pragma once

#include "platform/run/plan/plan.h"

// All tiles get their go message in this cycle: later than the firmware of any of them needs to boot.
#define TS_METAL_START 60000u

struct ts_launch_core;

// Where the words are that host and firmware agree on, in one version of tt-metal.
struct ts_metal_layout {
    const char *version;
    uint32_t firmware[TS_ON]; // where the code of each starts: tells versions apart
    uint32_t data[TS_ON];     // images of their local data, until they have started
    uint32_t sync;            // a byte each: NCRISC, TRISC0..2
    uint32_t launch, go;      // messages
    uint32_t core_x, core_y;  // logical coordinates, a byte each
    uint32_t banks, logical;  // tables, until the firmware has started
    uint32_t config;          // where the configuration of kernels starts
};

// A launch message, laid out as the firmware's compiler lays it out.
struct ts_metal_message {
    uint32_t config[4]; // of Tensix, Ethernet and DRAM cores
    uint16_t semaphores[4];
    uint16_t buffers, remote_buffers;
    struct {
        uint16_t own, common;
    } arguments[TS_ON];
    uint8_t mode, unused;
    uint16_t between_nodes;
    uint32_t text[TS_ON], text_bytes[TS_ON];
    uint32_t unused2[3];
    uint32_t buffer_mask[2];
    uint8_t noc, noc_mode, first_remote, unused3;
    uint32_t id, enables;
    uint16_t watcher_ids[TS_ON];
    uint16_t unused4;
    uint8_t origin_x, origin_y, unused5[5], preload;
};

#define TS_METAL_SIGNAL 3u    // byte of the go message
#define TS_METAL_GO     0x80u // its values
#define TS_METAL_DONE   0u

// jal from 0: BRISC starts there
static inline uint32_t ts_metal_jump(uint32_t to)
{
    return (to & 0x7fe) << 20 | (to >> 11 & 1) << 20 | (to & 0xff000) | 0x6f;
}

// The i-th version that is known; NULL: there are no more.
const struct ts_metal_layout *ts_metal_known(size_t i);
// Firmware files of a folder, and the version that they are of. False: the error is recorded at the node.
bool ts_metal_read(struct ts_plan *plan, struct ts_yaml_node folder);
// Loads what a core needs to boot, and starts it.
bool ts_metal_start(struct ts_launch_core *core, struct ts_error *error);
// Adds the host of this core to its tile, before the run.
bool ts_metal_add(struct ts_launch_core *core, struct ts_error *error);
