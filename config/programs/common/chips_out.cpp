// E0 of the tile that leads to the next chip: what the worker puts into its slots goes over the link, a slot there for each one
// here. A credit that comes back frees both. Arguments: bytes of a chunk, chunks, slots, NoC x and y of the worker, its
// semaphore for slots that are free again.
#include "internal/ethernet/dataflow_api.h"

#include "chips_eth.h"

constexpr uint32_t QUEUE = 0;

void kernel_main()
{
    const uint32_t bytes = get_arg_val<uint32_t>(0), total = get_arg_val<uint32_t>(1);
    const uint32_t slots = get_arg_val<uint32_t>(2);
    const uint64_t room = get_noc_addr(get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(4),
                                       get_arg_val<uint32_t>(5));
    const volatile uint32_t *ready = counter(READY);
    uint32_t sent = 0, returned = 0, slot = 0;
    internal_::ts_eth_accept_ahead(QUEUE, 4);
    while (returned < total) {
        if (const uint32_t more = ahead(get_ptr_val<CREDITS>(), returned)) {
            noc_semaphore_inc(room, more);
            returned += more;
        }
        if (*ready == sent || sent - returned == slots)
            continue;
        while (internal_::eth_txq_is_busy(QUEUE))
            ;
        internal_::eth_send_packet_bytes_unsafe(QUEUE, TO_LINK + slot, FROM_LINK + slot, bytes);
        while (internal_::eth_txq_is_busy(QUEUE))
            ;
        remote_update_ptr_val<ARRIVED, QUEUE>(1);
        sent++;
        slot = sent % slots == 0 ? 0 : slot + bytes;
    }
    noc_async_atomic_barrier();
}
