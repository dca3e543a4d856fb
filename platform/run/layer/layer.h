// A sequence of programs on one machine (`kind: sequence`): a model's layer. README.md describes the file.
//
//   file --> tensors and parameters (plan.h) --> all steps once, without running: places, kernels, cores --> one machine
//        --> each step: program placed, dispatched, run, checked --> a row of the operation table
//
// The machine is built and booted once. Between programs its cores are reset and load the next kernels; memory, DRAM pages and
// networks stay as the program before left them. Cycles in which cores boot are not counted: the clock of the sequence goes on from the
// end of a program to the go of the next, as dispatch says.
// Inaccuracies: the machine's own clock, and with it DRAM's refresh, goes on while cores boot (some 12,000 cycles), so that pages
// which the program before left open may have been closed. Kernels start from empty instruction caches, as after the vendor's flush.
// Captured launches, programs of `runtime: llk' and kernels that tt-metal built bring their own runtime: each runs on a machine of
// its own, from its beginning on, between the same go and end. It has no tensors of the sequence.
//
// On a system (`system: p150x2`) every chip has all tensors, at the same places and with contents of its own, and runs every step:
// programs of one chip at the same time, collectives together. An operation begins on all chips with the same go, and ends with the
// last of them.
// Inaccuracy: a chip that ended early does not begin the next operation before the others have ended.
#pragma once

#include "platform/run/plan/launch.h"
#include "platform/run/plan/space.h"

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

struct ts_layer_tensor {
    enum { TS_LAYER_NOWHERE, TS_LAYER_THERE, TS_LAYER_FREED } state;
    bool written; // it has contents: the file's, or a program's
    int line;     // that freed it
};

struct ts_layer_chip {
    struct ts_plan *plan; // chip, parameters and tensors of the file
    struct ts_space space;
    struct ts_layer_tensor tensors[TS_PLAN_TENSORS];
    bool bound[TS_PLAN_TENSORS], output[TS_PLAN_TENSORS]; // of the step that is looked at
    struct ts_work *machine;
    // Tiles that some step needs; then of each core the end of its kernels on the clock of the sequence.
    bool needed[TS_NOC_HEIGHT_MAX][TS_NOC_WIDTH_MAX];
    ts_cycle ends[TS_NOC_HEIGHT_MAX][TS_NOC_WIDTH_MAX];
};

struct ts_layer {
    struct ts_plan_options options;
    const struct ts_params *params;     // of machines,
    struct ts_tile_config config;       // and of their tiles
    bool unchecked;                     // of programs on machines of their own
    struct ts_system system;            // `chips' 1: none
    struct ts_layer_chip *chips, *here; // all of them; that which is looked at
    const struct ts_plan **plans;       // of all, for sums over chips
    struct ts_error *error;
    struct ts_kernel *kernel;
    struct ts_dispatch dispatch;
    bool dry;           // nothing runs: only places, kernels and cores are found out
    double measured[2]; // by the step: time and gap on a card, in us; 0, -1: it does not say
    // The step that is looked at.
    struct ts_yaml_node step;
    char name[96];
    uint32_t turn; // of the loop around it, from 1 on; 0: none
    struct {
        const char *program, *const *settings; // as the step says, and what they are
        size_t count;
    } asked;
    struct ts_moved moved; // on machines of their own
    ts_cycle clock;        // of the sequence
    ts_cycle at;           // the machine's
    json_t *rows;          // operations
    char wrong[900];       // the first that has a wrong result; ""
    struct ts_run (*run)(void *context, ts_cycle limit);
    void *context;
    struct ts_run last;
};

// Reads the file, goes through its steps without running, compiles and builds the machine. Before elaboration. NULL: error has file,
// line and operation.
struct ts_layer *ts_layer_new(const char *path, const struct ts_plan_options *options,
                              const struct ts_params *params, const struct ts_tile_config *config,
                              struct ts_kernel *kernel, struct ts_error *error);
// Runs all steps; `run` lets the machine run until it stops, or up to a cycle. False: an error, or the machine stopped for another
// reason than the end of a program (`last`).
bool ts_layer_run(struct ts_layer *self, struct ts_run (*run)(void *context, ts_cycle limit),
                  void *context, struct ts_error *error);
// The document: operations, cycles and gaps of the sequence.
json_t *ts_layer_json(const struct ts_layer *self);
void ts_layer_free(struct ts_layer *self);

// The place of a chip in the kernel.
static inline uint32_t ts_layer_place(const struct ts_layer *self, uint32_t chip)
{
    return self->options.system ? chip + 1 : 0;
}

// --- tensors.c ---
bool ts_layer_good(const struct ts_layer *self);
// A failure of the current operation, at a line of the sequence.
void ts_layer_refuse(struct ts_layer *self, struct ts_yaml_node node, const char *text);
// A tensor by its name; -1: there is none.
int ts_layer_tensor(struct ts_layer *self, struct ts_yaml_node node);
// While a program is read: its tensors are known, and not placed yet. Those that the step names are the sequence's.
void ts_layer_bind(void *context, struct ts_plan *plan);
// Gives tensors of a list back, or a place again.
void ts_layer_step_free(struct ts_layer *self, struct ts_yaml_node list, bool again);
// --- operation.c ---
// Puts placed and compiled plans, one for each chip, on the machine, runs them, adds their row. Takes the plans.
bool ts_layer_operate(struct ts_layer *self, struct ts_plan **plans);
// The same of a plan that runs on a machine of its own.
void ts_layer_operate_alone(struct ts_layer *self, struct ts_plan *plan);
// --- check.c ---
// Compares what the step has written on all chips with what it says, and adds the errors to its row.
void ts_layer_check(struct ts_layer *self, json_t *row);
// --- table.c ---
// The row of an operation. `work`: of the chip that ended last; first, last: of all kernels.
json_t *ts_layer_row(struct ts_layer *self, struct ts_work *work, ts_cycle begin, ts_cycle first,
                     ts_cycle last);
