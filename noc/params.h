// The parameters of network and DRAM, from config/noc.def and config/dram.def.
#ifndef TENSIM_NOC_PARAMS_H
#define TENSIM_NOC_PARAMS_H

#include "platform/base/params.h"

struct ts_noc_params {
#define TS_PARAM(key, unit, low, high, text) int64_t key;
#include "config/noc.def"
#undef TS_PARAM
};

struct ts_dram_params {
#define TS_PARAM(key, unit, low, high, text) int64_t key;
#include "config/dram.def"
#undef TS_PARAM
};

// Adds the groups "noc" and "dram".
void ts_noc_params_add(struct ts_params *params);

#endif
