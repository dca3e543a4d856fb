// The coprocessor's timing numbers: rows in config/tensix_timing.def, values in
// config/blackhole.yaml.
#pragma once

#include "platform/base/params.h"

struct ts_tensix_timing {
#define TS_PARAM(key, unit, low, high, text) uint32_t key;
#include "config/tensix_timing.def"
};

// The values of config/blackhole.yaml when the library was built.
extern const struct ts_tensix_timing ts_tensix_timing_default;

// Registers the group "tensix" with the parameters, and copies its loaded values.
void ts_tensix_timing_add(struct ts_params *params);
void ts_tensix_timing_get(const struct ts_params *params, struct ts_tensix_timing *to);
