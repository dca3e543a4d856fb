// A command of a build, with its time and its host instructions.
#pragma once

#include "platform/base/error.h"

#include <jansson.h>

// The workloads of `tensim-bench real': kernels and programs as a user runs them. One table for the
// library and for the command line (bench_real.c).

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

// What a command took.
struct ts_bench_cost {
    double seconds; // processor time, or wall-clock time
    double host;    // host instructions in user mode; 0: not counted
};

// A counter of host instructions in user mode, of this thread and those it starts; -1: there is none.
int ts_bench_counter(void);
// What the counter has, 0 without one. A child counts once it was waited for.
double ts_bench_counted(int counter);

// Runs a command and adds what it takes to *cost (NULL: ignored); its output goes to *document unless
// that is NULL. valgrind: under valgrind, which counts instructions and is slow. False: it failed; a
// message is on stderr.
bool ts_bench_command(char *const *argv, bool wall, bool valgrind, struct ts_bench_cost *cost,
                      json_t **document);
// The same for all runs of a workload, by the tensim command in `directory`.
bool ts_bench_do_work(const struct ts_workload *work, const struct ts_workload_files *files,
                      const char *directory, bool quick, bool valgrind, struct ts_bench_cost *cost);
