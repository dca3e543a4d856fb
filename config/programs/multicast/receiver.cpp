// Tells the sender when there is room in buffer 0, and hands each tile that arrives to the writer.
#include "dataflow_api.h"

void kernel_main()
{
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    const uint32_t room = get_semaphore(get_arg_val<uint32_t>(1));
    const uint32_t sent = get_semaphore(get_arg_val<uint32_t>(2));
    volatile tt_l1_ptr uint32_t *sent_here = (volatile tt_l1_ptr uint32_t *)sent;
    const uint64_t room_there = get_noc_addr(get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(4),
                                             room);
    for (uint32_t tile = 0; tile < tiles; tile++) {
        cb_reserve_back(0, 1);
        noc_semaphore_set(sent_here, INVALID);
        noc_semaphore_inc(room_there, 1);
        noc_semaphore_wait(sent_here, VALID);
        cb_push_back(0, 1);
    }
    noc_async_atomic_barrier();
}
