// --trace=commits:DIR: one commit log for each core of a scenario, in Spike's format. They go to the cores
// directly: the library has no such thing.
#pragma once

#include "platform/load/scenario.h"

struct ts_commit_logs {
    struct ts_commit_log *files; // of the cores of each tile in turn; NULL: none
};

// Opens DIR/X-Y.CORE.log for all cores. False: error; still to be closed.
bool ts_commit_logs_open(struct ts_commit_logs *self, const char *directory,
                         struct ts_scenario *scenario, struct ts_error *error);
// Completes the files. Returns `code`, or TS_SETUP with a message if one could not be written.
int ts_commit_logs_close(struct ts_commit_logs *self, struct ts_scenario *scenario, int code);
