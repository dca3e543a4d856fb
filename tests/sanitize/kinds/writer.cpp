// Writes the tiles of circular buffer 16 to y.
#include "dataflow_api.h"

void kernel_main()
{
    const uint32_t count = get_arg_val<uint32_t>(1);
    constexpr auto y_args = TensorAccessorArgs<0>();
    constexpr auto z_args = TensorAccessorArgs<y_args.next_compile_time_args_offset()>();
    const auto y = TensorAccessor(y_args, get_arg_val<uint32_t>(0), get_tile_size(16));
    const auto z = TensorAccessor(z_args, get_arg_val<uint32_t>(2), 40);
    for (uint32_t tile = 0; tile < count; tile++) {
        cb_wait_front(16, 1);
        noc_async_write_tile(tile, y, get_read_ptr(16));
        noc_async_write_barrier();
        // HERE
        cb_pop_front(16, 1);
    }
    (void)z;
}
