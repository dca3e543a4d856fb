// config/control.h: the numbers of control.def as a struct, so that a run can change them.
#ifndef TENSIM_CONFIG_CONTROL_H
#define TENSIM_CONFIG_CONTROL_H

#include <stdint.h>

struct ts_control {
#define TS_CONTROL(name, value, unit, kind, source) uint32_t name;
#include "config/control.def"
#undef TS_CONTROL
};

extern const struct ts_control ts_control_default;

struct ts_control_row {
    const char *name, *unit, *kind, *source;
    uint32_t value;
};
extern const struct ts_control_row ts_control_rows[];
extern const unsigned ts_control_row_count;

#endif
