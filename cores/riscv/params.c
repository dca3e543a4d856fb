// The table of the baby cores' timing numbers.
#include "cores/riscv/params.h"

const struct ts_rv_param_row ts_rv_param_rows[] = {
#define TS_RV_PARAM(name, value, unit, kind, source, what)                                         \
    {#name, value, unit, #kind, source, what, offsetof(struct ts_rv_params, name)},
#include "config/riscv_params.def"
    {0},
};

const struct ts_rv_params ts_rv_params_default = {
#define TS_RV_PARAM(name, value, unit, kind, source, what) .name = value,
#include "config/riscv_params.def"
};
