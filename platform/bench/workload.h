// The workloads of `tensim-bench real': kernels and programs as a user runs them. One table for the
// library and for the command line (bench_real.c).
#pragma once

#include "platform/base/error.h"

enum ts_workload_how {
    TS_WORK_KERNEL,
    TS_WORK_PROGRAM, // `kernel` is a program that `tensim run' knows, without arithmetic
    TS_WORK_WHY,     // the same with --why: through the command
};

struct ts_workload {
    const char *name;
    const char *kernel;   // a built-in kernel; NULL: the program movers on all 140 tiles
    const char *settings; // of the kernel, separated by blanks
    const char *formats;  // a run for each FORMAT:FIDELITY; NULL: one, as `settings` are
    uint32_t repeat;      // passes, or rounds of movers
    uint32_t threads;
    bool traced;
    enum ts_workload_how how;
    const char *unit;  // a bar: host instructions for each of these
    double units;      // of a complete run
    const char *quick; // settings of a quick run; NULL: the same
};
extern const struct ts_workload ts_workloads[];
extern const size_t ts_workload_count;

// More than one thread works: by the wall clock. Otherwise by processor time.
bool ts_workload_by_wall(const struct ts_workload *self);

#define TS_WORKLOAD_SETTINGS 16
#define TS_WORKLOAD_RUNS     8

// One run of a workload: settings as tensim_new_kernel takes them ("m=256", "timing-only"), or the
// scenario to run.
struct ts_workload_run {
    char text[256];
    const char *settings[TS_WORKLOAD_SETTINGS];
    size_t setting_count;
    const char *scenario; // NULL: a kernel
};

// A directory for the files of a benchmark, removed by ts_workload_close.
struct ts_workload_files {
    char directory[64];
    char scenario[96]; // of movers
    char trace[96];
};
bool ts_workload_open(struct ts_workload_files *self, bool quick, struct ts_error *error);
void ts_workload_close(struct ts_workload_files *self);

// The runs of a workload; returns their number. quick: a tenth of the passes, one run of a shape.
size_t ts_workload_runs(const struct ts_workload *self, const struct ts_workload_files *files,
                        bool quick, struct ts_workload_run runs[TS_WORKLOAD_RUNS]);
