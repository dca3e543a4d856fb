#include "noc/params.h"

#include "platform/base/param_rows.h"

#include "blackhole_defaults.h"

const struct ts_clock_params ts_clock_default = {TS_CHIP_DEFAULTS};

void ts_clock_add(struct ts_params *params)
{
    TS_PARAM_ROWS(params, chip);
}

uint32_t ts_clock_mhz(const struct ts_params *params)
{
    struct ts_clock_params clock;
    TS_PARAMS_FILL(params, "chip", &clock);
    return (uint32_t)clock.clock_mhz;
}

void ts_noc_params_add(struct ts_params *params)
{
    TS_PARAM_ROWS(params, noc);
    TS_PARAM_ROWS(params, dram);
    TS_PARAM_ROWS(params, eth);
    TS_PARAM_ROWS(params, pcie);
    TS_PARAM_ROWS(params, dispatch);
}
