// The baby cores' timing numbers: rows in config/riscv_timing.def, values in config/blackhole.yaml.
#pragma once

#include "platform/base/params.h"

struct ts_rv_params {
#define TS_PARAM(key, unit, low, high, text) uint32_t key;
#include "config/riscv_timing.def"
};

// The values of config/blackhole.yaml when the library was built.
extern const struct ts_rv_params ts_rv_params_default;

// Registers the group "riscv" with the parameters, and copies its loaded values.
void ts_rv_params_add(struct ts_params *params);
void ts_rv_params_get(const struct ts_params *params, struct ts_rv_params *to);
