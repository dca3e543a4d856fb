// Kernels as tt-metal built them: its firmware boots the cores and starts the kernels; this is the host's side of that.
//
//   cycle 0      firmware and the tables it copies into local RAM; BRISC leaves reset and starts the others
//   START        the configuration (semaphores, arguments, circular buffers, kernels), the launch message, then the go message
//   the end      BRISC has taken the go message back
//
// README.md, "Kernels that tt-metal built", has the protocol. Zones named "kernel" are from the firmware's start word of a processor to its
// end word: they include what firmware does around a kernel.
#ifndef TENSIM_RUN_METAL_H
#define TENSIM_RUN_METAL_H

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

// Firmware files of a folder, and the version that they are of. False: the error is recorded at the node.
bool ts_metal_read(struct ts_plan *plan, struct ts_yaml_node folder);
// Loads what a core needs to boot, and starts it.
bool ts_metal_start(struct ts_launch_core *core, struct ts_error *error);
// Adds the host of this core to its tile, before the run.
bool ts_metal_add(struct ts_launch_core *core, struct ts_error *error);

#endif
