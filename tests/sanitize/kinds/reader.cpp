// Reads tiles of x into circular buffer 0.
#include "dataflow_api.h"

void kernel_main()
{
    const uint32_t count = get_arg_val<uint32_t>(1), s = get_semaphore(get_arg_val<uint32_t>(2));
    constexpr auto x_args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), get_tile_size(0));
    for (uint32_t tile = 0; tile < count; tile++) {
        cb_reserve_back(0, 1);
        noc_async_read_tile(tile, x, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
    // HERE
    (void)s;
}
