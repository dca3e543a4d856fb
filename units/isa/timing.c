// units/isa/timing.c: see timing.h.
#include "units/isa/timing.h"

#include <string.h>

const struct ts_tensix_timing ts_tensix_timing_default = {
#define TS_TENSIX_TIMING(name, value, unit, kind, source) .name = value,
#include "config/tensix_timing.def"
#undef TS_TENSIX_TIMING
};

const struct ts_tensix_timing_row ts_tensix_timing_rows[] = {
#define TS_TENSIX_TIMING(name, value, unit, kind, source) {#name, #unit, #kind, source, value},
#include "config/tensix_timing.def"
#undef TS_TENSIX_TIMING
};
const unsigned ts_tensix_timing_row_count = sizeof ts_tensix_timing_rows /
                                            sizeof *ts_tensix_timing_rows;

void ts_tensix_timing_add(struct ts_params *params)
{
    static const struct ts_param rows[] = {
#define TS_TENSIX_TIMING(name, value, unit, kind, source) {#name, #unit, 0, 1000000, source},
#include "config/tensix_timing.def"
#undef TS_TENSIX_TIMING
    };
    ts_params_add(params, "tensix", rows, sizeof rows / sizeof *rows);
}

void ts_tensix_timing_get(const struct ts_params *params, struct ts_tensix_timing *to)
{
    enum { COUNT = sizeof(struct ts_tensix_timing) / sizeof(uint32_t) };
    int64_t values[COUNT];
    uint32_t numbers[COUNT];
    ts_params_fill(params, "tensix", values, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        numbers[i] = (uint32_t)values[i];
    memcpy(to, numbers, sizeof *to);
}
