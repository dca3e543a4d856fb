// Sends VALID to all receivers and, a little later, resets its own word without waiting for the network.
#include "dataflow_api.h"

void kernel_main()
{
    const uint32_t receivers = get_arg_val<uint32_t>(0);
    const uint32_t ready = get_semaphore(get_arg_val<uint32_t>(1));
    const uint32_t sent = get_semaphore(get_arg_val<uint32_t>(2));
    const uint64_t all = get_noc_multicast_addr(get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(4),
                                                get_arg_val<uint32_t>(5), get_arg_val<uint32_t>(6),
                                                sent);
    volatile tt_l1_ptr uint32_t *ready_here = (volatile tt_l1_ptr uint32_t *)ready;
    volatile tt_l1_ptr uint32_t *sent_here = (volatile tt_l1_ptr uint32_t *)sent;
    noc_semaphore_wait(ready_here, receivers);
    noc_semaphore_set(sent_here, VALID);
    noc_semaphore_set_multicast(sent, all, receivers);
    for (volatile uint32_t i = 0; i < 50; i = i + 1) // other work
        ;
    noc_semaphore_set(sent_here, INVALID);
    noc_async_write_barrier();
}
