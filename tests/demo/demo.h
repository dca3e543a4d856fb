// Demonstration models: small synthetic machines that use every part of the event kernel, and
// nothing of Tensix. They are the models of its determinism matrix, and what `tensim-demo demo` runs:
// a program with tensim's options and files, of which a run takes a blink.
#ifndef TENSIM_TESTS_DEMO_H
#define TENSIM_TESTS_DEMO_H

#include "platform/base/params.h"
#include "platform/kernel/kernel.h"
#include "tests/demo/bench_tile.h"

// One member per row of tests/demo/demo.def; the values come from tests/demo/demo.yaml and --set.
struct ts_demo_params {
#define TS_PARAM(key, unit, low, high, text) int64_t key;
#include "tests/demo/demo.def"
};

struct ts_demo;

// A model: builds its domains into the kernel; afterwards its checksum covers everything its
// components did.
struct ts_demo_model {
    const char *name;
    const char *text;
    struct ts_demo *(*build)(struct ts_kernel *kernel, const struct ts_demo_params *params);
    uint64_t (*checksum)(const struct ts_demo *demo);
};

extern const struct ts_demo_model ts_demo_tile, ts_demo_ring, ts_demo_torus, ts_demo_crowd,
    ts_demo_table;

// All of them; ends with NULL.
extern const struct ts_demo_model *const ts_demo_models[];
const struct ts_demo_model *ts_demo_find(const char *name);
// Adds the group "demo" to a set of parameters.
void ts_demo_params_add(struct ts_params *params);

#endif
