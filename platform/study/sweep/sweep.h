// Sweeps: one kernel, or programs, over every combination of values of some parameters.
//
//   axes --> points --> a crew (platform/crew) --> results.jsonl --> table.csv table.json
//   table.sqlite sweep.html
//
// Killing the sweep at any moment loses at most the runs in flight, and the same command runs what
// is missing. The tables hold nothing of the host, so they are the same bytes on any number of
// processes, ranks and shards, and however often the sweep was interrupted.
#pragma once

#include "platform/crew/crew.h"
#include "platform/run/plan/plan.h"

#define TS_SWEEP_AXES   16
#define TS_SWEEP_VALUES 64
#define TS_SWEEP_VALUE  256
#define TS_SWEEP_PATH   4096
#define TS_SWEEP_FILES  "program" // the axis of program files

enum ts_sweep_kind {
    TS_AXIS_OWN,     // a parameter of the kernel or the program
    TS_AXIS_MACHINE, // of the machine: `tensim run -D chip.clock_mhz=1000`
};

struct ts_sweep_axis {
    char name[64];
    enum ts_sweep_kind kind;
    char values[TS_SWEEP_VALUES][TS_SWEEP_VALUE];
    unsigned count;
};

// A run of a file with settings ("slots=4"), into a row.
typedef void ts_sweep_point(const char *path, const char *const *settings, size_t count,
                            json_t *row);

struct ts_sweep {
    const char *kernel;  // the short name of a low-level kernel (config/aliases.def)
    const char *base[4]; // its settings at every point, ends with NULL
    bool strict;
    struct ts_sweep_axis axes[TS_SWEEP_AXES];
    unsigned axis_count;
    bool programs;                              // the first axis names program files
    char paths[TS_SWEEP_VALUES][TS_SWEEP_PATH]; // where they are
    ts_sweep_point *point;                      // runs files that are no programs; NULL: they are
    const char *small;                          // what its front has little of, next to cycles
    const char *check;                          // --check of each run; NULL: none
    bool activity;                              // --activity of each run
    bool timing_only;                           // of each run; only with activity
    const char *allow;                          // --allow of each run of a program; NULL: none
    const char *directory;
    struct ts_crew crew; // workers, shard, timeout, command: as the caller wants it
    // Results, by point.
    json_t **results; // NULL: not there
    size_t points;
    size_t resumed;  // that were there already
    size_t findings; // of checks, in all runs
    // Private.
    struct ts_rundir *out;
};

// "throttle=0,1,2": adds an axis, or replaces the one of that name. Names with a dot, and clock, are
// of the machine. False: error says why.
bool ts_sweep_axis_add(struct ts_sweep *self, const char *text, struct ts_error *error);
// Adds a program to the first axis, by its name, and where its file is; the sweep is then one of
// programs.
bool ts_sweep_program_add(struct ts_sweep *self, const char *name, const char *path,
                          struct ts_error *error);
// Programs, kernels on a chip or another machine, runs with checks: columns are what their documents have.
bool ts_sweep_spawns(const struct ts_sweep *self);
// False: at every point the parameters mean nothing together (`require:` of its file); text says why.
bool ts_sweep_check(const struct ts_sweep *self, char *text, size_t size);
// What the file of the kernel warns of at some point, as text; "": nothing.
void ts_sweep_warning(const struct ts_sweep *self, char *text, size_t size);
// Would the kernel run with this setting and those of every point?
bool ts_sweep_accepts(const struct ts_sweep *self, const char *setting);
// Runs what is missing. A code for the command line; TS_SIGNAL + n when a signal stopped it.
int ts_sweep_run(struct ts_sweep *self, struct ts_error *error);
// Writes the tables and the page, all of them or none.
bool ts_sweep_write(const struct ts_sweep *self, void (*page)(const json_t *document, FILE *file),
                    struct ts_error *error);
void ts_sweep_free(struct ts_sweep *self);

// Is a point a command of its own (programs.c)? One such run: fills the row.
bool ts_sweep_is_command(const struct ts_sweep *self, size_t index);
void ts_sweep_spawn(const struct ts_sweep *self, size_t index, json_t *row);
// Hash of the files that a sweep of programs names.
uint64_t ts_sweep_program_hash(const struct ts_sweep *self);
// Calls `what` with the file and the settings of a point.
void ts_sweep_with(const struct ts_sweep *self, size_t index, ts_sweep_point *what, json_t *row);
// Value of an axis at a point.
const char *ts_sweep_value(const struct ts_sweep *self, size_t index, unsigned axis);
// Adds to a row what its run was asked for: it stands there whether the run has results or not.
void ts_sweep_keep(const struct ts_sweep *self, size_t index, json_t *row);
// Figures and words of a run's document, its roofs and its activity, that the row has not.
void ts_sweep_keep_figures(const json_t *document, json_t *row);

// --- speed and accuracy (front.c)

// What runs must share to be compared: "128x256x256"; a program and its FLOP.
void ts_sweep_shape(const struct ts_sweep *self, size_t index, char *text, size_t size);
// Points that no other of their shape beats in both speed and what is to be small: "error", a step
// (step_ns10) of --activity, or another figure of the rows. Shape by shape in the order of
// the points, fastest first. Returns how many; `to` has room for all points.
size_t ts_sweep_front(const struct ts_sweep *self, const char *by, size_t *to);
// The best point of each shape, by a word of TS_SWEEP_BEST; shapes in the order of the points.
#define TS_SWEEP_BEST "time tflops error step_ns1 step_ns10 step_ns100 step_us1"
size_t ts_sweep_best(const struct ts_sweep *self, const char *by, size_t *to);
