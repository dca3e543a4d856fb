// What commands of many runs share (sweep, silicon, run --search): --shard, --timeout, and
// what is said when a shard is complete or a signal has stopped the work.
#pragma once

#include "platform/cli/results.h"
#include "platform/crew/crew.h"

#define TS_MERGE_MAX 4096

struct ts_crew_options {
    unsigned shard, shards;
    double timeout;
    const char **merge; // directories, of `tensim merge`
    size_t merges;
    const char *into; // its -o
    bool serves;      // this is not rank 0: it writes nothing
};

// An argp parser to be a child of a command's own; its input is a struct ts_crew_options.
const struct argp *ts_crew_argp(void);

// After the command line is read: `out` and `json` become what this process writes; `others` is true
// if the command has other files to write, which a shard cannot have. An exit code.
int ts_crew_options_ready(struct ts_crew_options *self, const char **out, const char **json,
                          bool others);
// For work that is one process, in a command or in a part of it (`what`): several ranks are refused. An exit code.
int ts_crew_refuse_ranks(const char *what);
// The crew that the options ask for.
struct ts_crew ts_crew_from(const struct ts_crew_options *self, unsigned workers, bool quiet,
                            int argc, char **argv);
// Results are kept in the run directory, if there is one.
void ts_crew_keep(struct ts_crew *crew, const struct ts_results *results, const char *directory);
// Runs at the same time in this process's rank: `asked`, or, if that is 0, one for each host core; under
// MPI one.
unsigned ts_crew_cores(unsigned asked);
// Hash of all parameters: for a list's configuration.
uint64_t ts_crew_configuration(const struct ts_params *params);
// After ts_crew_run: true if the command has all its rows and goes on to write its results;
// otherwise *code is its exit code, and all has been said.
bool ts_crew_whole(const struct ts_crew *crew, const char *unit, int *code,
                   const struct ts_error *error);
