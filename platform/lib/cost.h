// What an operation costs: a program with its parameters, run once without arithmetic and kept.
//
//   operation, settings --> query --> store (SQLite): its answer
//                             +--> not there: a run --> answer --> store
//
// A row of the store is of the text of the query ("gemv k=512 n=256", settings in order) and of a hash of what else the
// answer depends on: the sources of tensim, all parameters of the machine, chips, the program file and every file that it names. Rows
// of other hashes stay and are not used. Several processes may use one store: SQLite locks it, and the same row twice is one row.
// Inaccuracies: the RISC-V compiler is known by its name only, as in the cache of kernels.
#pragma once

#include "platform/tensim.h"

#include "platform/base/error.h"

#include <jansson.h>

struct ts_costs; // an open store with a machine

struct ts_cost_query {
    char *operation, **settings; // its own copies
    size_t count;
    char *text;          // the query, settings in order
    char path[PATH_MAX]; // of the program file
    uint64_t of;         // hash of the rest
};

// `path` NULL: tensim/costs.sqlite in the user's cache folder. Of `config` parameters, settings and allow count. `closed`: without a
// store, for a process that only runs. NULL: error.
struct ts_costs *ts_costs_open(const char *path, const struct tensim_config *config, bool closed,
                               struct ts_error *error);
void ts_costs_close(struct ts_costs *self);
// Of a sequence "@LINE:NAME=VALUE" is a setting of the program of the step at this line. A word without a name among settings is a shape, m x n x k or rows x columns, or a value: of the first parameter that takes it. False:
// error.
bool ts_cost_ask(struct ts_costs *self, const char *operation, const char *const *settings,
                 size_t count, struct ts_cost_query *query, struct ts_error *error);
void ts_cost_query_free(struct ts_cost_query *query);
// The stored answer; NULL: there is none.
json_t *ts_costs_find(struct ts_costs *self, const struct ts_cost_query *query);
bool ts_costs_keep(struct ts_costs *self, const struct ts_cost_query *query, const json_t *answer,
                   struct ts_error *error);
// Runs it, with numbers or for cycles alone: {operation, settings, cycles, us, clock_mhz, chip, cores, bound, evidence, bytes: {dram_read,
// dram_written, noc}, margin: {family, median, p90}, flops, utilisation}, of a sequence operations: [{name, line, operation, settings, cycles, bound}, ...]; with numbers also error: {rel_l2, pcc}. The machine is in
// `self`; the store is not touched. NULL: error.
json_t *ts_cost_run(const struct ts_costs *self, const struct ts_cost_query *query, bool numbers,
                    struct ts_error *error);
