// Options of a program file on the command line: `tensim matmul -M 64 --fidelity hifi4` is `tensim run llk/matmul -p m=64 -p
// fidelity=hifi4`. Names, letters, help and defaults come from the file (platform/run/plan/read_option.c).
#ifndef TENSIM_CLI_KERNEL_COMMAND_H
#define TENSIM_CLI_KERNEL_COMMAND_H

#include <stdbool.h>

// The command of a short name (config/aliases.def).
int ts_kernel_command(const char *kernel, int argc, char **argv);
// If the command asks for help about a program file: prints its options. False: it does not.
bool ts_program_help(int argc, char **argv, const char *path);

#endif
