// Statistics of a run: stats.json and stats.csv. They contain nothing of the host: the same run
// gives the same bytes.
#pragma once

#include "platform/kernel/kernel.h"

#include <jansson.h>

// {schema, version, run{span_cycles, stop, ...}, units[], channels[]}: see
// platform/out/README.md.
json_t *ts_stats_json(const struct ts_kernel *kernel, const struct ts_run *run);
// Long form: component,counter,unit,value.
void ts_stats_csv(const json_t *stats, FILE *file);
// 64-bit FNV-1a over the canonical text of a document, as 16 hex digits.
void ts_stats_hash(const json_t *document, char hash[17]);
// The hash of a run: its stats and its result, without what depends on the host (paths, errors against the host's libm;
// `result_hash` stands for the values) and without what only a check or --lines adds.
void ts_stats_run_hash(const json_t *stats, const json_t *result, char hash[17]);
// The same over the run, the units and the channels of stats: the model's behaviour, without texts
// (outputs of the workload, texts of counters) and without the host's effort (steps, windows).
void ts_stats_timing_hash(const json_t *stats, char hash[17]);
// Checks busy + stalls + idle = span for every unit, none of them below 0; the path of the first that differs, or NULL.
const char *ts_stats_check(const struct ts_kernel *kernel, ts_cycle span);
