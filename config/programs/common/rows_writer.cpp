// Writes 32 rows of a tensor at a time from a circular buffer: `count` times, from 32 * `first` on.
#include "rows.h"

void kernel_main()
{
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), row_bytes);
    uint32_t row = 32 * get_arg_val<uint32_t>(1);
    for (uint32_t left = get_arg_val<uint32_t>(2); left > 0; left--) {
        cb_wait_front(cb, across);
        uint32_t from = get_read_ptr(cb);
        for (uint32_t i = 0; i < 32; i++, from += row_bytes)
            noc_async_write(from, x.get_noc_addr(row++), row_bytes);
        noc_async_writes_flushed();
        cb_pop_front(cb, across);
    }
    noc_async_write_barrier();
}
