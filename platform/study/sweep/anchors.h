// The published table (config/anchors.def): GEMM_FLOPS on a p150, 13 columns by 10 rows.
#pragma once

#include "platform/base/params.h"
#include "platform/kernel/kernel.h"

struct ts_anchor {
    uint32_t shape; // from 1
    uint32_t m, k, n;
    const char *format, *fidelity;
    uint32_t blocks;
    const char *storage;
    double utilisation; // of the device, percent
};
extern const struct ts_anchor ts_anchors[];
extern const uint32_t ts_anchor_count;

// Runs one row of the table without arithmetic; calls `shown` between windows with the completed
// share of the work.
bool ts_anchor_run(const struct ts_anchor *anchor, const struct ts_params *params, uint32_t threads,
                   void (*shown)(void *context, double share), void *context, double *utilisation,
                   ts_cycle *cycles, struct ts_error *error);
