// The table of the baby cores' timing numbers.
#include "cores/riscv/params.h"

#include "platform/base/param_rows.h"

#include "blackhole_defaults.h"

const struct ts_rv_params ts_rv_params_default = {TS_RISCV_DEFAULTS};

void ts_rv_params_add(struct ts_params *params)
{
    TS_PARAM_ROWS(params, riscv);
}

void ts_rv_params_get(const struct ts_params *params, struct ts_rv_params *to)
{
    TS_PARAMS_FILL32(params, "riscv", to);
}
