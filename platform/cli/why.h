// --why: repeats the run of a program file with one resource at a time for free, then with
// other options, and prints what each brings.
//
//   the run --> list (config/free.def, config/advice.def) --> crew --> sorted by gain --> text, JSON
//
// Each line names the option that repeats its run.
#pragma once

#include "platform/cli/session.h"

struct ts_why {
    bool asked, no_advice;
    bool remedies;              // --why=remedies
    bool by_line;               // --lines
    const char *lines;          // the source or the line that it shows; NULL: all
    const char *path;           // the program file
    const char *const *options; // its parameters, "m=64"
    size_t option_count;
    struct tensim_config config;
};

// --why and --lines; its input is a struct ts_why.
const struct argp *ts_why_argp(void);

// After the run: adds what was asked for: `why` and `advice` to the session's document and prints them. An exit code.
int ts_why_run(const struct ts_why *self, struct ts_session *session);
