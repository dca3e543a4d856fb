// A core's block of the result, from circular buffer 4 to a tensor: the sub-blocks as compute packs them, row by row.
#pragma once
#include "dataflow_api.h"

// Compile-time arguments from `at` on: rows and columns of the block and tiles from a row of the tensor to the next, rows and
// columns of a sub-block, the tensor. Without rows there is nothing to write. Arguments from `arg` on: the tensor's address, its
// first tile, and how many rows and columns of the block it has.
template <uint32_t at> inline void write_result(uint32_t arg)
{
    constexpr uint32_t height = get_compile_time_arg_val(at), cb = 4, tile = get_tile_size(cb);
    if constexpr (height > 0) {
        constexpr uint32_t width = get_compile_time_arg_val(at + 1);
        constexpr uint32_t step = get_compile_time_arg_val(at + 2);
        constexpr uint32_t sub_rows = get_compile_time_arg_val(at + 3);
        constexpr uint32_t sub_columns = get_compile_time_arg_val(at + 4);
        constexpr auto c_args = TensorAccessorArgs<at + 5>();
        const auto c = TensorAccessor(c_args, get_arg_val<uint32_t>(arg), tile);
        const uint32_t first = get_arg_val<uint32_t>(arg + 1);
        const uint32_t rows = get_arg_val<uint32_t>(arg + 2);
        const uint32_t columns = get_arg_val<uint32_t>(arg + 3);
        for (uint32_t r = 0; r < height; r += sub_rows)
            for (uint32_t s = 0; s < width; s += sub_columns) {
                cb_wait_front(cb, sub_rows * sub_columns);
                uint32_t from = get_read_ptr(cb);
                for (uint32_t i = r; i < r + sub_rows; i++)
                    for (uint32_t j = s; j < s + sub_columns; j++, from += tile)
                        if (i < rows && j < columns)
                            noc_async_write_tile(first + i * step + j, c, from);
                noc_async_writes_flushed();
                cb_pop_front(cb, sub_rows * sub_columns);
            }
        noc_async_write_barrier();
    }
}
