// The table of the coprocessor's timing numbers.
#include "units/isa/timing.h"

#include "blackhole_defaults.h"

const struct ts_tensix_timing ts_tensix_timing_default = {TS_TENSIX_DEFAULTS};

void ts_tensix_timing_add(struct ts_params *params)
{
    static const struct ts_param rows[] = {
#define TS_PARAM(key, unit, low, high, text) {#key, unit, low, high, text},
#include "config/tensix_timing.def"
    };
    ts_params_add(params, "tensix", rows, sizeof rows / sizeof *rows);
}

void ts_tensix_timing_get(const struct ts_params *params, struct ts_tensix_timing *to)
{
    TS_PARAMS_FILL32(params, "tensix", to);
}
