// A program file run from the command line, from compiling to the exit code: for `tensim run', and for the short names of
// low-level kernels.
#ifndef TENSIM_CLI_PROGRAM_RUN_H
#define TENSIM_CLI_PROGRAM_RUN_H

#include "platform/cli/common.h"
#include "platform/cli/why.h"

struct ts_program_run {
    const struct ts_options *options;
    const char *path;
    const char *const *params; // "m=64"
    size_t param_count;
    const char *dprint;          // file for what kernels print; "off": nothing; NULL: stderr
    const char *record, *near;   // files; or NULL
    struct tensim_config config; // with what the command knows
    bool no_recheck;             // a wrong result is not run again under checks
    const struct ts_why *why;    // what --why was given
    int argc;
    char **argv;
};

// An exit code.
int ts_program_run(const struct ts_program_run *self);

// `tensim run' with these words; `said`: the command as it was given, for documents.
int ts_run_command(int argc, char **argv, int said_count, char **said);
extern const struct argp ts_run_argp; // its options

#endif
