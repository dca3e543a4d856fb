// A scenario, or ELF files on the cores of one tile, from loading to the exit code: the ways of
// `tensim run' that are not a program file.
#ifndef TENSIM_CLI_TILES_RUN_H
#define TENSIM_CLI_TILES_RUN_H

#include "cores/riscv/core.h"
#include "platform/cli/common.h"

#define TS_TILES_RUN_RAW 32

struct ts_tiles_run {
    const struct ts_options *options;
    const char *scenario; // NULL: ELF files
    const char *elf[TS_RV_CORES];
    const char *raw[TS_TILES_RUN_RAW]; // "ADDRESS=FILE"
    unsigned raw_count;
    const char *until;           // "ADDRESS=VALUE"; NULL: until no core can continue
    const char *log;             // directory for commit logs; or NULL
    const char *record, *near;   // files; or NULL
    struct tensim_config config; // with what the command knows
    int argc;
    char **argv;
};

// An exit code.
// Can the ranks that were started divide it? False: it has been said.
bool ts_ranks_fit(const struct tensim *sim);
int ts_tiles_run(const struct ts_tiles_run *self);

#endif
