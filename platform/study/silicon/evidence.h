// What the figures of the truth table prove.
//
//   twins        rows that other rows of their family predict: a model that has those right has these right, too
//   parameters   rows that a parameter was set on: agreement there is no proof
//   harness      constants that belong to a measurement's program, not to the chip
//
// Two rows are of one kind if family, metric and workload are the same but for numbers and the names of cores. A
// row is a twin if, among the rows of its kind that stand before it and are no twins themselves,
//   - one has the same measured figures, within TS_SILICON_TWIN, or
//   - two differ from it in one and the same number, and its measured figure lies on the straight line through
//     theirs, within TS_SILICON_TWIN.
#pragma once

#include "platform/study/silicon/silicon.h"

#define TS_SILICON_TWIN 0.01

// Marks the twins among rows in the order of the table: results[].twin.
void ts_silicon_find_twins(struct ts_silicon_result *results, size_t count);

// Absolute errors of a part of the figures.
struct ts_silicon_spread {
    size_t figures;
    double median, p90;
};
enum ts_silicon_part {
    TS_SILICON_ALONE, // without twins
    TS_SILICON_FREE,  // without twins, and no parameter was set on them
};
// Of one family, or of all (NULL).
struct ts_silicon_spread ts_silicon_spread(const struct ts_silicon_result *results, size_t count,
                                           const struct ts_silicon_family *family,
                                           const struct ts_params *params,
                                           enum ts_silicon_part part);

// A parameter that was set on rows: its source names them.
struct ts_silicon_setting {
    const struct ts_param_group *group;
    size_t index;
    char rows[128]; // ids, separated by blanks
};
// Fills up to `room`; returns how many there are.
size_t ts_silicon_settings(const struct ts_params *params, struct ts_silicon_setting *to,
                           size_t room);
// The first parameter that was set on this row, "group.key"; empty: none.
void ts_silicon_set_on(const struct ts_params *params, const char *id, char *name, size_t size);

// A constant of a harness (config/silicon_harness.def).
struct ts_silicon_harness {
    const char *family, *name;
    double value;
    const char *unit, *reason;
};
extern const struct ts_silicon_harness ts_silicon_harness[]; // ends with a row without family
