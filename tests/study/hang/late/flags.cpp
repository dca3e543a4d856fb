// The receiver answers before it clears its flag.
#include "dataflow_api.h"

void kernel_main()
{
    const uint32_t core = get_arg_val<uint32_t>(0);
    const uint32_t ready = get_semaphore(get_arg_val<uint32_t>(1));
    const uint32_t done = get_semaphore(get_arg_val<uint32_t>(2));
    volatile tt_l1_ptr uint32_t *flag = (volatile tt_l1_ptr uint32_t *)ready;
    volatile tt_l1_ptr uint32_t *answers = (volatile tt_l1_ptr uint32_t *)done;
    const uint64_t sender = get_noc_addr(get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(5), done);
    const uint64_t receiver = get_noc_addr(get_arg_val<uint32_t>(4), get_arg_val<uint32_t>(5),
                                           ready);
    for (uint32_t i = 0; i < 3; i++) {
        if (core == 0) {
            noc_semaphore_wait_min(answers, i);
            noc_semaphore_inc(receiver, 1);
        } else {
            noc_semaphore_wait_min(flag, 1);
            noc_semaphore_inc(sender, 1);
            noc_semaphore_set(flag, 0);
        }
    }
    noc_async_atomic_barrier();
}
