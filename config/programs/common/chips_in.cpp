// E1 of the tile that leads to the chip before: what comes over the link goes over the NoC to the worker, and a credit back.
// Arguments: bytes of a chunk, chunks, slots, NoC x and y of the worker, its slots, its semaphore for what has come.
#include "internal/ethernet/dataflow_api.h"

constexpr uint32_t CREDITS = 0, ARRIVED = 1, QUEUE = 1;

void kernel_main()
{
    const uint32_t bytes = get_arg_val<uint32_t>(0), total = get_arg_val<uint32_t>(1);
    const uint32_t slots = get_arg_val<uint32_t>(2);
    const uint32_t x = get_arg_val<uint32_t>(3), y = get_arg_val<uint32_t>(4);
    const uint32_t to = get_arg_val<uint32_t>(5);
    const uint64_t came = get_noc_addr(x, y, get_arg_val<uint32_t>(6));
    volatile uint32_t *taken = (volatile uint32_t *)0x18310;
    for (uint32_t i = 0; i < total; i++) {
        const uint32_t slot = i % slots * bytes;
        while (uint32_t(get_ptr_val<ARRIVED>()) <= i)
            ;
        while (i - *taken >= slots)
            ;
        noc_async_write(0x50000 + slot, get_noc_addr(x, y, to + slot), bytes);
        noc_async_write_barrier();
        noc_semaphore_inc(came, 1);
        while (internal_::eth_txq_is_busy(QUEUE))
            ;
        remote_update_ptr_val<CREDITS, QUEUE>(1);
    }
    noc_async_atomic_barrier();
}
