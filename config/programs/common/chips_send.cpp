// Gives chunk after chunk to the Ethernet tile that leads to the next chip. The chunk behind the current one is read meanwhile,
// if it is there.
#include "chips.h"

void kernel_main()
{
    const uint32_t room = get_arg_val<uint32_t>(1), done = get_arg_val<uint32_t>(2);
    const uint32_t x = get_arg_val<uint32_t>(3), y = get_arg_val<uint32_t>(4), at = get_write_ptr(24);
    constexpr auto args = TensorAccessorArgs<7>();
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0), bytes);
    wait_for_tensor();
    for (uint32_t i = 0; i < total; i++) {
        const uint32_t from = at + i % 2 * bytes;
        if (i >= segment) // this chip has received it
            wait_until(done, i - segment + 1);
        noc_async_read_page(page_sent(i), tensor, from);
        if (i >= slots)
            wait_until(room, i - slots + 1);
        noc_async_read_barrier();
        noc_async_write(from, get_noc_addr(x, y, TS_ETH_FREE + i % slots * bytes), bytes);
        noc_async_write_barrier();
        noc_semaphore_inc(get_noc_addr(x, y, 0x18300), 1);
    }
    noc_async_atomic_barrier();
}
