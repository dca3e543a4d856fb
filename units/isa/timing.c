// The table of the coprocessor's timing numbers.
#include "units/isa/timing.h"

#include "platform/base/param_rows.h"

#include "blackhole_defaults.h"

const struct ts_tensix_timing ts_tensix_timing_default = {TS_TENSIX_DEFAULTS};

void ts_tensix_timing_add(struct ts_params *params)
{
    TS_PARAM_ROWS(params, tensix);
}

void ts_tensix_timing_get(const struct ts_params *params, struct ts_tensix_timing *to)
{
    TS_PARAMS_FILL32(params, "tensix", to);
}
