// A run, or a set of runs, against one or several baselines: what moved, and by which cause.
//
// A set is a run directory (result.json, stats.json; of a sequence of programs its operations), a sweep's directory (table.json), a directory of such directories, or
// a JSON file that a command wrote with --json. Runs are compared by name: the key of a sweep's row, the folder's name. The
// document that comes out is read by the text, the page and programs:
//   {schema, version, a, b, chips: {a, b} if they differ, tolerance, beyond, runs: [{name, beyond, why, causes: as moved, figures: [{name, a, b, change}, ...],
//    moved: [{who, why, a, b, change}, ...]}, ...], only_a: [names], only_b: [names], roofs_a, roofs_b: [{name, chip, tflops, roofs}, ...],
//    more: [{a, chips, runs, only_a, only_b, roofs_a}, ...] of further baselines}
// change: of a figure in percent of a (null if a is 0 or it is text), of a wait in cycles.
#pragma once

#include "platform/base/error.h"

#include <jansson.h>

struct ts_compare_limits {
    double tolerance; // percent by which cycles may differ, and errors grow
    bool slower;      // fewer cycles and smaller errors are always good
};

// NULL: error says why.
json_t *ts_compare(const char *const *baselines, size_t count, const char *b,
                   const struct ts_compare_limits *limits, struct ts_error *error);
// Runs beyond the tolerance, and runs that one side alone has.
size_t ts_compare_beyond(const json_t *document);
void ts_compare_print(const json_t *document, FILE *file);
