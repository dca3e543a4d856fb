// The router towards the chip before. Arguments: this chip, chips, NoC x and y of `out' and of the worker.
#include "fabric.h"

void kernel_main()
{
    const uint32_t me = get_arg_val<uint32_t>(0), chips = get_arg_val<uint32_t>(1);
    const uint32_t out_x = get_arg_val<uint32_t>(2), out_y = get_arg_val<uint32_t>(3);
    const uint32_t worker_x = get_arg_val<uint32_t>(4), worker_y = get_arg_val<uint32_t>(5);
    volatile eth_channel_sync_t *sync = &erisc_info->channels[CHANNEL];
    const volatile packet *came = (const volatile packet *)(uintptr_t)ARRIVES;
    uint32_t through = 0;
    for (uint32_t k = 0; k < arriving(chips); k++) {
        while (sync->bytes_sent == 0)
            invalidate_l1_cache();
        sync->bytes_sent = 0;
        const bool here = came->to == me;
        if (here)
            noc_async_write(ARRIVES, get_noc_addr(worker_x, worker_y, INBOX + came->from * PLACE),
                            came->bytes);
        else
            noc_async_write(ARRIVES, get_noc_addr(out_x, out_y, PASSING + through++ * PLACE),
                            came->bytes);
        noc_async_write_barrier();
        noc_semaphore_inc(
            here ? get_noc_addr(worker_x, worker_y, CAME) : get_noc_addr(out_x, out_y, PASSED), 1);
        while (internal_::eth_txq_is_busy(QUEUE))
            ;
        remote_update_ptr_val<CREDITS, QUEUE>(1);
    }
    noc_async_atomic_barrier();
}
