// A matmul shared by a grid of tiles of one chip: the division of work and the storage.
//
//   spec of the full matrix  --> ts_grid_plan --> spec of a tile (m and n are its part)
//   jobs, one for each tile  --> ts_grid_connect (chip, DRAM) --> ts_job_start: ts_grid_place
//
// The layout is that of the vendor's 2D multicast matmul (tt-metal, GEMM_FLOPS): in0 in L1, each
// tile of a row with some columns of it, or in DRAM; in1 in DRAM; the result in L1 or in DRAM.
// Matrices in DRAM are stored tile by tile, row by row, with the channels in turn. A block of the
// inner dimension is what one tile of a row has, or half of it, ... until rings for two blocks fit
// in L1.
#ifndef TENSIM_RUN_GRID_H
#define TENSIM_RUN_GRID_H

#include "platform/chip/chip.h"
#include "platform/run/job.h"

#define TS_GRID_COLUMNS 14 // worker tiles of a p150
#define TS_GRID_ROWS    10

// Divides the work, and chooses blocks, sub-block and storage where the spec does not.
bool ts_grid_plan(struct ts_job_spec *spec, struct ts_error *error);

// Builds a p150 with the jobs' tiles.
bool ts_grid_connect(struct ts_job *jobs, uint32_t count, const struct ts_params *params,
                     struct ts_chip *chip, struct ts_error *error);

// The values of a tile's operand, before they are rounded to its format.
void ts_grid_values(struct ts_job *job, unsigned operand);
// Operands of one tile of the grid: rings, this tile's part of in0, and its part in DRAM.
bool ts_grid_place(struct ts_job *job, struct ts_launch *launch, uint32_t *at,
                   struct ts_error *error);
// Tile i of a result in DRAM.
bool ts_grid_result(struct ts_job *job, uint32_t i, void *bytes, struct ts_error *error);

// The device's figures as in the vendor's report: the mean of the math threads' kernels.
ts_cycle ts_grid_mean(const struct ts_job_result *results, uint32_t count);

// --- the published table (config/anchors.def): GEMM_FLOPS on a p150, 13 columns by 10 rows

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
// share of the work. False: text says why not.
bool ts_anchor_run(const struct ts_anchor *anchor, const struct ts_params *params, uint32_t threads,
                   void (*shown)(void *context, double share), void *context, double *utilisation,
                   ts_cycle *cycles, char *text, size_t size);

#endif
