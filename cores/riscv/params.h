// The baby cores' timing numbers: one struct, one table with value, unit, kind and source
// (config/riscv_params.def).
#ifndef TENSIM_RISCV_PARAMS_H
#define TENSIM_RISCV_PARAMS_H

#include "platform/base/params.h"

#include <stddef.h>
#include <stdint.h>

struct ts_rv_params {
#define TS_RV_PARAM(name, value, unit, kind, source, what) uint32_t name;
#include "config/riscv_params.def"
};

struct ts_rv_param_row {
    const char *name;
    uint32_t value;
    const char *unit, *kind, *source, *what;
    size_t offset; // in struct ts_rv_params
};

extern const struct ts_rv_param_row ts_rv_param_rows[]; // ends with a row without name
extern const struct ts_rv_params ts_rv_params_default;

// Registers the group "riscv" with the parameters, and copies its loaded values.
void ts_rv_params_add(struct ts_params *params);
void ts_rv_params_get(const struct ts_params *params, struct ts_rv_params *to);

#endif
