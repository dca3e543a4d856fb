// `tensim run`: what it was asked, by one table of options for every kind of file (load/kind.h), and who does it.
#pragma once

#include "cores/riscv/core.h"
#include "platform/cli/crew_options.h"
#include "platform/cli/why.h"
#include "platform/load/kind.h"
#include "platform/study/explore/explore.h"

enum { TS_ASK_PARAMS = 192 };

struct ts_ask {
    struct ts_options options;
    struct ts_why why;
    struct ts_crew_options crew; // of --search
    enum ts_kind kind;
    const char *file;     // NULL: ELF files of cores
    char found[PATH_MAX]; // of a program that was named
    char **words;         // files (.ttv), or behind -- a command to search
    unsigned word_count;
    const char *params[TS_ASK_PARAMS]; // "m=64"
    size_t param_count;
    char chip_param[PATH_MAX];
    const char *chip, *dprint, *sources, *allow;
    unsigned allowed;
    const char *elf[TS_RV_CORES];
    struct ts_texts loads; // "ADDRESS=FILE"
    const char *until;     // "ADDRESS=VALUE"; NULL: until no core can continue
    char *record, *near;
    uint32_t record_ops; // of each thread; 0: all
    bool exact, strict, timing_only;
    char *lints;
    uint64_t lint_bits;
    struct ts_perturb_how perturb;
    uint32_t search, most; // seeds; the longest delay
    bool random, show, values, explore, expect, power;
    struct ts_explore_options explored;
    char *replay, *schedule;
    struct tensim_config config; // for the library
    const char *given[96];       // long names of the options
    unsigned given_count;
    int argc; // the command as it was given, for documents
    char **argv;
};

// `tensim run' with these words; `said`: the command as it was given.
int ts_run_command(int argc, char **argv, int said_count, char **said);
const struct argp *ts_run_argp(void); // its options; the input is a struct ts_ask
// Options that mean nothing together, or for this kind of file, end the program.
void ts_ask_check(struct ts_ask *self, struct argp_state *state);

// The short name of a program, argv[0] "tensim matmul" (config/aliases.def).
int ts_kernel_command(int argc, char **argv);
// If the command asks for help about a program file: prints its options. False: it does not.
bool ts_program_help(int argc, char **argv, const char *path);

// One kind each; exit codes.
int ts_run_program(struct ts_ask *self);
int ts_run_tiles(struct ts_ask *self); // a scenario, or ELF files on one tile
int ts_run_small(struct ts_ask *self);
int ts_run_search(struct ts_ask *self);  // other commands, each run a process
int ts_run_explore(struct ts_ask *self); // every interleaving of a small program
int ts_run_prove(struct ts_ask *self);   // of a TPUSH/TPOP program
int ts_run_show(struct ts_ask *self);    // what each instruction changes
int ts_run_ttv(struct ts_ask *self);
int ts_run_noc(struct ts_ask *self);
int ts_run_sequence(struct ts_ask *self);
int ts_run_pipe(struct ts_ask *self);
int ts_run_power(struct ts_ask *self); // the firmware on a trace of activity

void ts_pipe_list(void);

// The machine's parameters, by the options. An exit code; to be freed either way.
int ts_ask_params(const struct ts_ask *self, struct ts_params *params);
// A tile's configuration, by the options.
struct ts_tile_config ts_ask_tile(const struct ts_ask *self, const struct ts_params *params);
// Can the ranks that were started divide it? False: it has been said.
bool ts_ranks_fit(const struct tensim *sim);
