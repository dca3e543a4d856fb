// Options of the built-in kernels, from config/job_option.def: one table for the command line, the
// parameters of a sweep, the help and the refusal of meaningless options.
//
//   name, value --> ts_spec_set (this kernel's option? this value?) --> ts_spec_check (together?)
#ifndef TENSIM_RUN_SPEC_H
#define TENSIM_RUN_SPEC_H

#include "platform/run/job.h"

enum ts_option_group {
    TS_GROUP_WORK,
    TS_GROUP_NUMBERS,
    TS_GROUP_SCHEDULE,
    TS_GROUP_TILES,
    TS_GROUP_RUN,
};

enum ts_job_option_id {
#define TS_JOB_OPTION(id, ...) TS_OPTION_##id,
#include "config/job_option.def"
#undef TS_JOB_OPTION
    TS_JOB_OPTIONS
};

struct ts_job_option {
    int key;          // short option; 0: none
    const char *name; // long option, parameter of a sweep
    const char *argument;
    enum ts_option_group group;
    const char *programs; // that have it; NULL: all
    bool sweep;           // a sweep may vary it
    int64_t low, high;    // of a number
    const char *otherwise;
    const char *choices;
    const char *text;
    const char *front; // parameters of the program file, or !reason
};
extern const struct ts_job_option ts_job_options[TS_JOB_OPTIONS];

// The option of this name; -1: none.
int ts_option_find(const char *name);
// Does this kernel have the option?
bool ts_option_applies(enum ts_job_option_id id, const struct ts_job_kind *kind);
// All values that this kernel takes, separated by blanks; "" if it is not a choice.
void ts_option_choices(enum ts_job_option_id id, const struct ts_job_kind *kind, char *text,
                       size_t size);
// The line of the help: what it is, choices, default.
void ts_option_help(enum ts_job_option_id id, const struct ts_job_kind *kind, char *text,
                    size_t size);
// Names of the options that a sweep of this kernel may vary, separated by blanks.
void ts_option_sweeps(const struct ts_job_kind *kind, char *text, size_t size);

// Was the option given?
bool ts_spec_given(const struct ts_job_spec *spec, enum ts_job_option_id id);
// Sets one option; ignores the value of a flag. False: text says what is wrong with it.
bool ts_spec_option(struct ts_job_spec *spec, enum ts_job_option_id id, const char *value,
                    char *text, size_t size);
// The same by name ("m", "format", "throttle", ...).
bool ts_spec_set(struct ts_job_spec *spec, const char *name, const char *value, char *text,
                 size_t size);
// The same for a parameter of a sweep: only options that a sweep may vary.
bool ts_spec_vary(struct ts_job_spec *spec, const char *name, const char *value, char *text,
                  size_t size);
// Options that are meaningless together. False: text says why.
bool ts_spec_check(const struct ts_job_spec *spec, char *text, size_t size);
// A limitation of a valid spec: a sentence, or NULL.
const char *ts_spec_warning(const struct ts_job_spec *spec);

#endif
