// The table of the baby cores' timing numbers.
#include "cores/riscv/params.h"

#include "blackhole_defaults.h"

const struct ts_rv_params ts_rv_params_default = {TS_RISCV_DEFAULTS};

void ts_rv_params_add(struct ts_params *params)
{
    static const struct ts_param rows[] = {
#define TS_PARAM(key, unit, low, high, text) {#key, unit, low, high, text},
#include "config/riscv_timing.def"
    };
    ts_params_add(params, "riscv", rows, sizeof rows / sizeof *rows);
}

void ts_rv_params_get(const struct ts_params *params, struct ts_rv_params *to)
{
    TS_PARAMS_FILL32(params, "riscv", to);
}
