// Reads tiles of a tensor into a circular buffer, `block` at a time. Tile i of the core's `count` rows of `inner` tiles
// lies at row * outer_step + i * inner_step. With SCALER, a buffer, it first makes the tile that reduce_tile multiplies by.
#include "dataflow_api.h"

#include "scaler.h"

void kernel_main()
{
    constexpr uint32_t cb = get_compile_time_arg_val(0), block = get_compile_time_arg_val(1);
    constexpr uint32_t inner = get_compile_time_arg_val(2);
    constexpr uint32_t outer_step = get_compile_time_arg_val(3);
    constexpr uint32_t inner_step = get_compile_time_arg_val(4), tile = get_tile_size(cb);
    constexpr auto x_args = TensorAccessorArgs<5>();
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), tile);
    const uint32_t first = get_arg_val<uint32_t>(1), all = get_arg_val<uint32_t>(2) * inner;
#ifdef SCALER
    make_scaler(SCALER, get_arg_val<uint32_t>(3));
#endif
    uint32_t row = first * outer_step, at = row, column = 0;
    for (uint32_t left = all; left > 0;) {
        const uint32_t n = left < block ? left : block;
        cb_reserve_back(cb, n);
        uint32_t to = get_write_ptr(cb);
        for (uint32_t i = 0; i < n; i++, to += tile) {
            noc_async_read_tile(at, x, to);
            at += inner_step;
            if (++column == inner) {
                column = 0;
                at = row += outer_step;
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb, n);
        left -= n;
    }
}
