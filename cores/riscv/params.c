// The table of the baby cores' timing numbers.
#include "cores/riscv/params.h"

const struct ts_rv_param_row ts_rv_param_rows[] = {
#define TS_RV_PARAM(name, value, unit, kind, source, what) \
    {#name, value, unit, #kind, source, what, offsetof(struct ts_rv_params, name)},
#include "config/riscv_params.def"
    {0},
};

const struct ts_rv_params ts_rv_params_default = {
#define TS_RV_PARAM(name, value, unit, kind, source, what) .name = value,
#include "config/riscv_params.def"
};

#define COUNT (sizeof ts_rv_param_rows / sizeof ts_rv_param_rows[0] - 1)

void ts_rv_params_add(struct ts_params *params)
{
    static const struct ts_param rows[] = {
#define TS_RV_PARAM(name, value, unit, kind, source, what) {#name, unit, 0, 1000000, what},
#include "config/riscv_params.def"
    };
    ts_params_add(params, "riscv", rows, sizeof rows / sizeof rows[0]);
}

void ts_rv_params_get(const struct ts_params *params, struct ts_rv_params *to)
{
    int64_t values[COUNT];
    ts_params_fill(params, "riscv", values, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        *(uint32_t *)((char *)to + ts_rv_param_rows[i].offset) = (uint32_t)values[i];
}
