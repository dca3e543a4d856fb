// The runs of --why, for those who make them (why.c) and those who tell of them (why_text.c).
#pragma once

#include "platform/cli/why.h"
#include "platform/run/work.h"

#define TS_WHY_RUNS 56

struct ts_why_point {
    const char *resource; // for free; NULL: another option
    const char *text;
    const char *option,
        *value;       // of the kernel; option NULL: of the model; value NULL: of a program file
    char setting[64]; // "free.unpack=1", or "sub-block=2x4"
    // Results.
    bool good;
    uint64_t cycles;
    double gain;  // percent
    double power; // as a ratio; 0: not known
    const char *next;
    bool at_most;   // no order of the same transfers gains more
    char limit[96]; // what limits it then, with its comma
};

struct ts_why_list {
    const struct ts_why *why;
    const struct tensim *sim; // the run that was made; NULL: none
    struct ts_why_point points[TS_WHY_RUNS];
    size_t count;
    uint64_t limit;             // of a run's cycles
    bool llk;                   // of a low-level kernel
    bool times_alone;           // the runs go without arithmetic
    bool sequence;              // the file is one
    bool remedies;              // counter-measures instead
    const struct ts_roof *full; // the busiest channel or link of the run; NULL: none
    double cycles;              // of the run
};

// The run with this resource for free, if it went well.
struct ts_why_point *ts_why_point_of(const struct ts_why_list *self, const char *resource,
                                     const char *suffix);
void ts_why_print(const struct ts_why_list *self, const struct ts_work *work);
// Adds the advice to the document, and prints the first lines of it.
json_t *ts_why_advise(const struct ts_why_list *self, bool talk);
json_t *ts_why_json(const struct ts_why_list *self);
// Adds what `tensim tune' tries: the advice that a parameter of the file can express. `plan` is the file as it was read with why->options; names
// of points live as long.
void ts_why_tries(struct ts_why_list *self, const struct ts_plan *plan);
