// Demonstration models: small synthetic machines that use every part of the event kernel, and
// nothing of Tensix. They are the kernel's benchmark, the models of its determinism matrix, and
// what `tensim demo` runs.
#ifndef TENSIM_DEMO_DEMO_H
#define TENSIM_DEMO_DEMO_H

#include "platform/base/params.h"
#include "platform/kernel/kernel.h"

// One member per row of config/demo.def; the values come from config/demo.yaml and --set.
struct ts_demo_params {
#define TS_PARAM(key, unit, low, high, text) int64_t key;
#include "config/demo.def"
#undef TS_PARAM
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
    ts_demo_post, ts_demo_table;

// All of them; ends with NULL.
extern const struct ts_demo_model *const ts_demo_models[];
const struct ts_demo_model *ts_demo_find(const char *name);
// Adds the group "demo" to a set of parameters.
void ts_demo_params_add(struct ts_params *params);

// The random numbers of the models: one step of a 32-bit linear congruential generator, its high
// bits returned.
static inline uint32_t ts_demo_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static inline uint64_t ts_demo_mix(uint64_t sum, uint64_t value)
{
    sum ^= value + 0x9e3779b97f4a7c15u + (sum << 6) + (sum >> 2);
    return sum;
}

#endif
