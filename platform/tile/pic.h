// The tile's interrupt controller at 0xFFB13000, and the pc snapshots behind it.
//
// Source: PIC.md, BabyRISCV/README.md (pc snapshot).
// Inaccuracies: of the four hardware interrupts only the NoCs' are raised; a core that has run
// ahead takes an interrupt late; the snapshot shows the pc the core has reached, which may be
// ahead.
#pragma once

#include "cores/riscv/core.h"

struct ts_tile;

struct ts_pic {
    uint32_t sw_enable[2], hw_enable[2]; // BRISC, NCRISC
    uint32_t number[2];                  // of the interrupt being handled
    uint32_t sw[32], hw[4];
    uint32_t sw_pc[32], hw_pc[4];
    uint32_t next[2]; // round robin
};

enum ts_rv_answer ts_pic_load(struct ts_tile *tile, uint32_t offset, ts_cycle now,
                              struct ts_rv_reply *reply);
enum ts_rv_answer ts_pic_store(struct ts_tile *tile, uint32_t offset, uint32_t value, ts_cycle now,
                               struct ts_rv_reply *reply);
// Interrupts a core that is not in a handler if something enabled is raised.
void ts_pic_poll(struct ts_tile *tile, ts_cycle now);
