// Writes each part to this core's rows of y as it comes.
#include "ring.h"

void kernel_main()
{
    const uint32_t core = get_arg_val<uint32_t>(0), at = get_write_ptr(0);
    constexpr auto y_args = TensorAccessorArgs<3>();
    const auto y = TensorAccessor(y_args, get_arg_val<uint32_t>(3), tile);
    for (uint32_t round = 0; round < ring; round++)
        for (uint32_t first = 0; first < tiles; first += chunk) {
            wait_for(round, first);
            for (uint32_t i = 0; i < chunk; i++) {
                const uint32_t page = part_of(core, round) * tiles + first + i;
                noc_async_write_tile(core * ring * tiles + page, y, at + page * tile);
            }
        }
    noc_async_write_barrier();
}
