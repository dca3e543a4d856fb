// What gdb sees of the tiles: threads, registers, memory, breakpoints.
#pragma once

#include "platform/tile/tile.h"

#define TS_GDB_POINTS 64
#define TS_GDB_WATCH  64 // bytes of a watchpoint

enum ts_gdb_point_kind { TS_GDB_BREAK, TS_GDB_WRITE, TS_GDB_READ, TS_GDB_ACCESS };

// A breakpoint, or a watchpoint of a memory that a thread sees.
struct ts_gdb_point {
    uint32_t thread; // breakpoints: of its tile
    uint32_t address, length;
    enum ts_gdb_point_kind kind;
};

struct ts_gdb_points {
    struct ts_gdb_point point[TS_GDB_POINTS];
    uint32_t count, changes; // changes: counts up
};

// Where a core is: the next instruction, and how many are done.
struct ts_gdb_place {
    uint64_t done;
    uint32_t pc;
};

// The machine, and what the watchpoints held a cycle ago.
struct ts_gdb_machine {
    struct ts_tile **tiles;
    uint32_t tile_count;
    struct ts_gdb_place inside; // the thread that is in the middle of a cycle,
    uint32_t inside_thread;     // UINT32_MAX: none
    uint32_t changes;           // of the points whose bytes these are
    uint8_t bytes[TS_GDB_POINTS][TS_GDB_WATCH];
};

// A thread is a core: tile * TS_RV_CORES + core. False: no memory, or there is no tile.
bool ts_gdb_machine_init(struct ts_gdb_machine *self, const struct ts_kernel *kernel);
// From now on nobody runs ahead of the clock: a run that goes on from a checkpoint did.
void ts_gdb_machine_in_time(const struct ts_gdb_machine *self, ts_cycle now);
struct ts_rv_core *ts_gdb_core(const struct ts_gdb_machine *self, uint32_t thread);
uint32_t ts_gdb_threads(const struct ts_gdb_machine *self);
const char *ts_gdb_thread_name(const struct ts_gdb_machine *self, uint32_t thread, char *text,
                               size_t size);

// Memory as a core sees it: L1, its local RAM, registers that can be read without a side effect. False: not readable.
bool ts_gdb_read(const struct ts_gdb_machine *self, uint32_t thread, uint32_t address,
                 uint8_t *bytes, uint32_t length);
bool ts_gdb_write(const struct ts_gdb_machine *self, uint32_t thread, uint32_t address,
                  const uint8_t *bytes, uint32_t length, ts_cycle now);

struct ts_gdb_place ts_gdb_place(const struct ts_gdb_machine *self, uint32_t thread);

// Is there a breakpoint at this instruction?
bool ts_gdb_breaks(const struct ts_gdb_points *points, uint32_t thread, uint32_t pc);
// The watchpoint of reads or accesses that an instruction of the thread meets; NULL: none.
const struct ts_gdb_point *ts_gdb_meets(const struct ts_gdb_points *points, uint32_t thread,
                                        const struct ts_rv_following *at);
// RISC-V gdb takes a .ttinsn for an instruction of two bytes. A breakpoint in the middle of one is a step of the thread that
// is there: behind it, or behind all that the core gathers with it.
bool ts_gdb_steps(const struct ts_gdb_machine *self, const struct ts_gdb_points *points,
                  uint32_t *thread);
bool ts_gdb_thread_steps(const struct ts_gdb_machine *self, const struct ts_gdb_points *points,
                         uint32_t thread);
// Between two cycles: the first watchpoint whose bytes are not those of the last call; NULL: none.
const struct ts_gdb_point *ts_gdb_watch(struct ts_gdb_machine *self,
                                        const struct ts_gdb_points *points);
