// Writes the tiles of circular buffer 0 to this core's rows of y.
#include "dataflow_api.h"

void kernel_main()
{
    const uint32_t first = get_arg_val<uint32_t>(1), count = get_arg_val<uint32_t>(2);
    constexpr auto y_args = TensorAccessorArgs<0>();
    const auto y = TensorAccessor(y_args, get_arg_val<uint32_t>(0), get_tile_size(0));
    for (uint32_t tile = first; tile < first + count; tile++) {
        cb_wait_front(0, 1);
        noc_async_write_tile(tile, y, get_read_ptr(0));
        noc_async_write_barrier();
        cb_pop_front(0, 1);
    }
}
