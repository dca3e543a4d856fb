#include "noc/params.h"

static const struct ts_param noc_rows[] = {
#define TS_PARAM(key, unit, low, high, text) {#key, unit, low, high, text},
#include "config/noc.def"
#undef TS_PARAM
};

static const struct ts_param dram_rows[] = {
#define TS_PARAM(key, unit, low, high, text) {#key, unit, low, high, text},
#include "config/dram.def"
#undef TS_PARAM
};

void ts_noc_params_add(struct ts_params *params)
{
    ts_params_add(params, "noc", noc_rows, sizeof noc_rows / sizeof *noc_rows);
    ts_params_add(params, "dram", dram_rows, sizeof dram_rows / sizeof *dram_rows);
}
