// Reads a tile of a, b and c at a time into the circular buffers 0, 1 and 2.
#include "dataflow_api.h"

void kernel_main()
{
    const uint32_t first = get_arg_val<uint32_t>(3), count = get_arg_val<uint32_t>(4);
    constexpr auto a_args = TensorAccessorArgs<0>();
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    constexpr auto c_args = TensorAccessorArgs<b_args.next_compile_time_args_offset()>();
    const auto a = TensorAccessor(a_args, get_arg_val<uint32_t>(0), get_tile_size(0));
    const auto b = TensorAccessor(b_args, get_arg_val<uint32_t>(1), get_tile_size(1));
    const auto c = TensorAccessor(c_args, get_arg_val<uint32_t>(2), get_tile_size(2));
    for (uint32_t tile = first; tile < first + count; tile++) {
        cb_reserve_back(0, 1);
        cb_reserve_back(1, 1);
        cb_reserve_back(2, 1);
        noc_async_read_tile(tile, a, get_write_ptr(0));
        noc_async_read_tile(tile, b, get_write_ptr(1));
        noc_async_read_tile(tile, c, get_write_ptr(2));
        noc_async_read_barrier();
        cb_push_back(0, 1);
        cb_push_back(1, 1);
        cb_push_back(2, 1);
    }
}
