// units/misc.h: the Miscellaneous Unit: address counters, SETDVALID and NOP.
//
//   wait gates T0 T1 T2 --> one of each thread a cycle --> ADCs, Src banks
//
// Source: tt-isa-documentation WormholeB0/MiscellaneousUnit.md.
// Timing: one cycle (MISC-001..010).
// Inaccuracies: how SETDVALID and implied formats interact is not documented; see unpack.h.
#pragma once

#include "units/tensix.h"

struct ts_misc_unit {
    struct ts_unit unit;
    struct ts_tensix *tensix;
};

void ts_misc_unit_init(struct ts_misc_unit *self, struct ts_tensix *tensix,
                       struct ts_domain *domain);
