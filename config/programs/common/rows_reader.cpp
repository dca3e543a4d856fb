// Reads 32 rows of a tensor at a time into a circular buffer: `count` times, from 32 * `first` on.
#include "rows.h"

void kernel_main()
{
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), row_bytes);
    uint32_t row = 32 * get_arg_val<uint32_t>(1);
    for (uint32_t left = get_arg_val<uint32_t>(2); left > 0; left--) {
        cb_reserve_back(cb, across);
        uint32_t to = get_write_ptr(cb);
        for (uint32_t i = 0; i < 32; i++, to += row_bytes)
            noc_async_read(x.get_noc_addr(row++), to, row_bytes);
        noc_async_read_barrier();
        cb_push_back(cb, across);
    }
}
