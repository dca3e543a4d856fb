// Events of timed zones: the host takes them from the launch block (program.h).
#pragma once
#include "program.h"
#include "tensix.h"

inline uint32_t ts_zone_next;

inline __attribute__((always_inline)) void ts_zone_event(uint32_t type, uint32_t id)
{
    volatile ts_program *block = (volatile ts_program *)TS_PROGRAM;
    volatile uint32_t *to = block->zone[PROCESSOR_INDEX][ts_zone_next % TS_PROGRAM_ZONES];
    uint32_t low = TS_REG(RISCV_WALL_CLOCK), high = TS_REG(RISCV_WALL_CLOCK + 8);
    ts_zone_next = ts_zone_next + 1;
    to[0] = low;
    to[1] = type << 28 | id << 12 | (high & 0xfff);
}
