// With the options cores, from or chip a built-in kernel is the program file of its operation. config/job_front.def names the file,
// config/job_option.def the parameter that each option sets.
//
//   options as given --> ts_front_begin (which file) --> ts_front_option (parameters) --> a program
#ifndef TENSIM_RUN_JOB_FRONT_H
#define TENSIM_RUN_JOB_FRONT_H

#include "platform/base/yaml.h"
#include "platform/run/spec.h"

#include <limits.h>

#define TS_FRONT_PARAMS 48

struct ts_front {
    const char *kernel;
    char path[PATH_MAX];
    struct ts_yaml yaml;
    struct ts_error error;
    char *params[TS_FRONT_PARAMS]; // "rows=64"; to be freed
    size_t param_count;
};

// Does this option make it a program?
bool ts_front_asks(enum ts_job_option_id id);
// Finds the file for `cores` (NULL: one core). False: text says what is wrong.
bool ts_front_begin(struct ts_front *self, const char *kernel, const char *cores, char *text,
                    size_t size);
// An option with its value. False: text says why the program does not take it.
bool ts_front_option(struct ts_front *self, enum ts_job_option_id id, const char *value, char *text,
                     size_t size);
void ts_front_end(struct ts_front *self);

#endif
