// A program file run for its cycles alone: nothing is computed, nobody accounts for lost cycles.
#pragma once

#include "platform/run/plan/plan.h"

struct ts_timed {
    const char *path;            // of the program file
    const char *const *settings; // of its parameters, "NAME=VALUE"
    size_t setting_count;
    const char *sources; // folder of its kernels; NULL: its own
    uint32_t threads;
    void (*shown)(void *context, double share); // between windows; NULL: nobody watches
    void *context;
};

struct ts_timed_cycles {
    ts_cycle whole; // from the first begin of a kernel to the last end
    ts_cycle math;  // mean of the math kernels
};

bool ts_timed_run(const struct ts_timed *self, const struct ts_params *params,
                  struct ts_timed_cycles *cycles, struct ts_error *error);
