// The tile workload (bench_tile.c) as one of the models.
#include "tests/demo/bench_tile.h"

#include "tests/demo/demo.h"

struct ts_demo {
    struct ts_bench_tiles *tiles;
};

static struct ts_demo *build(struct ts_kernel *kernel, const struct ts_demo_params *params)
{
    struct ts_demo *self = ts_kernel_alloc(kernel, sizeof *self);
    self->tiles = ts_bench_tiles_new(kernel, (uint32_t)params->tiles, (uint32_t)params->seed,
                                     (uint32_t)params->fifo_depth);
    return self;
}

static uint64_t checksum(const struct ts_demo *self)
{
    return ts_bench_tiles_checksum(self->tiles);
}

const struct ts_demo_model ts_demo_tile = {
    .name = "tile",
    .text = "5 cores, 3 front ends and 9 back ends a tile: the kernel benchmark's workload",
    .build = build,
    .checksum = checksum,
};
