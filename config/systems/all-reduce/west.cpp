// Ring all-reduce, the tile towards the chip before: what comes goes over the NoC to the other tile of the ring, a place
// for each vector, and the sender gets a credit. Arguments: NoC x and y of that tile, bytes of a vector, chips.
#include "internal/ethernet/dataflow_api.h"

constexpr uint32_t CREDITS = 0, QUEUE = 0;

void kernel_main()
{
    const uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
    const uint32_t bytes = get_arg_val<uint32_t>(2), chips = get_arg_val<uint32_t>(3);
    volatile eth_channel_sync_t *sync = &erisc_info->channels[1];
    for (uint32_t k = 0; k + 1 < chips; k++) {
        eth_wait_for_bytes_on_channel_sync_addr(bytes, sync);
        sync->bytes_sent = 0;
        noc_async_write(TS_ETH_FREE, get_noc_addr(x, y, TS_ETH_FREE + 0x10000 + k * bytes), bytes);
        noc_async_write_barrier();
        noc_semaphore_inc(get_noc_addr(x, y, 0x18300), 1);
        while (internal_::eth_txq_is_busy(QUEUE))
            ;
        remote_update_ptr_val<CREDITS, QUEUE>(1);
    }
    noc_async_atomic_barrier();
}
