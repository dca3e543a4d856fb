// units/isa/timing.h: the numbers of tensix_timing.def as a struct, so that a run can change
// them.
#ifndef TENSIM_UNITS_ISA_TIMING_H
#define TENSIM_UNITS_ISA_TIMING_H

#include "platform/base/params.h"

#include <stdint.h>

struct ts_tensix_timing {
#define TS_TENSIX_TIMING(name, value, unit, kind, source) uint32_t name;
#include "config/tensix_timing.def"
#undef TS_TENSIX_TIMING
};

extern const struct ts_tensix_timing ts_tensix_timing_default;

struct ts_tensix_timing_row {
    const char *name, *unit, *kind, *source;
    uint32_t value;
};
extern const struct ts_tensix_timing_row ts_tensix_timing_rows[];
extern const unsigned ts_tensix_timing_row_count;

// Registers the group "tensix" with the parameters, and copies its loaded values.
void ts_tensix_timing_add(struct ts_params *params);
void ts_tensix_timing_get(const struct ts_params *params, struct ts_tensix_timing *to);

#endif
