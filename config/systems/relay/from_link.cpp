// E0 of a relay: what comes over its link goes over the NoC to another Ethernet tile of the chip, whose E1 sends it on.
// Arguments: NoC x and y of that tile, channel, bytes of a message, messages.
#include "internal/ethernet/dataflow_api.h"

void kernel_main()
{
    const uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
    const uint32_t channel = get_arg_val<uint32_t>(2), bytes = get_arg_val<uint32_t>(3);
    const uint32_t messages = get_arg_val<uint32_t>(4);
    volatile eth_channel_sync_t *sync = &erisc_info->channels[channel];
    const uint64_t buffer = get_noc_addr(x, y, TS_ETH_FREE + 0x10000);
    const uint64_t counter = get_noc_addr(x, y, 0x18300);
    for (uint32_t i = 0; i < messages; i++) {
        eth_wait_for_bytes_on_channel_sync_addr(bytes, sync);
        sync->bytes_sent = 0; // the sender sends the next one when the answer is there
        noc_async_write(TS_ETH_FREE, buffer, bytes);
        noc_async_writes_flushed();
        noc_semaphore_inc(counter, 1);
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
