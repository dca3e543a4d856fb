// A core's CSRs that are plain storage, and the bits of cfg0. Source: CSRs.md.
#pragma once

// In this order in ts_rv_core.csr.
enum ts_rv_csr_slot {
#define TS_CSR(number, id, name) TS_RV_CSR_##id,
#include "config/csrs.def"
    TS_RV_CSR_SLOTS
};

// cfg0 bits.
#define TS_RV_CFG0_DIS_LD_BUF_BYP     (1u << 0)
#define TS_RV_CFG0_DIS_BP             (1u << 1)
#define TS_RV_CFG0_DIS_IC_PREFETCH    (1u << 2)
#define TS_RV_CFG0_DIS_LOW_CASH       (1u << 3)
#define TS_RV_CFG0_SYNC_ALL_OPS       (1u << 9)
#define TS_RV_CFG0_DIS_CSR_SYNC       (1u << 10)
#define TS_RV_CFG0_DIS_ST_MERGE       (1u << 12)
#define TS_RV_CFG0_ST_MERGE_SHIFT     13
#define TS_RV_CFG0_DIS_TRISC_CACHE    (1u << 18)
#define TS_RV_CFG0_DIS_REG_FORWARDING (1u << 20)
#define TS_RV_CFG0_DIS_PERIODIC_FLUSH (1u << 24)
#define TS_RV_CFG0_EN_BFLOAT          (1u << 30)
#define TS_RV_CFG0_EN_BFLOAT_RTNE     (1u << 31)
