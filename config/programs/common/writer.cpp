// Writes the tiles of a circular buffer to a tensor, `block` at a time: `count` of them, from `first` on.
#include "dataflow_api.h"

void kernel_main()
{
    constexpr uint32_t cb = get_compile_time_arg_val(0), block = get_compile_time_arg_val(1);
    constexpr uint32_t size = get_tile_size(cb);
    constexpr auto y_args = TensorAccessorArgs<2>();
    const auto y = TensorAccessor(y_args, get_arg_val<uint32_t>(0), size);
    uint32_t tile = get_arg_val<uint32_t>(1);
    for (uint32_t left = get_arg_val<uint32_t>(2); left > 0;) {
        const uint32_t n = left < block ? left : block;
        cb_wait_front(cb, n);
        uint32_t from = get_read_ptr(cb);
        for (uint32_t i = 0; i < n; i++, from += size)
            noc_async_write_tile(tile++, y, from);
        noc_async_writes_flushed(); // they have left: the buffer is free
        cb_pop_front(cb, n);
        left -= n;
    }
    noc_async_write_barrier();
}
