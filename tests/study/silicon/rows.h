// Rows of the truth table, one at a time.
#pragma once

#include "platform/chip/chip.h"
#include "platform/study/silicon/silicon.h"

// The parameters that rows use, from config/blackhole.yaml.
static inline enum ts_code ts_silicon_params(struct ts_params *params, struct ts_error *error)
{
    char path[512];
    ts_config_path(path, sizeof path, "blackhole.yaml");
    ts_chip_params_add(params);
    return ts_params_load(params, path, error);
}

// Runs a row and settles it, in this process.
static inline void ts_silicon_run_one(struct ts_silicon_result *result,
                                      const struct ts_silicon_context *context)
{
    json_t *row = json_object();
    ts_silicon_simulate(result, context, row);
    ts_silicon_settle(result, row);
    json_decref(row);
}
