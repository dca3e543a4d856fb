#include "noc/params.h"

#include "blackhole_defaults.h"

const struct ts_clock_params ts_clock_default = {TS_CHIP_DEFAULTS};

static const struct ts_param chip_rows[] = {
#define TS_PARAM(key, unit, low, high, text) {#key, unit, low, high, text},
#include "config/chip.def"
};

static const struct ts_param noc_rows[] = {
#define TS_PARAM(key, unit, low, high, text) {#key, unit, low, high, text},
#include "config/noc.def"
};

static const struct ts_param dram_rows[] = {
#define TS_PARAM(key, unit, low, high, text) {#key, unit, low, high, text},
#include "config/dram.def"
};

static const struct ts_param eth_rows[] = {
#define TS_PARAM(key, unit, low, high, text) {#key, unit, low, high, text},
#include "config/eth.def"
};

static const struct ts_param pcie_rows[] = {
#define TS_PARAM(key, unit, low, high, text) {#key, unit, low, high, text},
#include "config/pcie.def"
#undef TS_PARAM
};

static const struct ts_param dispatch_rows[] = {
#define TS_PARAM(key, unit, low, high, text) {#key, unit, low, high, text},
#include "config/dispatch.def"
};

void ts_clock_add(struct ts_params *params)
{
    ts_params_add(params, "chip", chip_rows, sizeof chip_rows / sizeof *chip_rows);
}

uint32_t ts_clock_mhz(const struct ts_params *params)
{
    struct ts_clock_params clock;
    TS_PARAMS_FILL(params, "chip", &clock);
    return (uint32_t)clock.clock_mhz;
}

void ts_noc_params_add(struct ts_params *params)
{
    ts_params_add(params, "noc", noc_rows, sizeof noc_rows / sizeof *noc_rows);
    ts_params_add(params, "dram", dram_rows, sizeof dram_rows / sizeof *dram_rows);
    ts_params_add(params, "eth", eth_rows, sizeof eth_rows / sizeof *eth_rows);
    ts_params_add(params, "pcie", pcie_rows, sizeof pcie_rows / sizeof *pcie_rows);
    ts_params_add(params, "dispatch", dispatch_rows, sizeof dispatch_rows / sizeof *dispatch_rows);
}
