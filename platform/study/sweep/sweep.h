// Sweeps: one kernel over every combination of values of some parameters.
//
//   axes --> points --> worker processes --> results.jsonl (append only) --> table.csv table.json
//   table.sqlite sweep.html
//
// A finished run is one line, written with one write() and synced: killing the sweep at any moment
// loses at most the runs in flight, and the same command runs what is missing. The tables
// hold nothing of the host, so they are the same bytes however often the sweep was interrupted.
#ifndef TENSIM_STUDY_SWEEP_SWEEP_H
#define TENSIM_STUDY_SWEEP_SWEEP_H

#include "platform/out/rundir.h"
#include "platform/run/job.h"

#include <jansson.h>

#define TS_SWEEP_AXES   16
#define TS_SWEEP_VALUES 64

struct ts_sweep_axis {
    char name[32];
    char values[TS_SWEEP_VALUES][32];
    unsigned count;
};

struct ts_sweep {
    struct ts_job_spec base;
    struct ts_sweep_axis axes[TS_SWEEP_AXES];
    unsigned axis_count;
    const char *directory;
    unsigned workers;
    bool quiet;
    int argc; // of the command
    char **argv;
    // Results, by point.
    json_t **results; // NULL: not there
    size_t points;
    size_t resumed; // that were there already
    // Private.
    struct ts_rundir *out;
    int failure; // errno of a result that could not be kept
};

// "throttle=0,1,2": adds an axis, or replaces the one of that name. False: error says why.
bool ts_sweep_axis_add(struct ts_sweep *self, const char *text, struct ts_error *error);
// Values of point `index` as "throttle=0 fidelity=lofi ...": its key in the results file.
void ts_sweep_key(const struct ts_sweep *self, size_t index, char *key, size_t size);
// False: at every point the parameters mean nothing together (ts_spec_check); text says why.
bool ts_sweep_check(const struct ts_sweep *self, char *text, size_t size);
// What some point will not give (ts_spec_warning); NULL: nothing.
const char *ts_sweep_warning(const struct ts_sweep *self);
// Runs what is missing. A code for the command line; TS_SIGNAL + n when a signal stopped it.
int ts_sweep_run(struct ts_sweep *self, struct ts_error *error);
// Writes the tables and the page, all of them or none.
bool ts_sweep_write(const struct ts_sweep *self, struct ts_error *error);
void ts_sweep_free(struct ts_sweep *self);

// sweep_page.c
void ts_sweep_page(const struct ts_sweep *self, FILE *file);

#endif
