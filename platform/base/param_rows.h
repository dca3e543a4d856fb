// The rows of the parameters, by group, for those that register them.
#pragma once

#include "platform/base/params.h"

#define TS_PARAM_ROW(key, unit, low, high, text) {#key, unit, low, high, text},
#define TS_PARAM_ROWS(params, group) \
    ts_params_add(params, #group, group##_rows, sizeof group##_rows / sizeof *group##_rows)
static const struct ts_param chip_rows[] = {
#define TS_PARAM TS_PARAM_ROW
#include "config/chip.def"
};
static const struct ts_param riscv_rows[] = {
#define TS_PARAM TS_PARAM_ROW
#include "config/riscv_timing.def"
};
static const struct ts_param tensix_rows[] = {
#define TS_PARAM TS_PARAM_ROW
#include "config/tensix_timing.def"
};
static const struct ts_param noc_rows[] = {
#define TS_PARAM TS_PARAM_ROW
#include "config/noc.def"
};
static const struct ts_param dram_rows[] = {
#define TS_PARAM TS_PARAM_ROW
#include "config/dram.def"
};
static const struct ts_param eth_rows[] = {
#define TS_PARAM TS_PARAM_ROW
#include "config/eth.def"
};
static const struct ts_param pcie_rows[] = {
#define TS_PARAM TS_PARAM_ROW
#include "config/pcie.def"
};
static const struct ts_param dispatch_rows[] = {
#define TS_PARAM TS_PARAM_ROW
#include "config/dispatch.def"
};
static const struct ts_param free_rows[] = {
#define TS_PARAM TS_PARAM_ROW
#include "config/free.def"
};
