// units/cfg.h: the Configuration Unit.
//
//   wait gates T0 T1 T2 --> SETC16: one per thread and cycle ------------> ThreadConfig[3]
//                       \-> one pipeline for the rest, stages -4 .. +1 --> Config[2], GPRs
//   RISC-V, mover --------> stage 0
//
// Source: tt-isa-documentation BlackholeA0/ConfigurationUnit.md and the instruction pages.
// Timing: WRCFG enters at stage -1 and writes in stage 0; RDCFG reads in stage 0 and writes its GPR
// in stage +1; CFGSHIFTMASK holds stage 0 for two cycles; STREAMWRCFG enters at stage -4
// (CONFIG-001..023). What is written in a cycle is seen by instructions of the next one: an
// instruction right behind WRCFG or RDCFG sees the old value, as in hardware.
// Inaccuracies: GPR write contention of RDCFG is not modelled; STREAMWRCFG never waits for the
// overlay.
#pragma once

#include "units/tensix.h"

// The RISC-V window: Config[2][224], ConfigDualWrite[224], ThreadConfig[3][68] on Blackhole.

// A write in the pipeline.
struct ts_cfg_unit_pending {
    ts_cycle due; // happens at the end of this cycle
    uint8_t op;   // WRCFG, RDCFG, CFGSHIFTMASK, STREAMWRCFG
    uint8_t thread;
    uint8_t bank;
    uint8_t count; // registers
    bool base;     // of the base address of an unpacker
    uint16_t addr; // Config register, or GPR for RDCFG
    uint32_t value[4];
};

#define TS_CFG_PENDING 8 // at most one entry per cycle, each for at most 5 cycles

struct ts_cfg_unit {
    struct ts_unit unit;
    struct ts_tensix *tensix;
    // pipeline: bit s + 4 is stage s in cycle `pipe_cycle`
    uint8_t pipe;
    ts_cycle pipe_cycle;
    struct ts_cfg_unit_pending pending[TS_CFG_PENDING];
    uint8_t pending_count;
    // counters
    uint64_t riscv_reads, riscv_writes;
};

// Register it after the front ends: its writes come at the end of a cycle.
void ts_cfg_unit_init(struct ts_cfg_unit *self, struct ts_tensix *tensix, struct ts_domain *domain);

// Completes everything in the pipeline. A core's request arrives later than any instruction that
// passed its gate before it completes: the request sees the result, in Config and in GPRs.
void ts_cfg_unit_settle(struct ts_cfg_unit *self, ts_cycle now);

// RISC-V and mover requests enter at stage 0.
bool ts_cfg_unit_external_accept(const struct ts_cfg_unit *self, ts_cycle now,
                                 struct ts_hold *hold);
// `word` counts from TENSIX_CFG_BASE. False: outside the window, or a write to ThreadConfig.
bool ts_cfg_unit_external_read(struct ts_cfg_unit *self, uint32_t word, uint32_t *value,
                               ts_cycle now);
// `by`: TS_BY_*.
bool ts_cfg_unit_external_write(struct ts_cfg_unit *self, unsigned by, uint32_t word,
                                uint32_t value, ts_cycle now);
