// tensim pipe in its parts: one run (cmd_pipe.c), a sweep (cmd_pipe_sweep.c), and tuning
// (cmd_pipe_tune.c).
#ifndef TENSIM_CLI_CMD_PIPE_H
#define TENSIM_CLI_CMD_PIPE_H

#include "platform/cli/common.h"
#include "platform/cli/crew_options.h"
#include "platform/study/pipe/program.h"

enum { TS_PIPE_SWEEPS = 8, TS_PIPE_SWEEP_VALUES = 256 };

struct ts_pipe_values {
    char key[64];
    char value[TS_PIPE_SWEEP_VALUES][24];
    size_t count;
};

struct ts_pipe_arguments {
    struct ts_options options;
    struct ts_crew_options crew; // of a sweep
    const char *program;
    struct ts_pipe_values sweep[TS_PIPE_SWEEPS];
    size_t sweeps;
    bool no_data, list;
    int convert; // -1: no
};

// --set of the command line, then the sweep's choice; keys end in 0 instead of '='.
struct ts_pipe_given {
    struct ts_pipe_set set[TS_SETS_MAX + TS_PIPE_SWEEPS + 1];
    uint8_t used[TS_SETS_MAX + TS_PIPE_SWEEPS + 1];
    char text[TS_SETS_MAX][160];
    struct ts_pipe_sets sets;
};

int ts_pipe_read_sets(const struct ts_pipe_arguments *arguments, struct ts_pipe_given *self);
int ts_pipe_check_used(const struct ts_pipe_given *self);
// KEY=LIST
void ts_pipe_parse_sweep(struct ts_pipe_arguments *self, struct argp_state *state, const char *arg);
// A run for each combination of values.
int ts_pipe_sweep(struct ts_pipe_arguments *arguments, struct ts_pipe_given *sets, int argc,
                  char **argv);
int ts_cmd_pipe_tune(int argc, char **argv);

#endif
