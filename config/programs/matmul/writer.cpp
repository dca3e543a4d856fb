// Writes the tiles of circular buffer 16 to c.
#include "dataflow_api.h"

void kernel_main()
{
    const uint32_t first = get_arg_val<uint32_t>(1), count = get_arg_val<uint32_t>(2);
    constexpr auto c_args = TensorAccessorArgs<0>();
    const auto c = TensorAccessor(c_args, get_arg_val<uint32_t>(0), get_tile_size(16));
    for (uint32_t tile = first; tile < first + count; tile++) {
        cb_wait_front(16, 1);
        noc_async_write_tile(tile, c, get_read_ptr(16));
        noc_async_write_barrier();
        cb_pop_front(16, 1);
    }
}
