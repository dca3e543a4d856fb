// in1 of a matmul over a grid, down the columns, over NoC 0: it lies in DRAM, and the first tile of
// a column fetches what the column needs. Then the results: they stay in L1, or go to DRAM as
// sub-blocks are finished.
#include "grid.h"

namespace {

void drain(noc::interface<0> &noc)
{
    const uint32_t mt = get_arg(TS_ARG_MT), nt = get_arg(TS_ARG_NT);
    const uint32_t h = get_arg(TS_ARG_SUB_H), w = get_arg(TS_ARG_SUB_W);
    const uint32_t across = nt * get_arg(TS_ARG_GRID_COLUMNS);
    const uint32_t first = get_arg(TS_ARG_GRID_ROW) * mt * across +
                           get_arg(TS_ARG_GRID_COLUMN) * nt;
    const uint32_t tile_bytes = cb_get(TS_CB_OUT).tile_bytes;
    const dram_matrix matrix(0, get_arg(TS_ARG_GRID_DRAM_OUT), across, tile_bytes);
    for (uint32_t r = 0; r < mt; r += h)
        for (uint32_t c = 0; c < nt; c += w) {
            cb_wait_front(TS_CB_OUT, h * w);
            if (matrix.base) {
                uint32_t from = get_read_ptr(TS_CB_OUT);
                for (uint32_t i = 0; i < h; i++)
                    for (uint32_t j = 0; j < w; j++, from += tile_bytes) {
                        uint32_t tile = first + (r + i) * across + c + j;
                        noc.write(from, matrix.at(tile), matrix.address(tile), tile_bytes);
                    }
                noc.barrier();
            }
            cb_pop_front(TS_CB_OUT, h * w);
        }
}

} // namespace

void kernel_main()
{
    const uint32_t nt = get_arg(TS_ARG_NT), kt = get_arg(TS_ARG_KT);
    const uint32_t blocks = get_arg(TS_ARG_BLOCKS), width = kt / blocks;
    const uint32_t rows = get_arg(TS_ARG_GRID_ROWS), row = get_arg(TS_ARG_GRID_ROW);
    const uint32_t column = get_arg(TS_ARG_GRID_COLUMN), x = ts_grid_x(column);
    const uint32_t across = nt * get_arg(TS_ARG_GRID_COLUMNS), tiles = nt * width;
    const uint32_t tile_bytes = cb_get(TS_CB_IN1).tile_bytes;
    const uint32_t top = noc::coordinate(x, TS_GRID_Y);
    grid_line<0> line(noc::coordinate(x, TS_GRID_Y + row), top,
                      noc::coordinate(x, TS_GRID_Y + rows - 1), rows, TS_L1_SEMAPHORES + 0x40);
    const dram_matrix matrix(0, get_arg(TS_ARG_GRID_DRAM1), across, tile_bytes);
    for (uint32_t pass = 0; pass < get_arg(TS_ARG_REPEAT); pass++) {
        for (uint32_t block = 0; block < blocks; block++) {
            cb_reserve_back(TS_CB_IN1, tiles);
            if (row == 0) {
                uint32_t to = get_write_ptr(TS_CB_IN1);
                matrix.read(line.noc, block * width * across + column * nt, width, nt, to);
                line.send(to, to, tiles * tile_bytes);
            } else {
                line.receive(top);
            }
            cb_push_back(TS_CB_IN1, tiles);
        }
        drain(line.noc);
    }
    line.noc.barrier();
}
