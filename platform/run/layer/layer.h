// A sequence of programs on one machine (`kind: sequence`): a model's layer. README.md describes the file.
//
//   file --> tensors and parameters (plan.h) --> all steps once, without running: places, kernels, cores --> one machine
//        --> each step: program placed, dispatched (dispatch.h), run, checked --> a row of the operation table
//
// The machine is built and booted once. Between programs its cores are reset and load the next kernels; memory, DRAM pages and
// networks stay as the program before left them. Cycles in which cores boot are not counted: the clock of the sequence goes on from the
// end of a program to the go of the next, as dispatch says.
// Inaccuracies: the machine's own clock, and with it DRAM's refresh, goes on while cores boot (some 12,000 cycles), so that pages
// which the program before left open may have been closed. Kernels start from empty instruction caches, as after the vendor's flush.
// Not there: captured launches, programs of `runtime: llk', kernels that tt-metal built, and several chips.
#pragma once

#include "platform/run/layer/dispatch.h"
#include "platform/run/plan/launch.h"
#include "platform/run/plan/space.h"

#include <jansson.h>

struct ts_layer_tensor {
    enum { TS_LAYER_NOWHERE, TS_LAYER_THERE, TS_LAYER_FREED } state;
    bool written; // it has contents: the file's, or a program's
    int line;     // that freed it
};

struct ts_layer {
    struct ts_plan *plan; // chip, parameters and tensors of the file
    struct ts_plan_options options;
    struct ts_error *error;
    struct ts_space space;
    struct ts_layer_tensor tensors[TS_PLAN_TENSORS];
    struct ts_work *machine;
    struct ts_kernel *kernel;
    struct ts_dispatch dispatch;
    bool dry; // nothing runs: only places, kernels and cores are found out
    // The step that is looked at.
    struct ts_yaml_node step;
    char name[96];
    uint32_t turn; // of the loop around it, from 1 on; 0: none
    bool bound[TS_PLAN_TENSORS], output[TS_PLAN_TENSORS];
    // The clock of the sequence, and of each core the end of its kernels.
    ts_cycle clock, ends[TS_NOC_HEIGHT_MAX][TS_NOC_WIDTH_MAX];
    ts_cycle at;     // the machine's
    json_t *rows;    // operations
    char wrong[900]; // the first that has a wrong result; ""
    struct ts_run (*run)(void *context);
    void *context;
    struct ts_run last;
};

// Reads the file, goes through its steps without running, compiles and builds the machine. Before elaboration. NULL: error has file,
// line and operation.
struct ts_layer *ts_layer_new(const char *path, const struct ts_plan_options *options,
                              const struct ts_params *params, const struct ts_tile_config *config,
                              struct ts_kernel *kernel, struct ts_error *error);
// Runs all steps; `run` lets the machine run until it stops. False: an error, or the machine stopped for another reason than the
// end of a program (`last`).
bool ts_layer_run(struct ts_layer *self, struct ts_run (*run)(void *context), void *context,
                  struct ts_error *error);
// The document: operations, cycles and gaps of the sequence.
json_t *ts_layer_json(const struct ts_layer *self);
void ts_layer_free(struct ts_layer *self);

// --- operation.c ---
// Puts a placed and compiled plan on the machine, runs it, adds its row. Takes the plan.
bool ts_layer_operate(struct ts_layer *self, struct ts_plan *plan);
