// Writes this core's tiles of a product, from buffer 16, and tells the worker that passes them on.
#include "dataflow_api.h"

void kernel_main()
{
    constexpr uint32_t size = get_tile_size(16);
    constexpr auto args = TensorAccessorArgs<0>();
    const auto y = TensorAccessor(args, get_arg_val<uint32_t>(0), size);
    uint32_t tile = get_arg_val<uint32_t>(1);
    for (uint32_t left = get_arg_val<uint32_t>(2); left > 0; left--) {
        cb_wait_front(16, 1);
        noc_async_write_tile(tile++, y, get_read_ptr(16));
        noc_async_writes_flushed(); // it has left: the buffer is free
        cb_pop_front(16, 1);
    }
    noc_async_write_barrier();
    noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(4),
                                   get_semaphore(get_arg_val<uint32_t>(5))),
                      1);
    noc_async_atomic_barrier();
}
