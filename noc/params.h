// The parameters of the chip's clock, of networks, DRAM, Ethernet links and the PCIe tile, from config/chip.def,
// config/noc.def, config/dram.def, config/eth.def and config/pcie.def, and of dispatch, from config/dispatch.def.
#pragma once

#include "platform/base/params.h"

struct ts_clock_params {
#define TS_PARAM(key, unit, low, high, text) int64_t key;
#include "config/chip.def"
};
extern const struct ts_clock_params ts_clock_default;

struct ts_noc_params {
#define TS_PARAM(key, unit, low, high, text) int64_t key;
#include "config/noc.def"
};

struct ts_dram_params {
#define TS_PARAM(key, unit, low, high, text) int64_t key;
#include "config/dram.def"
};

struct ts_eth_params {
#define TS_PARAM(key, unit, low, high, text) int64_t key;
#include "config/eth.def"
};

struct ts_pcie_params {
#define TS_PARAM(key, unit, low, high, text) int64_t key;
#include "config/pcie.def"
#undef TS_PARAM
};

struct ts_dispatch_params {
#define TS_PARAM(key, unit, low, high, text) int64_t key;
#include "config/dispatch.def"
};

// Adds the group "chip"; its clock.
void ts_clock_add(struct ts_params *params);
uint32_t ts_clock_mhz(const struct ts_params *params);
// Adds the groups "noc", "dram", "eth", "pcie" and "dispatch".
void ts_noc_params_add(struct ts_params *params);
