// NoC 0's blocks of each column of w into buffer 1.
#include "weights.h"

void kernel_main()
{
    const uint32_t first = get_arg_val<uint32_t>(1), count = get_arg_val<uint32_t>(2);
    const auto w = TensorAccessor(w_args, get_arg_val<uint32_t>(0), get_tile_size(1));
    for (uint32_t column = first; column < first + count; column++)
        for (uint32_t k = 0; k < kt; k += block) {
            if (!over_noc0(k))
                continue;
            read_weights(w, 1, k, column);
            noc_async_read_barrier();
            cb_push_back(1, block);
        }
}
