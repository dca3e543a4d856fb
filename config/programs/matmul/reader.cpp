// For every tile of c: a row of tiles of a into buffer 0, a column of tiles of b into buffer 1.
#include "dataflow_api.h"

void kernel_main()
{
    constexpr uint32_t kt = get_compile_time_arg_val(0), nt = get_compile_time_arg_val(1);
    const uint32_t first = get_arg_val<uint32_t>(2), count = get_arg_val<uint32_t>(3);
    constexpr auto a_args = TensorAccessorArgs<2>();
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    const auto a = TensorAccessor(a_args, get_arg_val<uint32_t>(0), get_tile_size(0));
    const auto b = TensorAccessor(b_args, get_arg_val<uint32_t>(1), get_tile_size(1));
    for (uint32_t tile = first; tile < first + count; tile++) {
        const uint32_t row = tile / nt, column = tile % nt;
        for (uint32_t k = 0; k < kt; k++) {
            cb_reserve_back(0, 1);
            cb_reserve_back(1, 1);
            noc_async_read_tile(row * kt + k, a, get_write_ptr(0));
            noc_async_read_tile(k * nt + column, b, get_write_ptr(1));
            noc_async_read_barrier();
            cb_push_back(0, 1);
            cb_push_back(1, 1);
        }
    }
}
