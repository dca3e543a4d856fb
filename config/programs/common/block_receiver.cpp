// Says that there is room for a block, and hands on what comes. At the end it writes the core's block of the result,
// if it is to be written.
#include "block.h"

void kernel_main()
{
    constexpr uint32_t cb = get_compile_time_arg_val(0), blocks = get_compile_time_arg_val(1);
    constexpr uint32_t tiles = get_compile_time_arg_val(2);
    const uint32_t room = get_semaphore(get_arg_val<uint32_t>(0));
    const uint32_t sent = get_semaphore(get_arg_val<uint32_t>(1));
    volatile tt_l1_ptr uint32_t *sent_here = (volatile tt_l1_ptr uint32_t *)sent;
    const uint64_t sender = get_noc_addr(get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3), room);
    for (uint32_t block = 0; block < blocks; block++) {
        cb_reserve_back(cb, tiles);
        noc_semaphore_set(sent_here, INVALID);
        noc_semaphore_inc(sender, 1);
        noc_semaphore_wait(sent_here, VALID);
        cb_push_back(cb, tiles);
    }
    noc_async_atomic_barrier();
    write_result<3>(4);
}
