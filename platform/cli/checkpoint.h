// Checkpoints of a command (--checkpoint), and going on from one (tensim run --resume).
#pragma once

#include "platform/cli/common.h"

// Does a command line have --checkpoint or --resume?
bool ts_checkpoint_asked(int argc, char **argv);
// Runs a command so that checkpoints of it can be written, or the command of the checkpoint. Returns the exit code.
typedef const struct ts_command *ts_command_finder(const char *name);
int ts_checkpoint_main(ts_command_finder *find, const struct ts_command *command, int argc,
                       char **argv);

// --checkpoint; a wrong value ends the program.
void ts_checkpoint_option(const char *arg, struct argp_state *state);
// Where the files go.
void ts_checkpoint_into(const char *directory);
