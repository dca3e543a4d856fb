// Reads the tiles of x whose rows are moved.
#include "dataflow_api.h"

constexpr uint32_t places = get_compile_time_arg_val(0); // spread, join
constexpr uint32_t skip = get_compile_time_arg_val(1);   // tiles of a row before the first head
constexpr uint32_t high = get_compile_time_arg_val(2);   // rows of tiles of a group
constexpr uint32_t wide = get_compile_time_arg_val(3);

void kernel_main()
{
    constexpr auto x_args = TensorAccessorArgs<4>();
    constexpr uint32_t size = get_tile_size(0), block = 4;
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), size);
    uint32_t tile = get_arg_val<uint32_t>(1);
    for (uint32_t left = get_arg_val<uint32_t>(2); left > 0;) {
        const uint32_t n = left < block ? left : block;
        cb_reserve_back(0, n);
        for (uint32_t i = 0; i < n; i++, tile++)
            noc_async_read_tile(places == 0 ? skip + tile : tile / wide * high * wide + tile % wide,
                                x, get_write_ptr(0) + i * size);
        noc_async_read_barrier();
        cb_push_back(0, n);
        left -= n;
    }
}
