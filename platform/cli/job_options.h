// Options that all commands that run a built-in kernel share, and the run itself.
#ifndef TENSIM_CLI_JOB_OPTIONS_H
#define TENSIM_CLI_JOB_OPTIONS_H

#include "platform/cli/common.h"
#include "platform/cli/why.h"
#include "platform/run/job_front.h"
#include "platform/run/spec.h"

#define TS_KERNEL_SETTINGS 64

struct ts_job_options {
    struct ts_options options;
    struct ts_job_spec spec;            // to check the options as they come
    char *settings[TS_KERNEL_SETTINGS]; // the same for the library, "m=64"
    size_t setting_count;
    struct {
        enum ts_job_option_id id;
        const char *value;
    } given[TS_KERNEL_SETTINGS]; // in their order
    size_t given_count;
    bool is_front; // --cores, --from or --chip: a program file runs
    struct ts_front front;
    struct ts_why why;
    const char *record, *near; // --record, --near
};

// A whole command: `kernel` is a row of the table of kernels.
int ts_job_command(const char *program, const char *doc, int argc, char **argv);

#endif
