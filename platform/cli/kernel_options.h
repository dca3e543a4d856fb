// Options that all commands that run a built-in kernel share, and the run itself.
#ifndef TENSIM_CLI_KERNEL_OPTIONS_H
#define TENSIM_CLI_KERNEL_OPTIONS_H

#include "platform/cli/common.h"
#include "platform/study/kernel_run.h"

struct ts_kernel_options {
    struct ts_options options;
    struct ts_job_spec spec;
    bool out_given;
};

// Sets one parameter of a spec by its name on the command line ("m", "format", "throttle", ...). False: text says
// what is wrong with it. Sweeps use it too.
bool ts_spec_set(struct ts_job_spec *spec, const char *name, const char *value, char *text, size_t size);

// A whole command: `kernel` is a row of the table of kernels.
int ts_kernel_command(const char *kernel, const char *doc, int argc, char **argv);

#endif
