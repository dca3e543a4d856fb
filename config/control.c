// config/control.c: see control.h.
#include "config/control.h"

const struct ts_control ts_control_default = {
#define TS_CONTROL(name, value, unit, kind, source) .name = value,
#include "config/control.def"
#undef TS_CONTROL
};

const struct ts_control_row ts_control_rows[] = {
#define TS_CONTROL(name, value, unit, kind, source) {#name, #unit, #kind, source, value},
#include "config/control.def"
#undef TS_CONTROL
};
const unsigned ts_control_row_count = sizeof ts_control_rows / sizeof *ts_control_rows;
