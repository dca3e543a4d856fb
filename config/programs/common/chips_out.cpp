// E0 of the tile that leads to the next chip: what the worker puts into its slots goes over the link, a slot there for each one
// here. A credit that comes back frees both. Arguments: bytes of a chunk, chunks, slots, NoC x and y of the worker, its
// semaphore for slots that are free again.
#include "internal/ethernet/dataflow_api.h"

constexpr uint32_t CREDITS = 0, ARRIVED = 1, QUEUE = 0;

void kernel_main()
{
    const uint32_t bytes = get_arg_val<uint32_t>(0), total = get_arg_val<uint32_t>(1);
    const uint32_t slots = get_arg_val<uint32_t>(2);
    const uint64_t room = get_noc_addr(get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(4),
                                       get_arg_val<uint32_t>(5));
    volatile uint32_t *ready = (volatile uint32_t *)0x18300;
    for (uint32_t i = 0; i < total; i++) {
        const uint32_t slot = i % slots * bytes;
        if (i >= slots) {
            while (uint32_t(get_ptr_val<CREDITS>()) < i - slots + 1)
                ;
            noc_semaphore_inc(room, 1);
        }
        while (*ready <= i)
            ;
        while (internal_::eth_txq_is_busy(QUEUE))
            ;
        internal_::eth_send_packet_bytes_unsafe(QUEUE, TS_ETH_FREE + slot, 0x50000 + slot, bytes);
        while (internal_::eth_txq_is_busy(QUEUE))
            ;
        remote_update_ptr_val<ARRIVED, QUEUE>(1);
    }
    noc_async_atomic_barrier();
}
