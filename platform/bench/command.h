// A command of a build, with its time and its host instructions.
#pragma once

#include "platform/bench/workload.h"

#include <jansson.h>

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
