// config/tensix_timing.c: see tensix_timing.h.
#include "config/tensix_timing.h"

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
