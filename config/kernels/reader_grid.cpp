// Reader of a matmul over a grid: in0 along the rows, over NoC 0.
#include "grid.h"

void kernel_main()
{
    uint32_t y = TS_GRID_Y + get_arg(TS_ARG_GRID_ROW);
    uint32_t columns = get_arg(TS_ARG_GRID_COLUMNS), column = get_arg(TS_ARG_GRID_COLUMN);
    grid_run<0>(
        {
            .cb = TS_CB_IN0,
            .tiles = get_arg(TS_ARG_MT) * get_arg(TS_ARG_KT) / get_arg(TS_ARG_BLOCKS),
            .blocks = get_arg(TS_ARG_BLOCKS),
            .repeat = get_arg(TS_ARG_REPEAT),
            .count = columns,
            .sender = column == 0,
            .from = noc::coordinate(ts_grid_x(0), y),
            .low = noc::coordinate(ts_grid_x(0), y),
            .high = noc::coordinate(ts_grid_x(columns - 1), y),
            .source = get_arg(TS_ARG_GRID_SOURCE0),
            .kept = get_arg(TS_ARG_GRID_KEPT0),
            .first = 0,
            .ready = TS_L1_SEMAPHORES,
            .valid = TS_L1_SEMAPHORES + 0x10,
            .scratch = TS_L1_SEMAPHORES + 0x20,
            .word = TS_L1_SEMAPHORES + 0x30,
        },
        noc::coordinate(ts_grid_x(column), y));
}
