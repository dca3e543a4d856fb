// The table of subcommands, from commands.def.
#include "platform/cli/common.h"

const struct ts_command ts_commands[] = {
#define TS_COMMAND(name, ranks, text) {#name, text, ts_cmd_##name, TS_RANKS_##ranks},
#include "platform/cli/commands.def"
    {0},
};
