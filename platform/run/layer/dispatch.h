// What lies between two programs of a sequence: the host's dispatcher and the workers' firmware, as times (config/dispatch.def).
//
//   dispatcher  | send program 1 | send program 2 | send program 3 |      up to `ahead` programs before their turn
//   all workers         | kernels 1       | go | kernels 2 | go | kernels 3
//   one worker          | kernels 1 | prepare | ...                      from its own end on
//
// The dispatcher sends configuration, kernels that are not in the workers' ring, and a launch message. The go of a program comes when
// it has been sent and `go` after the last end of the program before; it reaches the core next to the dispatcher first, others a hop
// of NoC 1 after the other. A core begins with the go, or later: `prepare` after the end of its own kernels. So cores that rested or ended early begin with the go.
// Source: tt-metal tt_metal/impl/program/dispatch.cpp, cq_dispatch_subordinate.cpp,
// dispatch_query_manager.cpp, brisc.cc, simple_trace_allocator.cpp; the times:
// pgm_dispatch_blackhole_golden.json, layer captures.
// Inaccuracies: the ring evicts the kernel that was used longest ago (the vendor's: the one that is needed farthest ahead) and has no
// holes; the sizes are those of our images. Dispatch loads neither the networks nor DRAM.
#pragma once

#include "noc/params.h"
#include "platform/base/cycle.h"

#define TS_DISPATCH_KERNELS 192 // in the ring
#define TS_DISPATCH_SLOTS   8   // programs that are sent and not at their end

// What a program asks of it.
struct ts_dispatch_load {
    uint32_t cores;
    uint32_t groups;      // of cores with the same kernels and buffers
    bool configured;      // buffers, semaphores or common arguments
    uint32_t unique;      // cores with arguments of their own
    uint32_t words;       // of these arguments, of all cores
    uint32_t config;      // bytes of a core's configuration
    uint32_t kernels;     // that it has
    const uint64_t *id;   // of each
    const uint32_t *size; // of each, in bytes
};

struct ts_dispatch {
    struct ts_dispatch_params params;
    bool on, traced;
    uint32_t mhz;
    int64_t hop;                     // of the network that the go takes
    ts_cycle sent;                   // when the last program had been sent
    ts_cycle end[TS_DISPATCH_SLOTS]; // of the last programs, by number
    uint64_t programs;               // so far
    uint32_t held;                   // bytes of kernels in the ring
    struct {
        uint64_t id, used; // used: by which program last
        uint32_t bytes;
    } ring[TS_DISPATCH_KERNELS];
    uint32_t in_ring;
};

ts_cycle ts_dispatch_cycles(const struct ts_dispatch *self, int64_t ns);
// How long the dispatcher sends this program, if `missing` bytes of kernels are not in the ring.
ts_cycle ts_dispatch_cost(const struct ts_dispatch *self, const struct ts_dispatch_load *load,
                          uint64_t missing);
// The go of the next program, on the clock of the sequence; `end` of the one before.
ts_cycle ts_dispatch_go(struct ts_dispatch *self, const struct ts_dispatch_load *load,
                        ts_cycle end);
// It has ended.
void ts_dispatch_ended(struct ts_dispatch *self, ts_cycle end);
