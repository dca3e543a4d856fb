// In1 of a matmul over a grid, down the columns, over NoC 1; then takes the results out of the
// ring, where they stay.
#include "grid.h"

void kernel_main()
{
    uint32_t x = ts_grid_x(get_arg(TS_ARG_GRID_COLUMN)), y = TS_GRID_Y;
    uint32_t rows = get_arg(TS_ARG_GRID_ROWS), row = get_arg(TS_ARG_GRID_ROW);
    grid_run<1>(
        {
            .cb = TS_CB_IN1,
            .tiles = get_arg(TS_ARG_NT) * get_arg(TS_ARG_KT) / get_arg(TS_ARG_BLOCKS),
            .blocks = get_arg(TS_ARG_BLOCKS),
            .repeat = get_arg(TS_ARG_REPEAT),
            .count = rows,
            .sender = row == 0,
            .from = noc::coordinate(x, y),
            .low = noc::coordinate(x, y),
            .high = noc::coordinate(x, y + rows - 1),
            .source = get_arg(TS_ARG_GRID_SOURCE1),
            .kept = get_arg(TS_ARG_GRID_KEPT1),
            .first = get_arg(TS_ARG_GRID_COLUMN) * get_arg(TS_ARG_NT) * get_arg(TS_ARG_KT),
            .ready = TS_L1_SEMAPHORES + 0x40,
            .valid = TS_L1_SEMAPHORES + 0x50,
            .scratch = TS_L1_SEMAPHORES + 0x60,
            .word = TS_L1_SEMAPHORES + 0x70,
        },
        noc::coordinate(x, y + row));
    for (uint32_t pass = 0; pass < get_arg(TS_ARG_REPEAT); pass++) {
        uint32_t tiles = cb_get(TS_CB_OUT).tiles;
        cb_wait_front(TS_CB_OUT, tiles);
        cb_pop_front(TS_CB_OUT, tiles);
    }
}
