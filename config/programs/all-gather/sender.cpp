// Reads this core's part, then passes on part after part to the next core of the ring.
#include "ring.h"

void kernel_main()
{
    const uint32_t core = get_arg_val<uint32_t>(0), at = get_write_ptr(0);
    const uint32_t own = get_semaphore(get_arg_val<uint32_t>(1));
    const uint32_t came = get_semaphore(get_arg_val<uint32_t>(2));
    const uint32_t x_next = get_arg_val<uint32_t>(4), y_next = get_arg_val<uint32_t>(5);
    constexpr auto x_args = TensorAccessorArgs<3>();
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(3), tile);
    for (uint32_t i = 0; i < tiles; i++)
        noc_async_read_tile(core * tiles + i, x, at + (core * tiles + i) * tile);
    noc_async_read_barrier();
    noc_semaphore_set((volatile tt_l1_ptr uint32_t *)own, 1);
    for (uint32_t round = 0; round + 1 < ring; round++)
        for (uint32_t first = 0; first < tiles; first += chunk) {
            const uint32_t from = at + (part_of(core, round) * tiles + first) * tile;
            wait_for(round, first);
            noc_async_write(from, get_noc_addr(x_next, y_next, from), chunk * tile);
            noc_async_write_barrier(); // the count must not overtake the chunk
            noc_semaphore_inc(get_noc_addr(x_next, y_next, came), 1);
        }
    noc_async_atomic_barrier();
}
