// in0 of a matmul over a grid, along the rows, over NoC 1. In L1 every tile of a row has some of
// its columns and sends them when their turn comes; in DRAM the first tile of the row fetches all.
#include "grid.h"

void kernel_main()
{
    const uint32_t mt = get_arg(TS_ARG_MT), kt = get_arg(TS_ARG_KT);
    const uint32_t blocks = get_arg(TS_ARG_BLOCKS), width = kt / blocks;
    const uint32_t columns = get_arg(TS_ARG_GRID_COLUMNS), column = get_arg(TS_ARG_GRID_COLUMN);
    const uint32_t row = get_arg(TS_ARG_GRID_ROW), y = TS_GRID_Y + row;
    const uint32_t shard = get_arg(TS_ARG_GRID_SHARD), shard_width = kt / columns;
    const uint32_t per_shard = shard ? shard_width / width : blocks; // blocks of a sender
    const uint32_t tile_bytes = cb_get(TS_CB_IN0).tile_bytes, tiles = mt * width;
    const uint32_t me = noc::coordinate(ts_grid_x(column), y);
    grid_line<1> line(me, noc::coordinate(ts_grid_x(0), y),
                      noc::coordinate(ts_grid_x(columns - 1), y), columns, TS_L1_SEMAPHORES);
    const dram_matrix matrix(1, get_arg(TS_ARG_GRID_DRAM0), kt, tile_bytes);
    for (uint32_t pass = 0; pass < get_arg(TS_ARG_REPEAT); pass++) {
        uint32_t sender = 0, turn = 0; // the tile whose turn it is, and its block
        for (uint32_t block = 0; block < blocks; block++) {
            cb_reserve_back(TS_CB_IN0, tiles);
            uint32_t to = get_write_ptr(TS_CB_IN0), from = to;
            if (sender != column) {
                line.receive(noc::coordinate(ts_grid_x(sender), y));
            } else {
                if (!shard) {
                    matrix.read(line.noc, row * mt * kt + block * width, mt, width, to);
                } else if (per_shard > 1 && mt > 1) {
                    // A block is some columns of the shard: it has to be gathered first.
                    uint32_t bytes = width * tile_bytes;
                    for (uint32_t r = 0; r < mt; r++)
                        for (uint32_t done = 0; done < bytes; done += noc::MAX_TRANSFER)
                            line.noc.read(
                                me, shard + (r * shard_width + turn * width) * tile_bytes + done,
                                to + r * bytes + done,
                                bytes - done < noc::MAX_TRANSFER ? bytes - done
                                                                 : noc::MAX_TRANSFER);
                    line.noc.read_barrier();
                } else {
                    from = shard + turn * tiles * tile_bytes;
                }
                line.send(from, to, tiles * tile_bytes);
            }
            cb_push_back(TS_CB_IN0, tiles);
            if (++turn == per_shard)
                turn = 0, sender++;
        }
    }
    line.noc.barrier();
}
