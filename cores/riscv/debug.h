// The debug interface of a core: a debugger pauses it, looks at it and changes it through debug
// registers, DR(i). The tile has the way to them (platform/tile/debug.c).
//
// Source: WormholeB0/TensixTile/BabyRISCV/DebugInterface.md; for Blackhole tt-exalens (August 2026):
// a step takes two commands, a pc write takes its value from DR(3), a core does not get past an
// ebreak by a resumption alone, and TRISC2's local RAM cannot be reached as a whole.
// Inaccuracies:
// - A core pauses between two instructions: none is in flight. It pauses a cycle after the command at the
//   earliest, and not while a load waits for its region.
// - Memory accesses and register accesses of the debugger take no time; loads do not see the L0 cache.
// - Slow execution mode, from the first resumption on: stores to L1 take no partner, so that each is seen. It changes no
//   time else. It must be on when a core is resumed, else that is refused: on silicon the core may lock up.
// - A core whose debug registers nobody has accessed runs ahead of the clock through private code. The
//   first access stops that for good; but if it is a halt, by a core, the core halts where it is.
#pragma once

#include "platform/base/std.h"

#define TS_RV_WATCHPOINTS 8

struct ts_rv_core;

// An instruction that is about to enter EX1. Registers are as it finds them, except for loads that are on their way.
struct ts_rv_following {
    uint32_t pc;
    uint64_t done; // instructions before it
    bool loads,
        stores; // what it does to `size` bytes at `address`; neither: nothing, or the address is not known yet
    uint32_t address, size;
};

// Called on a debugged core before an instruction enters EX1, perhaps more than once: it may look and takes no time. True: the
// core halts before it.
typedef bool ts_rv_follow(void *context, struct ts_rv_core *core, const struct ts_rv_following *at);

enum ts_rv_dr {
    TS_RV_DR_STATUS,
    TS_RV_DR_COMMAND,
    TS_RV_DR_INDEX, // or address
    TS_RV_DR_DATA,
    TS_RV_DR_RESULT,
    TS_RV_DR_MODES, // of watchpoints, four bits each
    TS_RV_DR_WATCHPOINT = 10,
    TS_RV_DR_END = TS_RV_DR_WATCHPOINT + TS_RV_WATCHPOINTS
};

// Bits of DR(0); the watchpoint that was hit is a bit from TS_RV_HIT_FIRST on.
#define TS_RV_HALTED     (1u << 0)
#define TS_RV_HIT_PC     (1u << 1)
#define TS_RV_HIT_MEMORY (1u << 2)
#define TS_RV_HIT_EBREAK (1u << 3)
#define TS_RV_HIT_FIRST  8

struct ts_rv_debug {
    // What software sees.
    uint32_t command, index, data, result, modes, watchpoint[TS_RV_WATCHPOINTS];
    uint32_t hit; // why it halted, as in DR(0); 0: by a command of the debugger
    // What goes on.
    bool slow;     // resumed in slow execution mode, since the last reset
    bool half;     // the first of the two commands of a step was given
    bool stepping; // halts after the next instruction
    bool passing;  // the load at pc has halted it already
    uint32_t hits; // of the instruction at `at`, a store: halts when it has been executed
    uint32_t at;   // the last instruction that was looked at,
    uint64_t done; // and how many were executed before it
};
