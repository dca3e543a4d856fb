// Reads the tile of x for each tile of y, in the order of y; with rotary also the tile of the other half, cos and sin.
#include "dataflow_api.h"

constexpr uint32_t places = get_compile_time_arg_val(0); // split, join, pick
constexpr bool rotary = get_compile_time_arg_val(1);
constexpr uint32_t rows = get_compile_time_arg_val(2), heads = get_compile_time_arg_val(3);
constexpr uint32_t skip = get_compile_time_arg_val(4), all = get_compile_time_arg_val(5);
constexpr uint32_t wide = get_compile_time_arg_val(6);
constexpr auto x_args = TensorAccessorArgs<7>();
constexpr auto cos_args = TensorAccessorArgs<x_args.next_compile_time_args_offset()>();
constexpr auto sin_args = TensorAccessorArgs<cos_args.next_compile_time_args_offset()>();

// Tile `column` of a head in a row of tiles, as x has it.
inline uint32_t page(uint32_t head, uint32_t row, uint32_t column)
{
    return places == 1 ? (head * rows + row) * wide + column
                       : (row * all + skip + head) * wide + column;
}

void kernel_main()
{
    constexpr uint32_t size = get_tile_size(0), block = 4;
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), size);
    const auto cosines = TensorAccessor(cos_args, get_arg_val<uint32_t>(1), size);
    const auto sines = TensorAccessor(sin_args, get_arg_val<uint32_t>(2), size);
    uint32_t tile = get_arg_val<uint32_t>(3);
    uint32_t column = tile % wide, outer = tile / wide;
    uint32_t head = places == 0 ? outer / rows : outer % heads;
    uint32_t row = places == 0 ? outer % rows : outer / heads;
    for (uint32_t left = get_arg_val<uint32_t>(4); left > 0;) {
        const uint32_t n = left < block ? left : block;
        for (uint32_t cb = 0; cb < (rotary ? 4 : 1); cb++)
            cb_reserve_back(cb, n);
        for (uint32_t i = 0; i < n; i++) {
            noc_async_read_tile(page(head, row, column), x, get_write_ptr(0) + i * size);
            if constexpr (rotary) {
                const uint32_t other = column < wide / 2 ? column + wide / 2 : column - wide / 2;
                noc_async_read_tile(page(head, row, other), x, get_write_ptr(1) + i * size);
                noc_async_read_tile(row * wide + column, cosines, get_write_ptr(2) + i * size);
                noc_async_read_tile(row * wide + column, sines, get_write_ptr(3) + i * size);
            }
            if (++column < wide)
                continue;
            column = 0;
            if (places == 0) {
                if (++row == rows)
                    row = 0, head++;
            } else if (++head == heads)
                head = 0, row++;
        }
        noc_async_read_barrier();
        for (uint32_t cb = 0; cb < (rotary ? 4 : 1); cb++)
            cb_push_back(cb, n);
        left -= n;
    }
}
