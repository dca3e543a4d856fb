// units/mover.h: the mover: bulk copy and clear in units of 16 bytes.
//
//   wait gates (XMOV) ----------+
//                               +--> mover --> L1, backend configuration
//   cores --> command queue[4] -+
//             (TDMA-RISC, 0xFFB11000)
//
// Source: tt-isa-documentation WormholeB0/Mover.md, XMOV.md, TDMA-RISC.md (no Blackhole page).
// Timing: bursts of mover_copy_beats in mover_copy_cycles; a clear takes one cycle a unit
// (Mover.md).
// "Configuration" from byte 0x40000 on is NCRISC's instruction RAM, on a machine that has one.
// Inaccuracy: what a fetch sees in the cycle of such a write is not garbage.
#pragma once

#include "units/tensix.h"

#define TS_TDMA_QUEUE    4
#define TS_MOVER_CLIENTS 4 // BRISC, TRISC0, TRISC1, TRISC2: MovCmdBase

enum ts_mover_mode { TS_MOVER_CLEAR_L1, TS_MOVER_L1_TO_CFG, TS_MOVER_CLEAR_CFG, TS_MOVER_L1_TO_L1 };

struct ts_tdma_command {
    uint32_t command;
    uint32_t param[4];
    uint32_t base; // MovCmdBase of the core that enqueued it
};

struct ts_mover_unit {
    struct ts_unit unit;
    struct ts_tensix *tensix;
    // architectural: TDMA-RISC
    uint32_t param[4];
    uint32_t base[TS_MOVER_CLIENTS];
    uint32_t gate[2]; // CLK_GATE_EN, CLK_GATE_HYST
    struct ts_tdma_command queue[TS_TDMA_QUEUE];
    uint8_t queued, first;
    // pipeline: the job that runs
    bool running;
    uint8_t mode;
    uint32_t dst, src, left; // bytes
    // counters
    uint64_t bytes;
};

void ts_mover_unit_init(struct ts_mover_unit *self, struct ts_tensix *tensix,
                        struct ts_domain *domain);

// Soft reset: the current job, or the queued commands, are aborted.
void ts_mover_abort(struct ts_mover_unit *self, bool job, bool commands, ts_cycle now);

// Registers of the mover at 0xFFB11000 + offset. `client`: 0 BRISC, 1..3 TRISC0..2.
// A write may be held (the command queue is full). False: not a register of the mover.
bool ts_mover_write_accept(const struct ts_mover_unit *self, uint32_t offset, struct ts_hold *hold);
bool ts_mover_write(struct ts_mover_unit *self, unsigned client, uint32_t offset, uint32_t value,
                    ts_cycle now);
bool ts_mover_read(struct ts_mover_unit *self, unsigned client, uint32_t offset, uint32_t *value,
                   ts_cycle now);
