// What all commands share: the table of commands, the common options, messages.
#ifndef TENSIM_CLI_COMMON_H
#define TENSIM_CLI_COMMON_H

#include "config/params.h"
#include "platform/kernel/error.h"
#include "platform/kernel/kernel.h"

#include <argp.h>
#include <stdbool.h>

// A subcommand. argv[0] is "tensim NAME"; the result is the exit code.
struct ts_command {
    const char *name;
    const char *text;
    int (*run)(int argc, char **argv);
};

// All of them, from commands.def; ends with a row without name.
extern const struct ts_command ts_commands[];

#define TS_SETS_MAX 64

// The options that every command that simulates understands.
struct ts_options {
    const char *config; // -c: parameter file instead of the default one
    const char *sets[TS_SETS_MAX];
    size_t set_count;    // -D
    uint32_t threads;    // -j
    ts_cycle max_cycles; // -n; TS_NEVER: none
    const char *out;     // -o: run directory; NULL: none
    bool trace;          // -t
    ts_cycle trace_from, trace_to;
    const char *json; // --json FILE; "-" is stdout
    bool stats_hash;
    bool quiet;
    bool unchecked; // --no-hang-check
};

void ts_options_init(struct ts_options *self);
// An argp parser to be a child of a command's own; its input is a struct ts_options.
extern const struct argp ts_options_argp;

// Loads the parameters: the default file of config/, or -c, then every --set. Reports on stderr.
enum ts_code ts_options_params(const struct ts_options *self, struct ts_params *params,
                               const char *default_file);

// --lint CHOICE: the lints that are shown; a wrong choice ends the program.
#define TS_LINT_HELP                                                                          \
    "lints to show, and to fault on with --strict: error, hazard (the default) or all, then " \
    ",-NAME "                                                                                 \
    "to leave one out"
uint32_t ts_lint_option(const char *choice, const struct argp_state *state);

// "tensim: text" on stderr; returns the code.
int ts_complain(enum ts_code code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int ts_complain_error(const struct ts_error *error);

// True when results for people go to stdout: --json - takes it for itself.
bool ts_options_talk(const struct ts_options *self);

#endif
