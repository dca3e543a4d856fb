// The second opinion: documented bounds that no simulated figure may beat
// (config/silicon_bounds.def).
#pragma once

#include "platform/study/silicon/silicon.h"

struct ts_silicon_bound {
    const char *document, *text;
    const char *family, *workload, *metric;
    bool at_most;
    double value, slack;
};

extern const struct ts_silicon_bound ts_silicon_bounds[]; // ends with a row without document

bool ts_silicon_bound_holds_for(const struct ts_silicon_bound *bound,
                                const struct ts_silicon_result *result);
// A bound that the figure beats; NULL: none.
const struct ts_silicon_bound *ts_silicon_bound_beaten(const struct ts_silicon_result *result);
// Figures that a bound holds for.
size_t ts_silicon_bounded(const struct ts_silicon_result *results, size_t count);
