// Says that it is ready and waits for the sender.
#include "dataflow_api.h"

void kernel_main()
{
    const uint32_t ready = get_semaphore(get_arg_val<uint32_t>(0));
    const uint32_t sent = get_semaphore(get_arg_val<uint32_t>(1));
    volatile tt_l1_ptr uint32_t *sent_here = (volatile tt_l1_ptr uint32_t *)sent;
    noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3), ready), 1);
    noc_semaphore_wait(sent_here, VALID);
    noc_async_atomic_barrier();
}
