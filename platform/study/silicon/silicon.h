// The truth table: measurements on real Blackhole cards, re-created on the model.
//
//   config/silicon/FAMILY.def (rows)     -> rows.c -> families -> ts_silicon_run -> results
//   config/probes/FAMILY.S    (programs) -> launch.c                            -> ts_silicon_summarise
//
// A row is one measurement of config/silicon_ids.def: its id, what the card showed, its program, and
// how the program's results become the figure. Rows are independent of each other: each builds its
// own kernel, so that one row can run alone and all of them in parallel. A run keeps no state outside
// its frame and takes every parameter from its context, never from the row: one set of parameters for
// all.
//
// To add a row: a line in the table of its family (family.h has the columns), and seldom a macro in
// the family's source. To add a family: config/silicon/NAME.def, config/probes/NAME.S, and its name twice in
// rows.c.
//
// A cause says why a row is off by more than TS_SILICON_CAUSE. It is known, or it says that it is
// inferred or not known.
#pragma once

#include "platform/crew/crew.h"
#include "platform/tile/tile.h"

#define TS_SILICON_CAUSE   0.10 // beyond this a row needs a cause
#define TS_SILICON_FIGURES 16
#define TS_SILICON_A5      "a5" // the machine of rows that are TPUSH/TPOP programs

// One measurement. A row of several figures counts by the one that is farthest off.
struct ts_silicon_row {
    const char *id; // of config/silicon_ids.def; words after it tell a second figure of the same id
    double measured;
    const char *cause;    // NULL: none is needed
    const double *others; // further figures
    unsigned other_count;
    // How the results of its programs become its figures (the further ones are written to figures[1..]); our words for it.
    double (*figure)(const double *results, double *figures);
    const char *workload, *metric;
    const char *file, *settings; // of a family of program files
};

// What a row runs with.
struct ts_silicon_context {
    const struct ts_params *params;
    struct ts_tile_config tile; // from params; Blackhole's unless its machine is set
    const char *sources;        // the user's tree, for families over files of the vendor
    struct ts_crew_seat *seat;  // shows the progress of a row of a program file; NULL: nothing does
};

// Rows that are not re-created: ids from .. to (to may be NULL), and why.
struct ts_silicon_left {
    const char *from, *to, *reason;
};

struct ts_silicon_family {
    const char *name, *title;
    const struct ts_silicon_row *rows;
    size_t count;
    double median, p90;                 // bars: absolute errors
    const char *groups;                 // of parameters that rows can depend on; NULL: all
    const struct ts_silicon_left *left; // ends with a row without from; NULL: nothing
    bool files;          // rows are program files: they run only if they are asked for
    const char *sources; // over files of this folder of the user's tree; NULL: of none
    const char *machine; // of the card: "blackhole"
};

extern const struct ts_silicon_family *const ts_silicon_families[]; // ends with NULL

struct ts_silicon_result {
    const struct ts_silicon_family *family;
    const struct ts_silicon_row *row;
    double measured, simulated;         // the figure that is farthest off
    double error;                       // simulated / measured - 1
    double figures[TS_SILICON_FIGURES]; // all that were simulated: of the row and of its others
    struct ts_error failure;            // code TS_OK unless the row could not be run
    const struct ts_silicon_row *twin;  // a row that predicts this one (evidence.h); NULL: none
};

struct ts_silicon_summary {
    size_t rows;
    double median, p90, worst; // of the absolute errors
    double bias;               // mean of the signed errors
    size_t failed;             // rows that could not be run
    size_t unexplained;        // rows beyond TS_SILICON_CAUSE without a cause
    size_t needless;           // rows within it that are marked as OFF: nobody would see them drift
};

struct ts_silicon_context ts_silicon_context(const struct ts_params *params);

// Runs the rows of results[].family and .row. An exit code as of ts_crew_run; the results are there
// if it is TS_OK and the crew is not a shard. `configuration` is a hash of the parameters.
int ts_silicon_run(struct ts_silicon_result *results, size_t count,
                   const struct ts_silicon_context *context, uint64_t configuration,
                   struct ts_crew *crew, struct ts_error *error);
// One row: in a worker, what the model gives; and what it means against the card.
void ts_silicon_simulate(const struct ts_silicon_result *result,
                         const struct ts_silicon_context *context, json_t *row);
void ts_silicon_settle(struct ts_silicon_result *result, const json_t *row);
// All rows of a family (NULL: of all families without files on Blackhole, or of all); the caller frees them.
struct ts_silicon_result *ts_silicon_select(const struct ts_silicon_family *family, bool every,
                                            size_t *count);
// Over the results of one family, or of all (NULL).
struct ts_silicon_summary ts_silicon_summarise(const struct ts_silicon_result *results,
                                               size_t count,
                                               const struct ts_silicon_family *family);
const struct ts_silicon_family *ts_silicon_family(const char *name); // NULL: there is none
// Among the rows that run if none are chosen.
bool ts_silicon_offered(const struct ts_silicon_family *self, const char *machine);
// Sorts absolute errors, at least one.
void ts_silicon_order(double *errors, size_t count, double *median, double *p90);
