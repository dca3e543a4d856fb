// Reads the tiles of a into circular buffer 0 and those of b that go with them into buffer 1.
#include "dataflow_api.h"

constexpr uint32_t block = get_compile_time_arg_val(0), across = get_compile_time_arg_val(1);
constexpr uint32_t broadcast = get_compile_time_arg_val(2); // none, row, col, scalar

// The tile of b for a tile of a.
inline uint32_t other(uint32_t tile)
{
    if constexpr (broadcast == 1)
        return tile % across;
    if constexpr (broadcast == 2)
        return tile / across;
    return broadcast == 3 ? 0 : tile;
}

void kernel_main()
{
    constexpr auto a_args = TensorAccessorArgs<3>();
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    constexpr uint32_t size = get_tile_size(0);
    const auto a = TensorAccessor(a_args, get_arg_val<uint32_t>(0), size);
    const auto b = TensorAccessor(b_args, get_arg_val<uint32_t>(1), size);
    uint32_t tile = get_arg_val<uint32_t>(2);
    for (uint32_t left = get_arg_val<uint32_t>(3); left > 0;) {
        const uint32_t n = left < block ? left : block;
        cb_reserve_back(0, n);
        cb_reserve_back(1, n);
        uint32_t to_a = get_write_ptr(0), to_b = get_write_ptr(1);
        for (uint32_t i = 0; i < n; i++, tile++, to_a += size, to_b += size) {
            noc_async_read_tile(tile, a, to_a);
            noc_async_read_tile(other(tile), b, to_b);
        }
        noc_async_read_barrier();
        cb_push_back(0, n);
        cb_push_back(1, n);
        left -= n;
    }
}
